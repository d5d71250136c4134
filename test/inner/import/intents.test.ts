import { readFileSync } from 'node:fs';
import { describe } from 'vitest';
import { createIntents } from '../../../src/import/intents.ts';
import type { Job } from '../../../src/import/job.ts';
import { replay } from '../../../src/import/journal.ts';
import { emptyState, fold } from '../../../src/import/journal-state.ts';
import type { Entry } from '../../../src/import/records.ts';
import { apply, journals, put } from '../../support/import-cases.ts';
import { expect, test } from '../../support/petstore.ts';

/** A journal in memory: what its lines come to, and how often they were committed. */
function memoryJournal() {
  const state = emptyState();
  const count = { commits: 0 };
  const journal = {
    state,
    add: (entry: Entry) => fold(state, entry),
    commit: async () => {
      count.commits += 1;
    },
  };
  const context = { now: () => 1, turn: async () => {} };
  return { state, count, job: { journal, context } as unknown as Job };
}

const rows = (count: number) => Array.from({ length: count }, (_, row) => row);

describe('the intents of an import', () => {
  test('are on disk before their rows are sent, and no row that waits for the limit has one', async ({
    petstore,
    sandbox,
    folder,
    clock,
    forward,
  }) => {
    const names = rows(300).map((row) => `pet ${row}`);
    const file = put(folder, ['name', ...names].join('\n'));
    const second = 1_000;
    sandbox.plan = { ...sandbox.plan, minute: { limit: 130, length: 60_000 } };
    const openAt: number[] = [];
    let last = clock.now();

    const result = await petstore(['categories', 'import', file, ...apply], {
      context: {
        send(request) {
          if (request.method === 'POST') {
            const [path = ''] = journals(folder);
            const { open } = replay(readFileSync(path), path).state;
            const { name } = JSON.parse(String(request.body));
            expect(open).toContain(names.indexOf(name));
            if (clock.now() - last > second) openAt.push(open.size);
            last = clock.now();
          }
          return forward(request);
        },
      },
    });

    expect(result.exitCode).toBe(0);
    expect(sandbox.categories).toHaveLength(300);
    // After each wait one request finds out what the new minute is like.
    expect(openAt).toEqual([1, 1]);
  });

  test('are written ahead as far as the limit is known to go, many with one commit', async () => {
    const { state, count, job } = memoryJournal();
    const intents = createIntents(job, rows(1_000), () => true);
    const sent = async (left: number) => {
      const row = intents.take() ?? -1;
      await intents.write(row);
      expect(state.open).toContain(row);
      job.journal.add({ k: 'd', row, id: `${row}`, via: '201' });
      intents.allow(left);
    };

    await sent(3);
    expect(state.open.size).toBe(0);
    await sent(3);
    expect([...state.open]).toEqual([2, 3, 4]);
    for (let row = 2; row < 1_000; row += 1) await sent(5_000);
    expect(state.done.size).toBe(1_000);
    expect(state.open.size).toBe(0);
    expect(count.commits).toBeLessThan(40);
  });

  test('are taken back where their rows are not sent', async () => {
    const { state, job } = memoryJournal();
    const never = new Set([3]);
    const intents = createIntents(job, rows(9), (row) => !never.has(row));
    intents.allow(100);
    await intents.write(intents.take() ?? -1);
    expect([...state.open]).toEqual([0, 1, 2, 4, 5, 6, 7, 8]);

    intents.drop(intents.take() ?? -1);
    expect(state.open.has(1)).toBe(false);
    intents.withdraw();
    expect([...state.open]).toEqual([0]);

    await intents.write(intents.take() ?? -1);
    expect([...state.open]).toEqual([0, 2]);
  });

  test('fail where their commit did, for each row that has one', async () => {
    const { job } = memoryJournal();
    const full = new Error('the disk is full');
    const failing = { ...job, journal: { ...job.journal, commit: () => Promise.reject(full) } };
    const intents = createIntents(failing, rows(9), () => true);
    intents.allow(100);

    for (let n = 0; n < 9; n += 1) {
      await expect(intents.write(intents.take() ?? -1)).rejects.toBe(full);
    }
  });
});
