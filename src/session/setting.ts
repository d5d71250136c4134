import { usageFailure } from '../errors.ts';
import type { Report } from '../events.ts';
import type { Format } from '../formats.ts';
import { declared, type ProfileSetting, type WithFallback } from '../settings/names.ts';
import { parseDuration, parseFormat, parseMaxWait } from '../settings/values.ts';
import { type Given, givenOutside } from './given.ts';
import type { Host } from './host.ts';
import type { CommonOptions } from './options.ts';
import type { Profile } from './profile.ts';

/** What decides on the settings of one run. */
export type Run = {
  readonly host: Host;
  readonly options: CommonOptions;
  readonly profile: Profile;
};

/** The same where something can be reported already. */
export type Setup = Run & { readonly report: Report };

/** `place` is where it was given, for messages. */
type Chosen = Given & { readonly place: string };

/** The setting in force: flag, then environment, then the profile in the settings file, then the default. */
export function chooseSetting(name: ProfileSetting & WithFallback, run: Run): Chosen;
export function chooseSetting(name: ProfileSetting, run: Run): Chosen | undefined;
export function chooseSetting(
  name: ProfileSetting,
  { host, options, profile }: Run,
): Chosen | undefined {
  const outside = givenOutside(name, options, host.context.env);
  if (outside) return at(outside);
  const own = profile.settings[name];
  if (own !== undefined) {
    const { file = '' } = profile;
    return { value: own, source: file, place: `${name} of profile ${profile.name} in ${file}` };
  }
  const { fallback } = declared[name];
  return fallback === undefined ? undefined : at({ value: fallback, source: 'default' });
}

function at(given: Given): Chosen {
  return { ...given, place: given.source };
}

/** How to print. @throws Failure (usage) */
export function chooseFormat(run: Run): Format {
  const { value, place } = chooseSetting('output', run);
  return parseFormat(value, place);
}

/** Longest wait for the rate limit, in ms. @throws Failure (usage) */
export function chooseMaxWait(run: Run): number {
  const { value, place } = chooseSetting('max-wait', run);
  return parseMaxWait(value, place);
}

/** Longest time for one request, in ms. @throws Failure (usage) */
export function chooseTimeout({ options }: Run): number {
  const text = options.timeout ?? '30s';
  const timeout = parseDuration(text, '--timeout', '30s, 2m or inf');
  if (timeout > 0) return timeout;
  throw usageFailure(`invalid duration "${text}" for --timeout: must be more than 0`);
}
