import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Context } from '../context.ts';
import { othersCanChange } from '../disk/files.ts';
import { configFailure } from '../errors.ts';
import type { Format } from '../formats.ts';
import { parseBaseUrl } from '../settings/addresses.ts';
import type { ProfileSettings } from '../settings/file.ts';
import { flagOf, type ProfileSetting, settings } from '../settings/settings.ts';
import {
  fromSource,
  invalid,
  type NamedPlan,
  parseDuration,
  parseFormat,
  parseMaxWait,
  parsePlan,
} from '../settings/values.ts';
import { commandOn } from '../text/shell.ts';
import type { App } from './app.ts';
import type { CommonOptions } from './options.ts';

export type Given = {
  readonly text: string;
  readonly source: string;
  readonly file?: string | undefined;
};

export type Profile = {
  readonly name: string;
  readonly isSandbox: boolean;
  readonly given: Given;
  /** The settings file; undefined if there is no folder for one. */
  readonly file: string | undefined;
  readonly settings: ProfileSettings;
};

export type Invocation = Pick<App, 'context' | 'sink'> & {
  readonly options: CommonOptions;
  readonly profile: Profile;
};
type Settled = Omit<Invocation, 'sink'>;

/** Finds a setting by flag, environment, profile or default. Those that the sandbox has of its own are given nowhere. */
export function resolveSetting(
  name: ProfileSetting,
  { options, context, profile }: Settled,
): Given | undefined {
  if (profile.isSandbox && settings[name].isOfSandbox) return undefined;
  const given = fromFlagOrEnv(name, options, context.env);
  if (given) return given;
  const own = profile.settings[name];
  const { file } = profile;
  if (own !== undefined) {
    return { text: own, source: `${name} of profile ${profile.name} in ${file}`, file };
  }
  const { fallback } = settings[name];
  return fallback === undefined ? undefined : { text: fallback, source: 'default' };
}

/** Finds a setting on the command line or in the environment. An empty variable gives nothing. */
export function fromFlagOrEnv(
  name: keyof typeof settings,
  options: CommonOptions,
  env: Context['env'],
): Given | undefined {
  const { flags, option, variable } = settings[name];
  const flag = option && options[option];
  if (flags && flag !== undefined) return { text: flag, source: flagOf(flags) };
  return variable && env[variable] ? { text: env[variable], source: variable } : undefined;
}

export function resolveFormat(invocation: Settled): Format {
  const { text = '', source } = resolveSetting('output', invocation) ?? {};
  return parseFormat(text, source);
}

export function resolveBaseUrl(invocation: Invocation): URL | undefined {
  const given = resolveSetting('base-url', invocation);
  if (given?.file) refuseOpenFile('base-url', given.file, invocation);
  return given && parseBaseUrl(given.text, given.source);
}

/** Refuses a setting from a file that other users can change: they could run any program, or have the key sent to them. */
export function refuseOpenFile(
  name: ProfileSetting,
  file: string,
  { context: { uid } }: Invocation,
): void {
  const paths = [file, dirname(file), dirname(realpathSync(file))];
  const open = paths.find((path) => othersCanChange(path, uid));
  if (open === undefined) return;
  throw configFailure(
    `${name} was not used, because other users can change ${open}`,
    `Run: ${commandOn('chmod go-w', open)} (and you must own it)`,
  );
}

/** Refuses another base URL than that of the profile's own key; `move` returns the command that moves the key to it. */
export function checkOrigin(
  invocation: Invocation,
  origin: string,
  move: (baseUrl: URL) => string,
): void {
  const baseUrl = resolveBaseUrl(invocation);
  if (!baseUrl || baseUrl.origin === origin) return;
  const { source } = resolveSetting('base-url', invocation) ?? {};
  throw configFailure(
    `the API key of profile ${invocation.profile.name} is for ${origin}, not for ${baseUrl.origin}${fromSource(source)}`,
    `If the service has moved, move the key. Run: ${move(baseUrl)}`,
  );
}

export function resolveMaxWait(invocation: Invocation): number {
  const { text = '', source } = resolveSetting('max-wait', invocation) ?? {};
  return parseMaxWait(text, source);
}

export function resolvePlan(invocation: Settled): NamedPlan | undefined {
  const given = resolveSetting('plan', invocation);
  return given && parsePlan(given.text, given.source);
}

export function resolveTimeout({ options: { timeout = '30s' } }: Invocation): number {
  const timeoutMs = parseDuration(timeout, '--timeout', '30s, 2m or inf');
  if (timeoutMs > 0) return timeoutMs;
  throw invalid('duration', timeout, '--timeout', 'Must be more than 0.');
}
