import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Context } from '../context.ts';
import { othersCanChange } from '../disk/files.ts';
import { configFailure } from '../errors.ts';
import type { ProfileSettings } from '../settings/file.ts';
import {
  extractFlag,
  type NoDefault,
  type ProfileSetting,
  type SettingName,
  type SettingValue,
  settings,
} from '../settings/settings.ts';
import { fromSource, invalid, parseDuration } from '../settings/values.ts';
import { commandOn } from '../text/shell.ts';
import type { App } from './app.ts';
import type { CommonOptions } from './options.ts';

export type Resolved = {
  readonly text: string;
  readonly source: string;
  readonly file?: string | undefined;
};

export type Profile = {
  readonly name: string;
  readonly isSandbox: boolean;
  readonly given: Resolved;
  /** The settings file; undefined if there is no folder for one. */
  readonly file: string | undefined;
  readonly settings: ProfileSettings;
};

export type Invocation = Pick<App, 'context' | 'sink'> & {
  readonly options: CommonOptions;
  readonly profile: Profile;
};
type Settled = Omit<Invocation, 'sink'>;

type WithValue<Name extends SettingName> = Resolved & { readonly value: SettingValue<Name> };

/** Returns a setting in force: its value, and where it comes from. */
export function getSetting<Name extends ProfileSetting>(
  name: Name,
  invocation: Settled,
): WithValue<Name> | NoDefault<Name>;
export function getSetting(name: ProfileSetting, invocation: Settled) {
  const resolved = resolveSetting(name, invocation);
  if (!resolved) return undefined;
  const { isGuarded, parse } = settings[name];
  if (isGuarded && resolved.file) refuseOpenFile(name, resolved.file, invocation);
  return { ...resolved, value: parse(resolved.text, resolved.source) };
}

/** Finds a setting by flag, environment, profile or default. Returns undefined for settings that the sandbox defines itself. */
export function resolveSetting(
  name: ProfileSetting,
  { options, context, profile }: Settled,
): Resolved | undefined {
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
  name: SettingName,
  options: CommonOptions,
  env: Context['env'],
): Resolved | undefined {
  const { flags, option, variable } = settings[name];
  const flag = option && options[option];
  if (flags && flag !== undefined) return { text: flag, source: extractFlag(flags) };
  return variable && env[variable] ? { text: env[variable], source: variable } : undefined;
}

function refuseOpenFile(name: ProfileSetting, file: string, { context: { uid } }: Settled): void {
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
  const baseUrl = getSetting('base-url', invocation);
  if (!baseUrl || baseUrl.value.origin === origin) return;
  const { source, value } = baseUrl;
  throw configFailure(
    `the API key of profile ${invocation.profile.name} is for ${origin}, not for ${value.origin}${fromSource(source)}`,
    `If the service has moved, move the key. Run: ${move(value)}`,
  );
}

export function resolveTimeout({ options: { timeout = '30s' } }: Invocation): number {
  const timeoutMs = parseDuration(timeout, '--timeout', '30s, 2m or inf');
  if (timeoutMs > 0) return timeoutMs;
  throw invalid('duration', timeout, '--timeout', 'Must be more than 0.');
}
