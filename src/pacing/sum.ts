import { readSync } from 'node:fs';
import type { Ledger } from './ledger.ts';
import { isLedger, isRecord } from './validate.ts';

/**
 * What the lines in the first `upTo` bytes of a file add up to, as a line of that file. A process that has not read so far
 * takes it in place of these lines: each costs a cold process 25 µs, and a crowd reads the lines of all.
 */
export type Sum = { readonly upTo: number; readonly ledger: Ledger };

/** Lines of so many bytes are worth a sum. */
export const sumEvery = 2 * 1024;
/** Sums are at most this part of a file; with many requests in flight they are long. */
const most = 1 / 5;
/** The last one is looked for in so many bytes; other processes write meanwhile. */
const window = 32 * 1024;

const mark = '{"k":"sum",';

export function isSum(line: string): boolean {
  return line.startsWith(mark);
}

export function formatSum({ upTo, ledger }: Sum): string {
  return `\n${JSON.stringify({ k: 'sum', upTo, ledger })}\n`;
}

/** The length of a file at which the next one is due, after one of `sumLength` that ends at `length`. */
export function nextSum(length: number, sumLength: number): number {
  return length + Math.max(sumEvery, sumLength * (1 / most - 1));
}

/** The last one between two positions of a file, unless it is about what comes before them. @throws the system's error */
export function readLastSum(file: number, from: number, to: number): Sum | undefined {
  const start = Math.max(from, to - window);
  const bytes = Buffer.alloc(to - start);
  const text = bytes.toString('latin1', 0, readSync(file, bytes, 0, bytes.length, start));
  const begin = text.lastIndexOf(`\n${mark}`) + 1;
  const end = text.indexOf('\n', begin);
  if (begin === 0 || end === -1) return undefined;
  const sum = parseSum(bytes.toString('utf8', begin, end));
  return sum && sum.upTo > from && sum.upTo <= start + begin ? sum : undefined;
}

function parseSum(line: string): Sum | undefined {
  let sum: unknown;
  try {
    sum = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (!isRecord(sum) || !Number.isSafeInteger(sum.upTo) || !isLedger(sum.ledger)) return undefined;
  return sum as Sum;
}
