import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nameLimit } from '../../../src/limit/open.ts';
import { fileCell } from '../../../src/store/file-cell.ts';
import { startTime } from '../../support/clock.ts';
import { expect, test, testKey } from '../../support/petstore.ts';
import { stateFiles } from '../../support/state-files.ts';
import { listNow } from '../../support/told.ts';

const own = nameLimit('http://127.0.0.1:4010/v1', testKey);

test.for<[how: string, damage: (folder: string) => void]>([
  ['has a wait until the year 9999', (folder) => putValue(folder, own, { until: 2.5e11 })],
  ['is cut off', (folder) => writeFileSync(stateFiles(folder).at(-1)?.path ?? '', '')],
])(
  'if the newest value %s, that is said, and the one before it counts',
  async ([, damage], { petstore, sandbox, folder }) => {
    putValue(folder, own, { until: 900 });
    putValue(folder, own, { until: 901 });
    damage(folder);

    const { exitCode, events } = await petstore(listNow);

    expect(exitCode).toBe(75);
    expect(events()).toMatchObject([
      { message: expect.stringContaining('is damaged; the one before it counts') },
      { kind: 'rate_limited', outcome: 'not_sent' },
    ]);
    expect(sandbox.requests).toHaveLength(0);
  },
);

/** Puts a value in place, as petstore writes it, with a wait that ends so many seconds after its moment. */
function putValue(folder: string, name: string, { until = 0 }: { until?: number }): void {
  const minute = { limit: 60, remaining: 9, expected: 9, endsAt: 1e12 };
  const block = { reason: '429', since: 1e12, until: 1e12 + until * 1_000 };
  const stamp = { at: 1e12, wall: startTime, uptime: 0, boot: 'before' };
  const cell = fileCell<object>(join(folder, 'state', 'limits', name));
  const value = { state: { minute, permits: {}, refusals: 1, block }, stamp };
  while (!cell.replace(cell.read(), value));
}
