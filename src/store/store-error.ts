import { systemCode } from '../errors.ts';

const replies: readonly (readonly [RegExp, string])[] = [
  [/^(?:WRONGPASS|NOAUTH)|^ERR.*(?:AUTH|unauthenticated)/, 'rejected the user name or password'],
  [/^ERR DB index/, 'has no database with this number'],
  [
    /^NOPERM|^ERR (?:ACL failure|The user executing the script can't)/,
    'denies this user a required command',
  ],
  [/^OOM/, 'is out of memory'],
  [/^(?:READONLY|MISCONF|NOREPLICAS)/, 'cannot be written to at the moment'],
  [/^(?:LOADING|BUSY|MASTERDOWN|CLUSTERDOWN)/, 'is not ready yet'],
  [/^(?:MOVED|ASK|CROSSSLOT) /, 'is a cluster node, but another node holds the key'],
  [/^Connection is closed/, 'closed the connection'],
];

/** Returns true if the server answers, and waiting would not help. */
export function isRefusal(error: unknown): boolean {
  return error instanceof Error && /^(?:WRONGPASS|NOAUTH|NOPERM|ERR) ?/.test(error.message);
}

export function describeStoreError(error: unknown): string {
  const code = systemCode(error);
  if (code === 'ETIMEDOUT') return 'timed out';
  if (code !== undefined && /CERT|SIGNATURE|ISSUER/.test(code)) {
    return `has a certificate that cannot be verified (${code})`;
  }
  if (code !== undefined) return `is unreachable (${code})`;
  const text = error instanceof Error ? error.message : '';
  const [, words] = replies.find(([pattern]) => pattern.test(text)) ?? [];
  return words ?? 'cannot be used as a shared store';
}
