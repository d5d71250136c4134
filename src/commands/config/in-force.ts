import type { JsonObject } from '../../json/json.ts';
import { defaultProfile } from '../../session/profile.ts';
import { type Given, resolveSetting } from '../../session/resolve.ts';
import type { Session } from '../../session/session.ts';
import { settingNames, settings } from '../../settings/table.ts';
import { isOfSandbox } from './names.ts';

/** The names that `config` shows: the profile in force, and every setting. */
export const namesInForce = ['profile', ...settingNames] as const;
type Name = (typeof namesInForce)[number];

/** Returns the value in this run without secrets, and where it was given; undefined when it is given nowhere. */
export function inForce(name: Name, session: Session): Given | undefined {
  const { profile } = session;
  if (name === 'profile') return profile.given;
  if (name === 'default-profile') return defaultProfile(session.settingsFile);
  if (isOfSandbox(name, profile)) return undefined;
  const given = resolveSetting(name, session);
  const { withoutSecrets } = settings[name];
  return given && withoutSecrets ? { ...given, text: withoutSecrets(given.text) } : given;
}

/** Returns a setting as `config list` shows it; one that is given nowhere has its name alone. */
export function rowOf(name: Name, given: Given | undefined): JsonObject {
  return { setting: name, value: given?.text, source: given?.file ?? given?.source };
}
