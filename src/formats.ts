export const formats = ['table', 'json', 'ndjson', 'csv', 'tsv', 'yaml', 'raw'] as const;
export type Format = (typeof formats)[number];

export function isFormat(text: string): text is Format {
  return (formats as readonly string[]).includes(text);
}

export function hasJsonEvents(format: Format): boolean {
  return format === 'json' || format === 'ndjson';
}
