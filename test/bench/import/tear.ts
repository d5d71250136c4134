import { randomFillSync } from 'node:crypto';
import { appendFileSync, existsSync, readdirSync, readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { below, pick, type Random } from '../../support/random.ts';

/**
 * What a power cut may do to the journals of a folder: some of what was not synced is gone, and something else stands in its
 * place. `synced` holds, for each journal, the length that was; see recorder.ts.
 * @throws Error when something is gone that was synced
 */
export function tearJournals(folder: string, synced: string, random: Random): void {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  for (const name of names.filter((name) => name.endsWith('.journal'))) {
    tear(join(folder, name), readLength(join(synced, name)), random);
  }
}

function readLength(path: string): number {
  return existsSync(path) ? Number(readFileSync(path, 'utf8').split('\n').at(-2)) : 0;
}

function tear(path: string, synced: number, random: Random): void {
  const bytes = readFileSync(path);
  if (bytes.length < synced) throw new Error(`${bytes.length} of ${synced} synced bytes are left`);
  const length = synced + below(bytes.length - synced + 1, random);
  truncateSync(path, length);
  appendFileSync(path, pick(garbage, random)(bytes, random));
}

type Garbage = (journal: Buffer, random: Random) => Uint8Array;

const garbage: readonly [Garbage, ...Garbage[]] = [
  () => new Uint8Array(),
  (_journal, random) => randomFillSync(Buffer.alloc(1 + below(300, random))),
  (_journal, random) => Buffer.alloc(1 + below(5_000, random)),
  halfLine,
];

/** The beginning of a line that stands, or stood, in the journal. */
function halfLine(journal: Buffer, random: Random): Uint8Array {
  const start = journal.lastIndexOf('\n', below(journal.length, random)) + 1;
  const end = journal.indexOf('\n', start);
  const length = (end < 0 ? journal.length : end) - start;
  return journal.subarray(start, start + below(length, random));
}
