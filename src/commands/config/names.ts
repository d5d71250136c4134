import leven, { closestMatch } from 'leven';
import { usageFailure } from '../../errors.ts';
import { type Profile, sandboxProfile } from '../../session/profile.ts';
import { declared, type SettingName } from '../../settings/names.ts';
import type { SettingPath } from '../../settings/save.ts';
import { mayBeKey } from '../../text/secret.ts';

/** Where a setting stands in the settings file. */
export function pathOf(name: SettingName, profile: Profile): SettingPath {
  return { name, ...(declared[name].file === 'profile' && { profile: profile.name }) };
}

/** Whether the sandbox makes it itself, so that it cannot be set. */
export function isOfSandbox(name: SettingName, { name: profile }: Profile): boolean {
  return profile === sandboxProfile && declared[name].ofSandbox === true;
}

/** The name as one of `names`. @throws Failure (usage) that suggests the nearest one */
export function requireName<Name extends string>(name: string, names: readonly Name[]): Name {
  const found = names.find((known) => known === name);
  if (found !== undefined) return found;
  const meant = nearest(name.toLowerCase(), names);
  throw usageFailure(
    `unknown setting${mayBeKey(name) ? '' : ` "${name}"`}`,
    `${meant === undefined ? '' : `Did you mean ${meant}? `}One of: ${names.join(', ')}`,
  );
}

/** The name that few changes lead to, if there is one. */
function nearest(name: string, names: readonly string[]): string | undefined {
  const near = names.filter((known) => {
    const most = Math.floor(known.length / 3);
    return leven(name, known, { maxDistance: most + 1 }) <= most;
  });
  return closestMatch(name, near);
}
