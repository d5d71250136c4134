import type { Context } from '../context.ts';
import { configFailure, Failure, unsentFailure } from '../errors.ts';
import type { Report } from '../events.ts';
import type { Format } from '../formats.ts';
import type { Sink } from '../output/sink.ts';
import { isBaseUrl } from '../settings/addresses.ts';
import { openSettingsFile, type SettingsFile } from '../settings/file.ts';
import { profilesWithKey } from '../settings/keys.ts';
import {
  extractFlag,
  type NoDefault,
  type ProfileSetting,
  type SettingName,
  type SettingValue,
  settings as table,
} from '../settings/settings.ts';
import {
  builtInProfiles,
  fromSource,
  parseProfileName,
  sandboxProfile,
} from '../settings/values.ts';
import { quoteIfNeeded } from '../text/shell.ts';
import { type CommonOptions, canPrompt } from './options.ts';

/** A setting as it was written; `file` is the settings file if it comes from there. */
export type Given = {
  readonly text: string;
  readonly source: string;
  readonly file?: string | undefined;
};

export type Profile = {
  readonly name: string;
  readonly isSandbox: boolean;
  readonly given: Given;
};

type Value<Name extends SettingName> = Given & { readonly value: SettingValue<Name> };

/** The part of a session that is there before anything is printed or sent. */
export type Setup = {
  readonly context: Context;
  readonly sink: Sink;
  readonly options: CommonOptions;
  readonly settings: Settings;
  readonly profile: Profile;
  readonly report: Report;
};

export class Settings {
  readonly file: SettingsFile;
  readonly profile: Profile;
  readonly #context: Context;
  readonly #options: CommonOptions;

  constructor(context: Context, options: CommonOptions, file: SettingsFile, given: Given) {
    this.#context = context;
    this.#options = options;
    this.file = file;
    if (given.file !== undefined && file.open) throw file.open;
    const name = parseProfileName(given.text, given.source);
    // `sandbox -- COMMAND` saves an address for this profile, since it serves it itself; nobody else can.
    const isServed = file.saved.profiles?.[name]?.['base-url'] !== undefined;
    this.profile = { name, isSandbox: name === sandboxProfile && !isServed, given };
  }

  get<Name extends ProfileSetting>(name: Name): Value<Name> | NoDefault<Name>;
  get(name: ProfileSetting) {
    const found = this.find(name);
    if (!found) return undefined;
    const { isGuarded, parse } = table[name];
    if (isGuarded && found.file !== undefined && this.file.open) throw this.file.open;
    return { ...found, value: parse(found.text, found.source) };
  }

  /** Finds a setting by flag, environment, profile or default, valid or not. The sandbox defines some itself. */
  find(name: ProfileSetting): Given | undefined {
    if (this.profile.isSandbox && table[name].isFixedInSandbox) return undefined;
    const given = fromFlagOrEnv(name, this.#options, this.#context.env);
    if (given) return given;
    const text = this.findSaved(name);
    const { path: file } = this.file;
    if (text !== undefined) {
      return { text, source: `${name} of profile ${this.profile.name} in ${file}`, file };
    }
    const { fallback } = table[name];
    return fallback === undefined ? undefined : { text: fallback, source: 'default' };
  }

  findSaved(name: ProfileSetting, profile = this.profile.name): string | undefined {
    const { fault, saved } = this.file;
    if (fault) throw fault;
    return saved.profiles?.[profile]?.[name];
  }

  requireProfile(name: string, source?: string): void {
    const { fault, unreachable } = this.file;
    if (fault || builtInProfiles.includes(name)) return;
    const known = listProfiles(this.file);
    if (known.includes(name)) return;
    if (unreachable) throw unreachable;
    const isTyped = source === undefined || source.startsWith('--');
    throw unsentFailure(
      isTyped ? 'usage' : 'config',
      `unknown profile "${name}"${isTyped ? '' : fromSource(source)}`,
      `Profiles: ${known.join(', ')}. To create this one, log in. Run: ${this.loginCommand(name)}`,
    );
  }

  /** Returns the login that works here, for another profile too. A script has to give the key, and what is saved nowhere. */
  loginCommand(profile?: string, newBaseUrl?: string): string {
    const isPrompted = canPrompt(this.#context, this.#options);
    const { env, platform } = this.#context;
    const flag = profile === undefined ? profileFlag(this.profile) : ` --profile ${profile}`;
    const found =
      profile === undefined ? this.find('base-url') : fromFlagOrEnv('base-url', this.#options, env);
    const given = found && isBaseUrl(found.text) ? found : undefined;
    const missing = given || isPrompted ? undefined : 'https://HOST/v1';
    const baseUrl = newBaseUrl ?? (given?.source === '--base-url' ? given.text : missing);
    const url = baseUrl === undefined ? '' : ` --base-url ${quoteIfNeeded(baseUrl)}`;
    const login = `petstore auth login${flag}${url}`;
    if (isPrompted) return login;
    return platform === 'win32' ? `Get-Content KEY_FILE | ${login}` : `${login} < KEY_FILE`;
  }

  /** Refuses another base URL than that of the profile's own key; `move` returns the command that moves the key to it. */
  requireOrigin(origin: string, move: (baseUrl: URL) => string): void {
    const baseUrl = this.get('base-url');
    if (!baseUrl || baseUrl.value.origin === origin) return;
    const { source, value } = baseUrl;
    throw configFailure(
      `the API key of profile ${this.profile.name} is for ${origin}, not for ${value.origin}${fromSource(source)}`,
      `If the service has moved, move the key. Run: ${move(value)}`,
    );
  }
}

export function listProfiles({ folder, saved }: SettingsFile): readonly string[] {
  const withKey = folder === undefined ? [] : profilesWithKey(folder);
  return [...new Set([...builtInProfiles, ...Object.keys(saved.profiles ?? {}), ...withKey])];
}

/** Reads the settings of a run, without the format of the command line: `config list -o csv` shows that of other commands. */
export function loadSettings(
  context: Context,
  { output, ...options }: CommonOptions,
  { isNew = false } = {},
): { readonly settings: Settings; readonly format: Format; readonly fault?: Failure | undefined } {
  const file = openSettingsFile(context);
  let { fault } = file;
  const orDefault = <Found>(find: () => Found, byDefault: () => Found): Found => {
    try {
      return find();
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      fault ??= error;
      return byDefault();
    }
  };
  const open = (given: Given): Settings => {
    const settings = new Settings(context, options, file, given);
    if (!isNew) settings.requireProfile(given.text, given.source);
    return settings;
  };
  const given = fromFlagOrEnv('default-profile', options, context.env);
  const settings = given
    ? open(given)
    : orDefault(
        () => open(findDefaultProfile(file)),
        () => open(productionByDefault),
      );
  // Commander let no other word through.
  const format =
    (output as Format) ??
    orDefault(
      () => settings.get('output').value,
      () => 'table',
    );
  return { settings, format, fault };
}

const productionByDefault: Given = { text: 'production', source: 'default' };

export function findDefaultProfile({ saved, path }: SettingsFile): Given {
  const text = saved['default-profile'];
  if (text === undefined) return productionByDefault;
  return { text, source: `default-profile in ${path}`, file: path };
}

/** Finds a setting on the command line or in the environment. An empty variable gives nothing. */
function fromFlagOrEnv(
  name: SettingName,
  options: CommonOptions,
  env: Context['env'],
): Given | undefined {
  const { flags, option, variable } = table[name];
  const flag = option && options[option];
  if (flags && flag !== undefined) return { text: flag, source: extractFlag(flags) };
  return variable && env[variable] ? { text: env[variable], source: variable } : undefined;
}

/** Returns the profile and the base URL that were given, for a command in a notice. The hint of a failure gets them by itself. */
export function targetFlags({ options, profile }: Pick<Setup, 'options' | 'profile'>): string {
  const { baseUrl = '' } = options;
  const url = isBaseUrl(baseUrl) ? ` --base-url ${quoteIfNeeded(baseUrl)}` : '';
  return profileFlag(profile) + url;
}

/** Returns ' --profile NAME', or nothing for the default profile. */
export function profileFlag({ name, given }: Profile): string {
  return given.source === 'default' || given.file ? '' : ` --profile ${name}`;
}

/** A command of ours in a hint, without what comes after it. */
const commandInHint = /\b(?:run|see):? petstore .*?(?=\.?$| <| \(| -- )/i;

/** Adds the profile and the base URL that were given to the command in a hint. Most code that writes hints knows neither. */
export function addTarget(
  hint: string | undefined,
  setup: Pick<Setup, 'options' | 'profile'>,
): string | undefined {
  return hint?.replace(commandInHint, (command) => {
    if (/ --(?:help|profile)\b/.test(command)) return command;
    return (
      command + (/\bbase-url\b/.test(command) ? profileFlag(setup.profile) : targetFlags(setup))
    );
  });
}

/** Returns ' on NAME' for a write on a terminal, where nobody sees the settings; the question before it has the address too. */
export function onProfile(
  { context, profile }: { readonly context: Pick<Context, 'stderr'>; readonly profile: Profile },
  address?: URL,
): string {
  const where = address ? ` (${address.href})` : '';
  return context.stderr.isTTY ? ` on ${profile.name}${where}` : '';
}
