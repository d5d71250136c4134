import type { ProfileSettings, Settings } from './file.ts';
import { profilesWithKey } from './keys.ts';
import { builtInProfiles } from './values.ts';

/**
 * Every profile there is: those that always exist, those of the settings, those that only have a stored key in `folder`.
 * @throws Failure (config) when the folder of keys cannot be read
 */
export function profileNames(
  folder: string | undefined,
  { profiles = {} }: Settings,
): readonly string[] {
  const stored = folder === undefined ? [] : profilesWithKey(folder);
  return [...new Set([...builtInProfiles, ...Object.keys(profiles), ...stored])];
}

/** What the settings file has for a profile, which may have the name of something every object has. */
export function settingsOf({ profiles = {} }: Settings, name: string): ProfileSettings {
  return (Object.hasOwn(profiles, name) ? profiles[name] : undefined) ?? {};
}
