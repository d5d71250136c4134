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
  [strict, ...tolerant]: Tolerance,
): { readonly choices: Choices; readonly faults: readonly Failure[] } {
  const faults: Failure[] = [];
  const inForce = (without: Without) => () => chooseProfile(host, options, without);
  const profile = firstValid(inForce(strict), tolerant.map(inForce), faults);
  const run: Run = { host, options, profile };
  const withoutFile: Run = { ...run, profile: { ...profile, settings: {} } };
  const pick = <Value>(choose: (run: Run) => Value) => {
    const others = tolerant.length > 0 ? [() => choose(withoutFile)] : [];
    return firstValid(() => choose(run), others, faults);
  };
  const choices = { options, profile, format: pick(chooseFormat), lineMode: pick(chooseLineMode) };
  return { choices, faults };
}

/** What the first attempt that succeeds returns; the failures of those before it are added to `faults`. @throws Failure */
function firstValid<Value>(
  attempt: () => Value,
  [next, ...others]: readonly (() => Value)[],
  faults: Failure[],
): Value {
  try {
    return attempt();
  } catch (error) {
    if (!(error instanceof Failure) || !next) throw error;
    const value = firstValid(next, others, faults);
    faults.push(error);
    return value;
  }
}
