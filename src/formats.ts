/** How results can be printed. */
export const formats = ['table', 'json', 'ndjson'] as const;
export type Format = (typeof formats)[number];

export function isFormat(text: string): text is Format {
  return (formats as readonly string[]).includes(text);
}
