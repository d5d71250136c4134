/** What a format prints: rows below a header, JSON (events are then JSON lines), or other text. Its writer is in output/render.ts. */
const kinds = {
  table: 'rows',
  json: 'json',
  ndjson: 'json',
  csv: 'rows',
  tsv: 'rows',
  yaml: 'text',
  raw: 'text',
} as const;
export type Format = keyof typeof kinds;
export type TabularFormat = { [F in Format]: (typeof kinds)[F] extends 'rows' ? F : never }[Format];

export const formats = Object.keys(kinds) as readonly Format[];

export function isTabular(format: Format): format is TabularFormat {
  return kinds[format] === 'rows';
}

/** Returns true if events are JSON lines: people read a terminal, whatever the format of the result. */
export function hasJsonEvents(format: Format | undefined, stderr: { readonly isTTY: boolean }) {
  return !stderr.isTTY && format !== undefined && kinds[format] === 'json';
}
