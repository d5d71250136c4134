import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type AppendFile, openAppendFile } from '../../../src/disk/append-file.ts';
import { openJournal, replay } from '../../../src/import/journal.ts';
import { emptyState, fold, type JournalState } from '../../../src/import/journal-state.ts';
import { type Entry, formatEntry, type Header, parseEntry } from '../../../src/import/records.ts';
import { networkError } from '../../support/petstore.ts';
import { isPrivate } from '../../support/posix.ts';

const header: Header = {
  k: 'h',
  v: 1,
  at: 1,
  address: 'https://pets.example/v1',
  sha256: 'ab',
  rows: 9,
  path: '/tmp/Größe.csv',
  mode: 'ensure',
  salt: '00',
  fingerprint: '11',
};

const index = fc.nat({ max: 20 });
const id = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String);
const entry: fc.Arbitrary<Entry> = fc.oneof(
  fc.record({ k: fc.constant('b' as const), ids: fc.array(id, { maxLength: 3 }) }),
  fc.record({ k: fc.constant('i' as const), row: index, at: fc.nat() }),
  fc.record({ k: fc.constant('u' as const), row: index, at: fc.nat() }),
  fc.record({
    k: fc.constant('d' as const),
    row: index,
    id,
    via: fc.constantFrom('201' as const, 'list' as const),
    as: fc.string({ unit: 'binary' }),
  }),
  fc.record({ k: fc.constant('n' as const), row: index }),
  fc.record({
    k: fc.constant('r' as const),
    row: index,
    status: fc.nat(),
    message: fc.string({ unit: 'binary' }),
  }),
  fc.record({ k: fc.constant('e' as const), at: fc.nat() }),
);

function stateOf(entries: readonly Entry[]): JournalState {
  const state = emptyState();
  for (const entry of entries) fold(state, entry);
  return state;
}

describe('a line of the journal', () => {
  test('comes back as it was written', () => {
    fc.assert(
      fc.property(entry, (entry) => {
        const line = formatEntry(entry);
        expect(line.indexOf('\n')).toBe(line.length - 1);
        expect(parseEntry(line.trimEnd())).toEqual(entry);
      }),
    );
  });

  test('is not read when any one of its bytes is another', () => {
    const line = Buffer.from(formatEntry({ k: 'd', row: 7, id: '9007199254740993', via: '201' }));
    for (let at = 0; at < line.length - 1; at += 1) {
      const damaged = Buffer.from(line);
      damaged.writeUInt8((line.readUInt8(at) + 1) % 256, at);
      expect(parseEntry(damaged.toString().trimEnd())).toBeUndefined();
    }
  });
});

describe('a journal that is opened again', () => {
  test('is damaged where it is longer than any journal, and is left as it is', () => {
    const cuts: number[] = [];
    const file: AppendFile = {
      read: (most) => new Uint8Array(most),
      cut: (length) => void cuts.push(length),
      append: async () => {},
      close: () => {},
    };

    const says = 'the journal of this import is damaged: larger than 512 MiB (x)';
    expect(() => openJournal(() => file, 'x')).toThrow(says);
    expect(cuts).toEqual([]);
  });

  test('tells all whole lines, wherever it was cut', () => {
    fc.assert(
      fc.property(
        fc.array(entry, { maxLength: 6 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (entries, part) => {
          const lines = [header, ...entries].map(formatEntry);
          const bytes = Buffer.from(lines.join(''));
          const cut = Math.floor(part * bytes.length);
          const whole = lines.filter(
            (_, n) => Buffer.byteLength(lines.slice(0, n + 1).join('')) <= cut,
          );

          const { state, length } = replay(bytes.subarray(0, cut), 'x');

          expect(state).toEqual(stateOf([header, ...entries].slice(0, whole.length)));
          expect(length).toBe(Buffer.byteLength(whole.join('')));
        },
      ),
    );
  });

  test('passes over a damaged line, and believes the others', () => {
    const text = `${formatEntry(header)}0000 garbage\0\n${formatEntry({ k: 'd', row: 3, id: '8', via: '201' })}half a li`;

    const { state, length } = replay(Buffer.from(text), 'x');

    expect([...state.done.keys()]).toEqual([3]);
    expect(length).toBe(Buffer.byteLength(text) - 'half a li'.length);
  });

  const each: Header = { ...header, mode: 'each' };
  const line = formatEntry({ k: 'n', row: 3 });
  /** A line with a right checksum that this version does not know. */
  const foreign = (entry: object) => formatEntry(entry as Entry);
  test.for([
    { what: 'it has lines and no first one', text: line, says: 'is damaged (a.journal)' },
    {
      what: 'a line is damaged and every row counts',
      text: `${formatEntry(each)}0000 garbage\n${line}`,
      says: 'is damaged (a.journal)',
    },
    {
      what: 'its first line is of a newer version',
      text: foreign({ ...header, v: 2 }),
      says: 'was written by a newer version of petstore (a.journal)',
    },
    {
      what: 'it has a line of a newer version',
      text: `${formatEntry(header)}${foreign({ k: 'x', row: 1 })}`,
      says: 'was written by a newer version of petstore (a.journal)',
    },
  ])('is refused when $what', ({ text, says }) => {
    expect(() => replay(Buffer.from(text), 'a.journal')).toThrow(says);
  });

  test('has its torn end cut off on the disk, so that the next line stands alone', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'petstore-journal-'));
    const path = join(folder, 'imports', 'a.journal');
    const first = openJournal(openAppendFile, path);
    first.add(header);
    await first.commit();
    first.close();
    writeFileSync(path, `${readFileSync(path)}0123`);

    const second = openJournal(openAppendFile, path);
    second.add({ k: 'n', row: 1 });
    await second.commit();
    second.close();

    expect(readFileSync(path, 'utf8')).toBe(formatEntry(header) + formatEntry({ k: 'n', row: 1 }));
    expect(isPrivate(path)).toBe(true);
    rmSync(folder, { recursive: true });
  });
});

describe('a commit', () => {
  function memoryFile(append: (bytes: Uint8Array) => Promise<void>): () => AppendFile {
    return () => ({ read: () => new Uint8Array(), cut: () => {}, append, close: () => {} });
  }

  test('is over when the line is on the disk, and those that wait share one', async () => {
    const writes: { text: string; finish: () => void }[] = [];
    const open = memoryFile(
      (bytes) =>
        new Promise((finish) => writes.push({ text: Buffer.from(bytes).toString(), finish })),
    );
    const journal = openJournal(open, 'x');
    const over: number[] = [];
    const commit = (row: number) => {
      journal.add({ k: 'n', row });
      return journal.commit().then(() => over.push(row));
    };

    const all = [1, 2, 3].map(commit);
    await turn();
    all.push(commit(4), commit(5));
    await turn();
    expect(over).toEqual([]);
    expect(writes).toHaveLength(1);

    writes[0]?.finish();
    await turn();
    expect(over).toEqual([1, 2, 3]);
    expect(writes.map(({ text }) => text.trim().split('\n').length)).toEqual([3, 2]);

    writes[1]?.finish();
    await Promise.all(all);
    expect(over).toEqual([1, 2, 3, 4, 5]);
  });

  test('fails when the disk is full, and nothing is written after half a line', async () => {
    let writes = 0;
    const open = memoryFile(async () => {
      writes += 1;
      throw networkError('ENOSPC');
    });
    const journal = openJournal(open, 'a.journal');
    journal.add({ k: 'n', row: 1 });

    await expect(journal.commit()).rejects.toMatchObject({ kind: 'output', exitCode: 74 });
    journal.add({ k: 'n', row: 2 });
    await expect(journal.commit()).rejects.toThrow('cannot save a.journal (ENOSPC)');
    expect(writes).toBe(1);
  });

  function turn(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
  }
});
