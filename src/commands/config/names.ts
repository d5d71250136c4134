import { usageFailure } from '../../errors.ts';
import type { Profile } from '../../session/profile.ts';
import type { SettingPath } from '../../settings/save.ts';
import { type SettingName, settings } from '../../settings/table.ts';
import { sandboxProfile } from '../../settings/values.ts';
import { nearest } from '../../text/nearest.ts';
import { quotedUnlessKey } from '../../text/secret.ts';

/** Returns the place of a setting in the settings file. */
export function pathOf(name: SettingName, profile: Profile): SettingPath {
  return name === 'default-profile' ? { name } : { name, profile: profile.name };
}

/** Names the profile at the end of a message; nothing for a setting that belongs to none. */
export function forProfile(name: SettingName, profile: Profile): string {
  return name === 'default-profile' ? '' : ` for profile ${profile.name}`;
}

/** Returns true for what the sandbox makes itself, so that it cannot be set. */
export function isOfSandbox(name: SettingName, profile: Profile): boolean {
  return profile.name === sandboxProfile && settings[name].isOfSandbox === true;
}

/** Returns the name as one of `names`. @throws Failure (usage) that suggests the nearest one */
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
