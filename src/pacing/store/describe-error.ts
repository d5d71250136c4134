import { systemCode } from '../../errors.ts';
import { LostLog } from './log.ts';
import { StoreTimeout } from './timeout.ts';

/** What a server says, by the word that it begins with. */
const answers: readonly (readonly [RegExp, string])[] = [
  [
    /^(?:WRONGPASS|NOAUTH)|^ERR.*(?:AUTH|unauthenticated)/,
    'does not take the user or the password',
  ],
  [/^ERR DB index/, 'has no database of that number'],
  [
    /^NOPERM|^ERR (?:ACL failure|The user executing the script can't)/,
    'does not let this user do what is needed',
  ],
  [/^OOM/, 'is full'],
  [/^(?:READONLY|MISCONF|NOREPLICAS)/, 'takes no changes now'],
  [/^(?:LOADING|BUSY|MASTERDOWN|CLUSTERDOWN)/, 'is not ready yet'],
  [/^(?:MOVED|ASK|CROSSSLOT) /, 'is one node of a cluster, and another one has the key'],
];

/** What is wrong with a store, in words that follow its name. */
export function describeStoreError(error: unknown): string {
  if (error instanceof StoreTimeout) return 'does not answer in time';
  if (error instanceof LostLog) return 'lost the log (evicted, flushed or restarted)';
  const code = systemCode(error);
  if (code !== undefined && /CERT|SIGNATURE|ISSUER/.test(code)) {
    return `has a certificate that is not accepted (${code})`;
  }
  if (code !== undefined) return `does not answer (${code})`;
  const text = error instanceof Error ? error.message : '';
  const [, words] = answers.find(([pattern]) => pattern.test(text)) ?? [];
  return words ?? 'does not work as a limit store';
}
