import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nameLimit } from '../../../src/limit/open.ts';
import type { Seen } from '../../../src/store/cell.ts';
import { fileCell } from '../../../src/store/file-cell.ts';
import { startTime } from '../../support/clock.ts';
import { expect, test, testKey } from '../../support/petstore.ts';
import { stateFiles } from '../../support/state-files.ts';
import { listNow } from '../../support/told.ts';

/** The value of a limit as petstore wrote it, with a wait that ends so many seconds after the start of the test. */
const recorded = (until: number) => ({
  state: {
    ...{ minute: { limit: 60, remaining: 9, expected: 9, endsAt: 1e12 }, permits: {}, refusals: 1 },
    block: { reason: '429', since: 1e12, until: 1e12 + until * 1_000 },
  },
  stamp: { at: 1e12, wall: startTime, uptime: 0, boot: 'before' },
});

test.for([
  [
    'has a wait until the year 9999',
    (folder: string, name: string) => putValue(folder, name, recorded(2.5e11)),
  ],
  ['is cut off', (folder: string) => writeFileSync(stateFiles(folder).at(-1)?.path ?? '', '')],
] as const)(
  'if the newest value %s, that is said, and the one before it counts',
  async ([, damage], { petstore, sandbox, folder }) => {
    const name = nameLimit('http://127.0.0.1:4010/v1', testKey);
    putValue(folder, name, recorded(900));
    putValue(folder, name, recorded(901));
    damage(folder, name);

    const { exitCode, events } = await petstore(listNow);

    expect(exitCode).toBe(75);
    expect(events()).toMatchObject([
      { message: expect.stringContaining('is damaged; the one before it counts') },
      { kind: 'rate_limited', outcome: 'not_sent' },
    ]);
    expect(sandbox.requests).toHaveLength(0);
  },
);

const day = 86_400_000;
test.for([
  ['for 31 days', 31, 'before', 0, false],
  ['for 29 days', 29, 'before', 0, true],
  ['for 31 days, in a wait', 31, 'before', 31 * 86_400 + 9, true],
  ['for no time, but the clock was set forward', 31, 'this-one', 0, true],
] as const)(
  'when a limit is made, another that was not used %s stays only if it may be needed',
  async ([, days, boot, waitSeconds, isKept], { petstore, folder }) => {
    const { state, stamp } = recorded(waitSeconds);
    putValue(folder, 'other', { state, stamp: { ...stamp, wall: startTime - days * day, boot } });

    await petstore(listNow);

    const names = readdirSync(join(folder, 'state', 'limits'));
    expect(names.includes('other')).toBe(isKept);
  },
);

function putValue(folder: string, name: string, value: object): void {
  const limits = join(folder, 'state', 'limits');
  const cell = fileCell<object>(join(limits, name));
  while (!cell.replace(cell.read() as Seen<object>, value));
}
