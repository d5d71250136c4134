import type { Environment } from '../context.ts';
import type { ProfileSettings } from '../settings/file.ts';
import { firstGiven, type Given, type Way } from './given.ts';
import type { Host } from './host.ts';
import type { CommonOptions } from './options.ts';
import type { Profile } from './profile.ts';

type Name = keyof ProfileSettings;

/** Where each setting may be given outside the settings file, best first. An empty variable gives nothing. */
const outside: Partial<Record<Name, (options: CommonOptions, env: Environment) => Way[]>> = {
  'base-url': ({ baseUrl }, env) => [
    ['--base-url', baseUrl],
    ['PETSTORE_BASE_URL', env.PETSTORE_BASE_URL || undefined],
  ],
  output: ({ json, output }, env) => [
    ['--json', json ? 'json' : undefined],
    ['--output', output],
    ['PETSTORE_OUTPUT', env.PETSTORE_OUTPUT || undefined],
  ],
  'max-wait': ({ maxWait }, env) => [
    ['--max-wait', maxWait],
    ['PETSTORE_MAX_WAIT', env.PETSTORE_MAX_WAIT || undefined],
  ],
  'limit-store': (_options, env) => [
    ['PETSTORE_LIMIT_STORE', env.PETSTORE_LIMIT_STORE || undefined],
  ],
};

const defaults: Partial<Record<Name, string>> = { output: 'table', 'max-wait': '2m' };

/** What decides on the settings of one run. */
export type Run = {
  readonly host: Host;
  readonly options: CommonOptions;
  readonly profile: Profile;
};

/** The setting in force: flag, then environment, then the profile in the settings file, then the default. */
export function chooseSetting(name: 'output' | 'max-wait', run: Run): Given;
export function chooseSetting(name: Name, run: Run): Given | undefined;
export function chooseSetting(name: Name, { host, options, profile }: Run): Given | undefined {
  return firstGiven([
    ...(outside[name]?.(options, host.context.env) ?? []),
    [profile.file ?? '', profile.settings[name]],
    ['default', defaults[name]],
  ]);
}

/** Where a setting was given, for a message. */
export function placeOf({ source }: Given, { profile }: Run): string {
  return source === profile.file ? `the settings of profile ${profile.name}` : source;
}
