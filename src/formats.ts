/** How results can be printed. */
export const formats = ['table', 'json', 'ndjson', 'csv', 'tsv', 'yaml', 'raw'] as const;
export type Format = (typeof formats)[number];

export function isFormat(text: string): text is Format {
  return (formats as readonly string[]).includes(text);
}

/** Whether what is said on stderr is JSON too, one object a line; with all other formats it is text. */
export function speaksJson(format: Format): boolean {
  return format === 'json' || format === 'ndjson';
}
