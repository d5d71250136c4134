export const formats = ['table', 'json', 'ndjson', 'csv', 'tsv', 'yaml', 'raw'] as const;
export type Format = (typeof formats)[number];
/** A new name in `formats` is a format of values until it is listed here; the printer has a writer for each. */
export type TabularFormat = 'table' | 'csv' | 'tsv';
export type ValueFormat = Exclude<Format, TabularFormat>;

export function isTabular(format: Format): format is TabularFormat {
  return format === 'table' || format === 'csv' || format === 'tsv';
}

export function isFormat(text: string): text is Format {
  return (formats as readonly string[]).includes(text);
}

/** Returns true if events are JSON lines: people read a terminal, whatever the format of the result. */
export function hasJsonEvents(format: Format | undefined, stderr: { readonly isTTY: boolean }) {
  return !stderr.isTTY && (format === 'json' || format === 'ndjson');
}
