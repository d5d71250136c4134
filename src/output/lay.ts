import type { Format } from '../formats.ts';
import type { Json } from '../json/exact.ts';
import type { Grid } from './grid.ts';
import type { Line, Sink } from './sink.ts';
import type { TableOptions } from './table.ts';

export type LayOptions = TableOptions & { readonly format: Format };

/** What lays out a format, loaded when it is needed; JSON is written by the sink. */
const parts = {
  yaml: () => import('./yaml.ts'),
  csv: () => import('./csv.ts'),
  tsv: () => import('./tsv.ts'),
  raw: () => import('./raw.ts'),
  table: () => import('./table.ts'),
};

/**
 * The lines of a result, or of so many elements of a list; YAML, NDJSON and raw lines of a list are those of its parts.
 * @param grid the same as rows and columns, for the formats that have such
 */
export async function lay(
  data: () => Json,
  grid: () => Grid,
  sink: Sink,
  options: LayOptions,
): Promise<readonly Line[]> {
  switch (options.format) {
    case 'json':
      return [sink.json(data(), 2)];
    case 'ndjson': {
      const value = data();
      const items = Array.isArray(value) ? value : [value];
      return items.length > 0 ? [sink.jsonLines(items)] : [];
    }
    case 'yaml':
      return (await parts.yaml()).yamlLines(data());
    case 'raw':
      return (await parts.raw()).rawLines(data(), sink);
    case 'csv':
      return (await parts.csv()).csvLines(grid(), sink, options.header);
    case 'tsv':
      return (await parts.tsv()).tsvLines(grid(), options.header);
    case 'table':
      return (await parts.table()).tableLines(grid(), sink, options);
  }
}

/** Loads what every result needs in this format. @throws Failure (output) */
export async function loadFormat(format: Format): Promise<void> {
  if (format in parts) await parts[format as keyof typeof parts]();
}

/** The same, and what only some results need. @throws Failure (output) */
export async function loadWhole(format: Format): Promise<void> {
  await loadFormat(format);
  if (format !== 'table') return;
  await Promise.all([import('./fit.ts'), import('./blocks.ts')]);
}
