import { describe, expect, test } from 'vitest';
import type { Turn } from '../../../src/api/exchange.ts';
import type { Job } from '../../../src/import/job.ts';
import { emptyState } from '../../../src/import/journal-state.ts';
import { sendRows } from '../../../src/import/send.ts';

describe('rows that are sent at the same time', () => {
  test('cause no warning of Node when all sixteen wait on one signal', async () => {
    const warnings: Error[] = [];
    const hear = (warning: Error) => warnings.push(warning);
    process.on('warning', hear);
    const client = {
      async call(_endpoint: unknown, _input: unknown, { signal }: Turn) {
        signal?.addEventListener('abort', () => {});
        await new Promise(setImmediate);
        return { id: { text: '1' }, name: 'pet' };
      },
    };
    const job = {
      context: { signal: new AbortController().signal, uptime: () => 0 },
      client,
      journal: { add() {}, state: emptyState() },
      rows: Array.from({ length: 16 }, (_, row) => ({ line: row, name: 'pet' })),
      mode: 'each',
      width: 16,
      report() {},
      onSettled() {},
    } as unknown as Job;

    await sendRows(
      job,
      [...job.rows.keys()],
      { unknowns: 0, mayLookAgain: true, changesNames: false },
      new Set(),
    );

    await new Promise(setImmediate);
    process.removeListener('warning', hear);
    expect(warnings.map(({ name }) => name)).toEqual([]);
  });
});
