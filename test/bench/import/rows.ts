import { writeFileSync } from 'node:fs';
import { below, type Random, shuffle } from '../../support/random.ts';

export type Row = { readonly name: string; readonly description?: string };
export type Mode = 'ensure' | 'each';

/** What is there before the import; the descriptions hold what CSV and JSON have to quote. */
export const existing: readonly Row[] = Array.from({ length: 20 }, (_, n) => ({
  name: `existing ${n}`,
  ...(n % 2 === 0 && { description: `a "quoted", long\n${n}. description` }),
}));

/** That many rows; one in five is equal to others, and to one that exists. */
function rowsForEach(count: number, random: Random): Row[] {
  const repeated = Math.floor(count / 5);
  const equal = existing.flatMap((row, n) => times(row, share(repeated, existing.length, n)));
  return shuffle([...distinct(count - repeated, random), ...equal], random);
}

/** That many distinct names, some of them more than once, and those that exist. */
function rowsForEnsure(count: number, random: Random): Row[] {
  const names = distinct(count, random);
  const repeated = names.filter((_, n) => n % 20 === 0);
  return shuffle([...names, ...repeated, ...existing], random);
}

export const makeRows = { each: rowsForEach, ensure: rowsForEnsure } as const;

/** One in a hundred differs from another in its case alone. */
function distinct(count: number, random: Random): Row[] {
  return Array.from({ length: count }, (_, n) => {
    const name = n % 100 === 1 ? `Category ${n - 1}` : `category ${n}`;
    return below(3, random) === 0 ? { name } : { name, description: `number ${n}, größer "als"` };
  });
}

function times(row: Row, count: number): Row[] {
  return Array.from({ length: count }, () => row);
}

/** The part of `total` that falls to one of `parts`. */
function share(total: number, parts: number, part: number): number {
  return Math.floor(total / parts) + (part < total % parts ? 1 : 0);
}

const formats = {
  csv: (rows: readonly Row[]) =>
    ['name,description', ...rows.map(({ name, description = '' }) => line(name, description))].join(
      '\n',
    ),
  ndjson: (rows: readonly Row[]) => rows.map((row) => JSON.stringify(row)).join('\n'),
};

export type Format = keyof typeof formats;

export function writeRows(path: string, rows: readonly Row[], format: Format): void {
  writeFileSync(path, `${formats[format](rows)}\n`);
}

function line(...fields: readonly string[]): string {
  return fields.map((field) => `"${field.replaceAll('"', '""')}"`).join(',');
}
