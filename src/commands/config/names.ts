import { usageFailure } from '../../errors.ts';
import { labelOf, type Profile, sandboxProfile } from '../../session/profile.ts';
import { declared, type SettingName } from '../../settings/names.ts';
import type { SettingPath } from '../../settings/save.ts';
import { nearest } from '../../text/nearest.ts';
import { mayBeKey, quotedUnlessKey } from '../../text/secret.ts';

/** Where a setting stands in the settings file. */
export function pathOf(name: SettingName, profile: Profile): SettingPath {
  return { name, ...(declared[name].file === 'profile' && { profile: profile.name }) };
}

/** Whose setting it is, for the end of a message; nothing where it is no profile's. */
export function forProfile(name: SettingName, profile: Profile): string {
  return declared[name].file === 'profile' ? ` for ${labelOf(profile)}` : '';
}

/** Whether the sandbox makes it itself, so that it cannot be set. */
export function isOfSandbox(
  name: SettingName,
  { name: profile }: { readonly name?: string | undefined },
): boolean {
  return profile === sandboxProfile && declared[name].ofSandbox === true;
}

/** Why such a setting of the sandbox is invalid, after its name. */
export const sandboxHasItsOwn = 'has its own base URL, API key and limit';

/** The notice for a default profile that may be created later. What is no profile may be a key. */
export function noticeOfNewProfile(name: string): string {
  const which = mayBeKey(name) ? 'this profile' : `profile "${name}"`;
  return `${which} does not exist yet; to undo: petstore config unset default-profile`;
}

/** The name as one of `names`. @throws Failure (usage) that suggests the nearest one */
export function requireName<Name extends string>(name: string, names: readonly Name[]): Name {
  const found = names.find((known) => known === name);
  if (found !== undefined) return found;
  const meant =
    names.find((known) => known.endsWith(`-${name.toLowerCase()}`)) ??
    nearest(name.toLowerCase(), names);
  throw usageFailure(
    `unknown setting${quotedUnlessKey(name)}`,
    `${meant === undefined ? '' : `Did you mean ${meant}? `}One of: ${names.join(', ')}`,
  );
}
