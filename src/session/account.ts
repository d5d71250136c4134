import { createHmac } from 'node:crypto';
import type { ApiKey } from '../api/outcome.ts';
import { notice } from '../events.ts';
import { noticeOfShortKey } from '../text/secret.ts';
import { chooseBaseUrl } from './address.ts';
import { type FoundKey, noKey } from './key.ts';
import { sandboxProfile } from './profile.ts';
import type { Setup } from './setting.ts';

/** Where requests go, and the key that they go with. */
export type Service = { readonly baseUrl: URL; readonly key: ApiKey };

/** Where requests go and on whose account, for what must be told apart later. */
export type Account = {
  /** The same for one service, however its address is written. */
  readonly address: string;
  /** Tells one key from another and gives none away: a keyed hash in hexadecimal digits. */
  readonly fingerprint: (salt: string) => string;
};

/** A service and a key as logs and journals are named by. */
export type Identity = { readonly address: string; readonly secret: string };

/** No sandbox has to run to know of it: its address and key are new each time. */
export const sandboxIdentity: Identity = { address: sandboxProfile, secret: sandboxProfile };

/** The service of a profile that is not the sandbox. @throws Failure when no address or key is set, or no program prints one */
export async function chooseService(
  setup: Setup,
  findKey: () => Promise<FoundKey | undefined>,
): Promise<Service> {
  const baseUrl = chooseBaseUrl(setup);
  const found = await findKey();
  if (!found) throw noKey(setup.profile);
  const key = 'print' in found ? await found.print() : found;
  const short = noticeOfShortKey(key.value);
  if (short) notice(setup.report, short);
  return { baseUrl, key };
}

export function identityOf({ baseUrl, key }: Service): Identity {
  return { address: baseUrl.href.replace(/(?<!\/)\/+$/, ''), secret: key.value };
}

export function accountOf({ address, secret }: Identity): Account {
  const fingerprint = (salt: string) => createHmac('sha256', salt).update(secret).digest('hex');
  return { address, fingerprint };
}
