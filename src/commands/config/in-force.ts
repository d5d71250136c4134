import type { JsonObject } from '../../json/exact.ts';
import type { Given } from '../../session/given.ts';
import { sandboxProfile } from '../../session/profile.ts';
import type { Session } from '../../session/session.ts';
import { chooseSetting } from '../../session/setting.ts';
import { shownLimitStore } from '../../settings/limit-store.ts';
import { names } from './names.ts';

/** What can be asked for: the profile in force, and every setting. */
export const namesInForce = ['profile', ...names] as const;
type Name = (typeof namesInForce)[number];

/** What holds in this run, and where it was given; undefined when it is given nowhere. */
export function inForce(name: Name, session: Session): Given | undefined {
  const { profile } = session;
  if (name === 'profile') return { value: profile.name, source: profile.source };
  if (name === 'default-profile') return profile.byDefault;
  // Its address is its own, and another one in each run.
  const own = name === 'base-url' || name === 'limit-store';
  if (own && profile.name === sandboxProfile) return undefined;
  const given = chooseSetting(name, session);
  return name === 'limit-store' ? given && withoutSecrets(given) : given;
}

function withoutSecrets({ value, source }: Given): Given {
  return { value: shownLimitStore(value), source };
}

/** A setting as `config list` shows it; what is given nowhere has its name alone. */
export function rowOf(name: Name, given: Given | undefined): JsonObject {
  return { setting: name, value: given?.value, source: given?.source };
}
