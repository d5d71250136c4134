import { Failure } from '../errors.ts';
import type { Format } from '../formats.ts';
import type { Host } from './host.ts';
import type { CommonOptions } from './options.ts';
import { chooseProfile, type Profile, readKept } from './profile.ts';
import { chooseFormat, type Run } from './setting.ts';

/** What is chosen before a session begins. */
export type Choices = {
  readonly options: CommonOptions;
  readonly profile: Profile;
  readonly format: Format;
};

/** What a command can do without; by default nothing. */
export type Tolerance = {
  /** It creates the profile, which need not exist. */
  readonly newProfile?: boolean;
  /** It shows or repairs settings, so an invalid one in the file does not stop it. */
  readonly invalidSettings?: boolean;
  /** Nor does a file that cannot be read. */
  readonly unreadable?: boolean;
};

/** The choices of a session, and what is invalid in the settings file all the same. @throws Failure (usage, config) */
export function choose(
  host: Host,
  options: CommonOptions,
  { newProfile = false, invalidSettings = false, unreadable = false }: Tolerance,
): { readonly choices: Choices; readonly faults: readonly Failure[] } {
  const faults: Failure[] = [];
  const kept = firstValid(() => readKept(host), unreadable && (() => readKept(host, true)), faults);
  const isUnread = faults.length > 0;
  const profileBy = (byDefault: boolean) =>
    chooseProfile(host, options, kept, { profile: newProfile || isUnread, byDefault });
  const profile = firstValid(
    () => profileBy(false),
    invalidSettings && (() => profileBy(true)),
    faults,
  );
  const run: Run = { host, options, profile };
  const withoutFile: Run = { ...run, profile: { ...profile, settings: {} } };
  const format = firstValid(
    () => chooseFormat(run),
    invalidSettings && (() => chooseFormat(withoutFile)),
    faults,
  );
  return { choices: { options, profile, format }, faults };
}

/** What `attempt` returns, or else `other`, if there is one; the failure of the former is then added to `faults`. @throws Failure */
function firstValid<Value>(
  attempt: () => Value,
  other: (() => Value) | false,
  faults: Failure[],
): Value {
  try {
    return attempt();
  } catch (error) {
    if (!(error instanceof Failure) || !other) throw error;
    const value = other();
    faults.push(error);
    return value;
  }
}
