import { systemCode } from '../../errors.ts';
import { LostLog } from './log.ts';
import { StoreTimeout } from './timeout.ts';

/** What a server says, by the word that it begins with. */
const answers: readonly (readonly [RegExp, string])[] = [
  [/^(?:WRONGPASS|NOAUTH)|^ERR.*(?:AUTH|unauthenticated)/, 'rejected the user name or password'],
  [/^ERR DB index/, 'has no database with this number'],
  [
    /^NOPERM|^ERR (?:ACL failure|The user executing the script can't)/,
    'denies this user a required command',
  ],
  [/^OOM/, 'is out of memory'],
  [/^(?:READONLY|MISCONF|NOREPLICAS)/, 'is read-only at the moment'],
  [/^(?:LOADING|BUSY|MASTERDOWN|CLUSTERDOWN)/, 'is not ready yet'],
  [/^(?:MOVED|ASK|CROSSSLOT) /, 'is a cluster node, but another node holds the key'],
];

/** What is wrong with a store, in words that follow its name. */
export function describeStoreError(error: unknown): string {
  if (error instanceof StoreTimeout) return 'timed out';
  if (error instanceof LostLog) return 'lost the log (evicted, flushed or restarted)';
  const code = systemCode(error);
  if (code !== undefined && /CERT|SIGNATURE|ISSUER/.test(code)) {
    return `has a certificate that cannot be verified (${code})`;
  }
  if (code !== undefined) return `is unreachable (${code})`;
  const text = error instanceof Error ? error.message : '';
  const [, words] = answers.find(([pattern]) => pattern.test(text)) ?? [];
  return words ?? 'cannot be used as a limit store';
}
