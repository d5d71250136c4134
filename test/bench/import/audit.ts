import type { Mode, Row } from './rows.ts';

export type Audit = {
  readonly lost: number;
  readonly duplicated: number;
  /** What nobody asked for in any number. */
  readonly strange: number;
};

/** Compares what the service has now and had before with what a file asks for. */
export function audit(
  mode: Mode,
  file: readonly Row[],
  before: readonly Row[],
  now: readonly Row[],
): Audit {
  const key = mode === 'ensure' ? ({ name }: Row) => name : contentOf;
  const had = count(before, key);
  const has = count(now, key);
  const asked = count(file, key);
  let lost = 0;
  let duplicated = 0;
  for (const [content, times] of asked) {
    const already = had.get(content) ?? 0;
    const wanted = mode === 'ensure' ? Math.max(1, already) : already + times;
    const surplus = (has.get(content) ?? 0) - wanted;
    if (surplus > 0) duplicated += surplus;
    else lost -= surplus;
  }
  const strange = now.filter((row) => !asked.has(key(row)) && !had.has(key(row))).length;
  return { lost, duplicated, strange };
}

/** How many creates a file asks for. */
export function createsOf(mode: Mode, file: readonly Row[], before: readonly Row[]): number {
  return audit(mode, file, before, before).lost;
}

function contentOf({ name, description = '' }: Row): string {
  return JSON.stringify([name, description]);
}

function count(rows: readonly Row[], key: (row: Row) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const row of rows) counts.set(key(row), (counts.get(key(row)) ?? 0) + 1);
  return counts;
}
