import { formats } from '../formats.ts';
import { withoutUrlSecrets } from '../text/secret.ts';
import { parseBaseUrl, parseSharedStore, shownSharedStore } from './addresses.ts';
import { parseCommand, parseFormat, parseMaxWait, parsePlan, parseProfileName } from './values.ts';

export const profileSettings = [
  'base-url',
  'output',
  'max-wait',
  'plan',
  'shared-store',
  'api-key-command',
] as const;
export type ProfileSetting = (typeof profileSettings)[number];

export const settingNames = [...profileSettings, 'default-profile'] as const;
export type SettingName = (typeof settingNames)[number];

export type Setting = {
  /** For help and docs; undefined if the row of another setting mentions it. */
  readonly title?: string;
  readonly flags?: `${string}--${string} <${string}>`;
  readonly option?: 'profile' | 'baseUrl' | 'apiKeyFile' | 'output' | 'maxWait';
  readonly help?: string;
  readonly choices?: readonly string[];
  readonly variable?: `PETSTORE_${string}`;
  readonly fallback?: string;
  /** Markdown: its values, or where it is stored if not in the settings file. */
  readonly stored?: string;
  /** The sandbox has its own, which nobody can set. */
  readonly isOfSandbox?: true;
  readonly withoutSecrets?: (text: string) => string;
  /** Only settings of the settings file have it. */
  readonly parse?: (text: string, source?: string) => unknown;
};

type FileSetting = Setting & Required<Pick<Setting, 'parse'>>;

/** Every setting. Options, `config`, completion, `doctor` and help follow this table, in this order. */
export const settings: Readonly<
  Record<SettingName, FileSetting> & Record<'api-key' | 'config-folder' | 'state-folder', Setting>
> = {
  'default-profile': {
    title: 'profile',
    flags: '-p, --profile <name>',
    option: 'profile',
    help: 'profile to use: production (default), staging, sandbox, or your own',
    variable: 'PETSTORE_PROFILE',
    fallback: 'production',
    parse: parseProfileName,
  },
  'base-url': {
    title: 'base URL',
    flags: '--base-url <url>',
    option: 'baseUrl',
    help: 'base URL with version prefix: https://HOST/v1',
    variable: 'PETSTORE_BASE_URL',
    isOfSandbox: true,
    withoutSecrets: withoutUrlSecrets,
    parse: parseBaseUrl,
  },
  'api-key': {
    title: 'API key',
    flags: '--api-key-file <file>',
    option: 'apiKeyFile',
    help: 'read the API key from a file, or - for standard input',
    variable: 'PETSTORE_API_KEY',
    stored: '`api-key-command`, or by `auth login` in a separate file',
  },
  output: {
    title: 'output',
    flags: '-o, --output <format>',
    option: 'output',
    help: 'output format',
    choices: formats,
    variable: 'PETSTORE_OUTPUT',
    fallback: 'table',
    parse: parseFormat,
  },
  'max-wait': {
    title: 'longest wait',
    flags: '--max-wait <duration>',
    option: 'maxWait',
    help: 'maximum wait for the rate limit (default 2m; 0 = never wait, inf = no limit)',
    variable: 'PETSTORE_MAX_WAIT',
    fallback: '2m',
    parse: parseMaxWait,
  },
  plan: {
    title: 'plan',
    help: 'plan of the API key, for forecasts, and where no response names a limit',
    stored: '`free`, `pro`, `business` or `N/min,M/day`',
    parse: parsePlan,
  },
  'shared-store': {
    title: 'shared store',
    help: 'URL of a Redis or Valkey through which machines share limit and turns',
    variable: 'PETSTORE_SHARED_STORE',
    stored: '`redis://...` or `rediss://...`',
    isOfSandbox: true,
    withoutSecrets: shownSharedStore,
    parse: parseSharedStore,
  },
  'api-key-command': {
    help: 'command that prints the API key, such as: pass show petstore',
    isOfSandbox: true,
    parse: parseCommand,
  },
  'config-folder': { title: 'settings folder', variable: 'PETSTORE_CONFIG_DIR' },
  'state-folder': { title: 'state folder', variable: 'PETSTORE_STATE_DIR' },
};

export function flagOf(flags: string): string {
  return flags.replace(/^.*(--\S+).*$/, '$1');
}
