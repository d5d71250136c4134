import type { JsonObject } from '../../json/json.ts';
import type { Given } from '../../session/given.ts';
import type { Session } from '../../session/session.ts';
import { chooseSetting } from '../../session/setting.ts';
import { declared, settingNames } from '../../settings/names.ts';
import { isOfSandbox } from './names.ts';

/** The names that `config` shows: the profile in force, and every setting. */
export const namesInForce = ['profile', ...settingNames] as const;
type Name = (typeof namesInForce)[number];

/** Returns the value in this run without secrets, and where it was given; undefined when it is given nowhere. */
export function inForce(name: Name, session: Session): Given | undefined {
  const { profile } = session;
  if (name === 'profile') return { value: profile.name, source: profile.source };
  if (name === 'default-profile') return profile.byDefault;
  if (isOfSandbox(name, profile)) return undefined;
  const given = chooseSetting(name, session);
  const { withoutSecrets } = declared[name];
  return given && withoutSecrets ? { ...given, value: withoutSecrets(given.value) } : given;
}

/** Returns a setting as `config list` shows it; one that is given nowhere has its name alone. */
export function rowOf(name: Name, given: Given | undefined): JsonObject {
  return { setting: name, value: given?.value, source: given?.source };
}
