import { formats } from '../formats.ts';
import { plans } from '../plans.ts';
import { withoutUrlSecrets } from '../text/secret.ts';
import { parseBaseUrl, parseSharedStore, redactStoreUrl } from './addresses.ts';
import { parseChoice, parseCommand, parseDuration, parsePlan, parseProfileName } from './values.ts';

export type Setting = {
  readonly flags?: `${string}--${string} <${string}>`;
  /** The name that Commander gives to the flag's value. */
  readonly option?: string;
  readonly variable?: `PETSTORE_${string}`;
  readonly help: string;
  readonly choices?: readonly string[];
  readonly form?: string;
  readonly fallback?: string;
  /** The sandbox has its own, which nobody can set. */
  readonly isFixedInSandbox?: true;
  /** Refused from a file that other users can change: they could run any program, or have the key sent to them. */
  readonly isGuarded?: true;
  readonly withoutSecrets?: (text: string) => string;
  readonly parse: (text: string, source?: string) => unknown;
};

/** Every setting. Options, `config`, completion, `doctor` and help follow this table, in this order. */
const table = {
  'default-profile': {
    flags: '-p, --profile <name>',
    option: 'profile',
    variable: 'PETSTORE_PROFILE',
    help: 'profile to use: production (default), staging, sandbox, or your own',
    fallback: 'production',
    parse: parseProfileName,
  },
  'base-url': {
    flags: '--base-url <url>',
    option: 'baseUrl',
    variable: 'PETSTORE_BASE_URL',
    help: 'base URL with version prefix: https://HOST/v1',
    isFixedInSandbox: true,
    isGuarded: true,
    withoutSecrets: withoutUrlSecrets,
    parse: parseBaseUrl,
  },
  output: {
    flags: '-o, --output <format>',
    option: 'output',
    variable: 'PETSTORE_OUTPUT',
    help: 'output format',
    choices: formats,
    fallback: 'table',
    parse: (text, source) => parseChoice('output format', text, formats, source),
  },
  'max-wait': {
    flags: '--max-wait <duration>',
    option: 'maxWait',
    variable: 'PETSTORE_MAX_WAIT',
    help: 'longest wait for the rate limit, for another import, or for a service that is away (default 2m; 0: never, inf: for ever)',
    fallback: '2m',
    parse: (text, source) => parseDuration(text, source, '30s, 2m, 0 or inf'),
  },
  plan: {
    help: 'plan of your key: for estimates, and as the limit if the service names none',
    choices: Object.keys(plans),
    form: 'free, pro, business or N/min,M/day',
    parse: parsePlan,
  },
  'shared-store': {
    variable: 'PETSTORE_SHARED_STORE',
    help: 'Redis or Valkey server that several machines use to share the rate limit and to create one at a time',
    form: 'redis://... or rediss://...; none to go without it',
    isFixedInSandbox: true,
    withoutSecrets: redactStoreUrl,
    parse: parseSharedStore,
  },
  'api-key-command': {
    help: 'command that prints the API key, such as: pass show petstore',
    isFixedInSandbox: true,
    isGuarded: true,
    parse: parseCommand,
  },
} as const satisfies Readonly<Record<string, Setting>>;

type Table = typeof table;
export type SettingName = keyof Table;
export type ProfileSetting = Exclude<SettingName, 'default-profile'>;
export type SettingOption = Extract<Table[SettingName], { option: string }>['option'];

export type SettingValue<Name extends SettingName> = ReturnType<Table[Name]['parse']>;
/** undefined for a setting without a default, since nobody may have given it. */
export type NoDefault<Name extends SettingName> = Table[Name] extends { fallback: string }
  ? never
  : undefined;

export const settings: Readonly<
  Record<SettingName, Setting & { readonly option?: SettingOption }>
> = table;

export const profileSettings = Object.keys(table).filter(
  (name): name is ProfileSetting => name !== 'default-profile',
);
export const settingNames: readonly SettingName[] = [...profileSettings, 'default-profile'];

export function extractFlag(flags: string): string {
  return flags.replace(/^.*(--\S+).*$/, '$1');
}
