/** How results can be printed. Several rooms share this list. */
export const formats = ['table', 'json', 'ndjson', 'csv', 'tsv', 'yaml', 'raw'] as const;
export type Format = (typeof formats)[number];

export function isFormat(text: string): text is Format {
  return (formats as readonly string[]).includes(text);
}

/** Returns whether stderr is JSON as well, one object per line. */
export function hasJsonEvents(format: Format): boolean {
  return format === 'json' || format === 'ndjson';
}
