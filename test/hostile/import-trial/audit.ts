import type { Row } from './rows.ts';

export type Audit = {
  readonly lost: number;
  readonly duplicated: number;
  /** What nobody asked for in any number. */
  readonly strange: number;
};

/** Compares what the service has now and had before with the names of a file. */
export function audit(file: readonly Row[], before: readonly Row[], now: readonly Row[]): Audit {
  const had = countNames(before);
  const has = countNames(now);
  const asked = new Set(file.map(({ name }) => name));
  let lost = 0;
  let duplicated = 0;
  for (const name of asked) {
    const surplus = (has.get(name) ?? 0) - (had.get(name) ?? 1);
    if (surplus > 0) duplicated += surplus;
    else lost -= surplus;
  }
  const strange = now.filter(({ name }) => !asked.has(name) && !had.has(name)).length;
  return { lost, duplicated, strange };
}

/** How many creates a file asks for. */
export function createsOf(file: readonly Row[], before: readonly Row[]): number {
  return audit(file, before, before).lost;
}

function countNames(rows: readonly Row[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { name } of rows) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}
