import { configFailure } from '../../errors.ts';
import { parseSettings, type Settings } from '../../settings/file.ts';
import { declared, namesIn } from '../../settings/names.ts';
import { parseProfileName } from '../../settings/values.ts';
import { isOfSandbox, sandboxHasItsOwn } from './names.ts';

/**
 * Settings as a text, each value checked as `config set` does.
 * @throws Failure (usage, config) that names the profile, the setting and its place in `file`
 */
export function validateSettings(text: string, file: string): Settings {
  const { settings, placeOf } = parseSettings(text, file);
  const { profiles = {} } = settings;
  for (const name of namesIn('top')) {
    const value = settings[name];
    if (value !== undefined) declared[name].read(value, `${name} (${placeOf(settings, name)})`);
  }
  for (const [profile, own] of Object.entries(profiles)) {
    parseProfileName(profile, `profiles (${placeOf(profiles, profile)})`);
    for (const name of namesIn('profile')) {
      const value = own[name];
      if (value === undefined) continue;
      const place = `${name} of profile ${profile} (${placeOf(own, name)})`;
      if (isOfSandbox(name, { name: profile })) {
        throw configFailure(`invalid ${place}: the sandbox ${sandboxHasItsOwn}`);
      }
      declared[name].read(value, place);
    }
  }
  return settings;
}
