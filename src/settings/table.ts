import { formats } from '../formats.ts';
import { parseBaseUrl } from './base-url.ts';
import { parseLimitStore, shownLimitStore } from './limit-store.ts';
import { parseCommand, parseFormat, parseMaxWait, parsePlan, parseProfileName } from './values.ts';

/** All that is known of a setting: what it is called, and where it can be given. */
export type Setting = {
  /** In tables and messages; undefined where the row of another setting mentions it. */
  readonly title?: string;
  /** Its option as Commander takes it; the shell completes a `<file>`. */
  readonly flags?: `${string}--${string} <${string}>`;
  /** What it means, for help. */
  readonly help?: string;
  /** All values there are. */
  readonly choices?: readonly string[];
  /** A switch that stands for one of the values. */
  readonly alias?: { readonly flag: `--${string}`; readonly value: string };
  readonly variable?: `PETSTORE_${string}`;
  readonly fallback?: string;
  /** How it is stored, in Markdown, as far as its name in the settings file does not say it. */
  readonly stored?: string;
  /** The sandbox has its own, which nobody can set. */
  readonly ofSandbox?: true;
  /** The value as it may be shown; undefined where all of it may. */
  readonly withoutSecrets?: (value: string) => string;
} & (InFile | { readonly file?: undefined });

/** A setting that the settings file can have: each profile its own, or one at the top. */
export type InFile = {
  readonly file: 'profile' | 'top';
  /** Parses a value; `place` is where it was given, for messages. @throws Failure when it is invalid */
  readonly read: (value: string, place?: string) => unknown;
};

/**
 * Every setting, by its name in the settings file if it can be set there. From here come the options, `config`, completion,
 * `doctor` and help, in this order.
 */
export const settings = {
  'default-profile': {
    title: 'profile',
    flags: '-p, --profile <name>',
    help: 'profile to use: production (default), staging, sandbox, or your own',
    variable: 'PETSTORE_PROFILE',
    fallback: 'production',
    file: 'top',
    read: parseProfileName,
  },
  'base-url': {
    title: 'base URL',
    flags: '--base-url <url>',
    help: 'base URL with version prefix: https://HOST/v1',
    variable: 'PETSTORE_BASE_URL',
    file: 'profile',
    ofSandbox: true,
    read: parseBaseUrl,
  },
  'api-key': {
    title: 'API key',
    flags: '--api-key-file <file>',
    help: 'read the API key from a file, or - for standard input',
    variable: 'PETSTORE_API_KEY',
    stored: '`api-key-command`, or by `auth login` in a separate file',
  },
  output: {
    title: 'output',
    flags: '-o, --output <format>',
    help: 'output format',
    choices: formats,
    alias: { flag: '--json', value: 'json' },
    variable: 'PETSTORE_OUTPUT',
    fallback: 'table',
    file: 'profile',
    read: parseFormat,
  },
  'max-wait': {
    title: 'longest wait',
    flags: '--max-wait <duration>',
    help: 'maximum wait for the rate limit (default 2m; 0 = never wait, inf = no limit)',
    variable: 'PETSTORE_MAX_WAIT',
    fallback: '2m',
    file: 'profile',
    read: (value, place = 'max-wait') => parseMaxWait(value, place),
  },
  plan: {
    title: 'plan',
    help: 'plan of the API key, for forecasts',
    file: 'profile',
    stored: '`free`, `pro`, `business` or `N/min,M/day`',
    read: (value, place = 'plan') => parsePlan(value, place),
  },
  'limit-store': {
    title: 'shared limit store',
    help: 'URL of a Redis or Valkey that shares the limit between machines',
    variable: 'PETSTORE_LIMIT_STORE',
    file: 'profile',
    stored: '`redis://...` or `rediss://...`',
    ofSandbox: true,
    read: parseLimitStore,
    withoutSecrets: shownLimitStore,
  },
  'api-key-command': {
    help: 'command that prints the API key, such as: pass show petstore',
    file: 'profile',
    ofSandbox: true,
    read: parseCommand,
  },
  'config-folder': { title: 'settings folder', variable: 'PETSTORE_CONFIG_DIR' },
  'state-folder': { title: 'state folder', variable: 'PETSTORE_STATE_DIR' },
} as const satisfies Readonly<Record<string, Setting>>;
