/** How results can be printed. */
export const formats = ['table', 'json', 'ndjson', 'csv', 'tsv', 'yaml', 'raw'] as const;
export type Format = (typeof formats)[number];

/** Those of files: an export writes them, and an import reads them. */
export const fileFormats = ['csv', 'tsv', 'json', 'ndjson', 'yaml'] as const;
export type FileFormat = (typeof fileFormats)[number];

/** What a file is by its extension, in whatever case; undefined where that says nothing. */
export function formatOfFile(file: string): FileFormat | undefined {
  const [, extension = ''] = /\.([^./\\]+)$/.exec(file.toLowerCase()) ?? [];
  const others: Readonly<Record<string, FileFormat>> = { jsonl: 'ndjson', yml: 'yaml' };
  return fileFormats.find((format) => format === extension) ?? others[extension];
}

export function isFormat(text: string): text is Format {
  return (formats as readonly string[]).includes(text);
}

/** Whether what is said on stderr is JSON too, one object a line; with all other formats it is text. */
export function speaksJson(format: Format): boolean {
  return format === 'json' || format === 'ndjson';
}
