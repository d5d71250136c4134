import { configFailure, usageFailure } from '../errors.ts';
import { parseBaseUrl } from '../settings/base-url.ts';
import { type ProfileSettings, readSettings } from '../settings/file.ts';
import { configFolder } from '../settings/folders.ts';
import { checkProfileName } from '../settings/names.ts';
import type { Host } from './host.ts';
import type { CommonOptions } from './options.ts';

export const sandboxProfile = 'sandbox';

export type Profile = {
  readonly name: string;
  /** Named on this very command line. */
  readonly explicit: boolean;
  readonly settings: ProfileSettings;
};

/** The profile in force: flag, environment, settings, then production. @throws Failure */
export function chooseProfile({ context }: Host, options: CommonOptions): Profile {
  const folder = configFolder(context);
  const settings = folder === undefined ? {} : readSettings(folder);
  const name =
    options.profile ??
    (context.env.PETSTORE_PROFILE || settings['default-profile'] || 'production');
  checkProfileName(name);
  return {
    name,
    explicit: options.profile !== undefined,
    settings: Object.hasOwn(settings.profiles ?? {}, name) ? (settings.profiles?.[name] ?? {}) : {},
  };
}

/** The service's address: flag, environment, then the profile's own. @throws Failure (config) when none is set */
export function chooseBaseUrl({ context }: Host, options: CommonOptions, profile: Profile): URL {
  if (options.baseUrl !== undefined) return parseBaseUrl(options.baseUrl, '--base-url');
  const { PETSTORE_BASE_URL } = context.env;
  if (PETSTORE_BASE_URL) return parseBaseUrl(PETSTORE_BASE_URL, 'PETSTORE_BASE_URL');
  const own = profile.settings['base-url'];
  if (own !== undefined) return parseBaseUrl(own, `the settings of profile ${profile.name}`);
  const forProfile = profile.name === 'production' ? '' : ` --profile ${profile.name}`;
  throw configFailure(
    `no base URL is set for profile ${profile.name}`,
    `petstore config set base-url https://HOST/v1${forProfile} (to just try petstore: --profile sandbox)`,
  );
}

/** The sandbox has an address and a key of its own; others on the command line are a mistake. @throws Failure (usage) */
export function refuseForSandbox(options: CommonOptions): void {
  const other =
    options.baseUrl !== undefined ? '--base-url' : options.apiKeyFile && '--api-key-file';
  if (other) {
    throw usageFailure(
      `${other} does not go with the sandbox profile`,
      `Leave out one of the two.`,
    );
  }
}
