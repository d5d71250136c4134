import { Failure } from '../errors.ts';
import type { Format } from '../formats.ts';
import type { LineMode } from '../settings/values.ts';
import type { Host } from './host.ts';
import type { CommonOptions } from './options.ts';
import { chooseProfile, type Profile, type Without } from './profile.ts';
import { chooseFormat, chooseLineMode, type Run } from './setting.ts';

/** What is chosen before a session begins. */
export type Choices = {
  readonly options: CommonOptions;
  readonly profile: Profile;
  readonly format: Format;
  readonly lineMode: LineMode;
};

/**
 * What a command can do without: the first of these with which all is valid counts. A command that can do without more than the
 * first shows or repairs settings, so whatever else is invalid in their file does not stop it.
 */
export type Tolerance = readonly [Without, ...Without[]];

/** The choices of a session, and what is invalid in the settings file all the same. @throws Failure (usage, config) */
export function choose(
  host: Host,
  options: CommonOptions,
  tolerance: Tolerance,
): { readonly choices: Choices; readonly faults: readonly Failure[] } {
  const faults: Failure[] = [];
  const profile = firstValid(
    tolerance.map((without) => () => chooseProfile(host, options, without)),
    faults,
  );
  const run: Run = { host, options, profile };
  const withoutFile: Run = { ...run, profile: { ...profile, settings: {} } };
  const runs = tolerance.length > 1 ? [run, withoutFile] : [run];
  const pick = <Value>(from: (run: Run) => Value) =>
    firstValid(
      runs.map((run) => () => from(run)),
      faults,
    );
  const choices = { options, profile, format: pick(chooseFormat), lineMode: pick(chooseLineMode) };
  return { choices, faults };
}

/** What the first attempt that succeeds returns; the failure of the one before it is added to `faults`. @throws Failure */
function firstValid<Value>(
  [attempt, ...others]: readonly (() => Value)[],
  faults: Failure[],
): Value {
  if (!attempt) throw new Error('no attempts');
  try {
    return attempt();
  } catch (error) {
    if (!(error instanceof Failure) || others.length === 0) throw error;
    const value = firstValid(others, faults);
    faults.push(error);
    return value;
  }
}
