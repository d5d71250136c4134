export type ApiKey = {
  readonly value: string;
  readonly source: string;
  readonly renew?: string;
};

/** Returns the last four characters of a long key. Nothing of a short one may be shown. */
export function keyEnding(key: string): string | undefined {
  return key.length >= 16 ? key.slice(-4) : undefined;
}

export function describeKey({ value, source }: ApiKey): string {
  const ending = keyEnding(value);
  return `The key comes from ${source}${ending ? ` and ends in ${ending}` : ''}.`;
}
