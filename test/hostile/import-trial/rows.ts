import { writeFileSync } from 'node:fs';
import { below, type Random, shuffle } from '../../support/random.ts';

export type Row = { readonly name: string; readonly description?: string };

/** What is there before the import; the descriptions hold what CSV and JSON have to quote. */
export const existing: readonly Row[] = Array.from({ length: 20 }, (_, n) => ({
  name: `existing ${n}`,
  ...(n % 2 === 0 && { description: `a "quoted", long\n${n}. description` }),
}));

/** That many distinct names, some of them more than once, and those that exist. */
export function makeRows(count: number, random: Random): Row[] {
  const names = distinct(count, random);
  const repeated = names.filter((_, n) => n % 20 === 0);
  return shuffle([...names, ...repeated, ...existing], random);
}

/** That many names, none of which looks like another: an import would refuse it. */
function distinct(count: number, random: Random): Row[] {
  return Array.from({ length: count }, (_, n) => {
    const name = `category ${n}`;
    return below(3, random) === 0 ? { name } : { name, description: `number ${n}, größer "als"` };
  });
}

export function writeRows(path: string, rows: readonly Row[]): void {
  const lines = rows.map(({ name, description = '' }) => line(name, description));
  writeFileSync(path, `name,description\n${lines.join('\n')}\n`);
}

function line(...fields: readonly string[]): string {
  return fields.map((field) => `"${field.replaceAll('"', '""')}"`).join(',');
}
