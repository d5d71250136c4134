import { configFailure } from '../errors.ts';
import { parseBaseUrl } from '../settings/base-url.ts';
import { labelOf, profileFlag } from './profile.ts';
import { chooseSetting, placeOf, type Run } from './setting.ts';

/** The service's address. @throws Failure (config) when none is set */
export function chooseBaseUrl(run: Run): URL {
  const baseUrl = findBaseUrl(run);
  if (baseUrl) return baseUrl;
  throw configFailure(
    `no base URL is set for ${labelOf(run.profile)}`,
    `petstore config set base-url https://HOST/v1${profileFlag(run.profile)} (to just try petstore: --profile sandbox)`,
  );
}

/** The same, undefined when none is set. @throws Failure (config) when it is no address */
export function findBaseUrl(run: Run): URL | undefined {
  const given = chooseSetting('base-url', run);
  return given && parseBaseUrl(given.value, placeOf(given, run));
}

/** A profile's own key travels to its `origin` and nowhere else; `move` is the command that moves it. @throws Failure (config) */
export function checkOrigin(run: Run, origin: string, move: string): void {
  const asked = findBaseUrl(run)?.origin;
  if (asked === undefined || asked === origin) return;
  throw configFailure(
    `the key of ${labelOf(run.profile)} belongs to ${origin}, not to ${asked}`,
    `If that is the service now: ${move}. If not: mind --base-url and PETSTORE_BASE_URL.`,
  );
}
