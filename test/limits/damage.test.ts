import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { startTime } from '../support/clock.ts';
import { expect, reply, test } from '../support/petstore.ts';
import { stateFiles } from '../support/state-files.ts';
import { expectTold, list, listNow, never, respondAfter } from '../support/told.ts';
import { putValue } from '../support/values.ts';

const refusal = (seconds: number) => reply(429, {}, { 'retry-after': String(seconds) });

const block = { reason: '429', since: 1e12, until: 2.5e14 };
const stamp = { at: 1e12, wall: startTime, uptime: 0, boot: 'before' };
const farWait = { state: { permits: {}, refusals: 1, block }, stamp };

type Files = { newest: string; limits: string; all: readonly string[] };
const write = (path: string, text = '') => writeFileSync(path, text);

test.for<[what: string, damage: (files: Files) => unknown, exitCode: number]>([
  ['the newest is huge', ({ newest }) => write(newest, ' '.repeat(3e6)), 0],
  ['the newest has a wait until the year 9999', ({ limits }) => putValue(limits, farWait), 75],
  ['the newest is a folder', ({ newest }) => [rmSync(newest), mkdirSync(newest)], 74],
  [
    'the newest is a link',
    ({ newest, all }) => [rmSync(newest), symlinkSync(`${all[0]}`, newest)],
    74,
  ],
  ['all are empty', ({ all }) => all.map((path) => write(path)), 0],
  ['all are gone', ({ all }) => all.map((path) => rmSync(path)), 0],
  ['the folder is gone', ({ limits }) => rmSync(limits, { recursive: true }), 0],
  ['one has a huge number', ({ limits }) => write(join(limits, '9'.repeat(20))), 75],
  ['one is of others', ({ limits }) => write(join(limits, 'notes')), 75],
])(
  'if of the files of a limit %s, commands go on unless it cannot be read',
  async ([what, damage, exitCode], { petstore, sandbox, folder }) => {
    sandbox.reactions.push(refusal(90));
    await petstore(listNow);
    const all = stateFiles(folder).map(({ path }) => path);
    const newest = all.at(-1) ?? '';
    damage({ newest, limits: dirname(newest), all });

    const context = { isRunning: () => false };
    const next = await petstore(listNow, { context });
    const last = await petstore(list, { context });

    expect([next.exitCode, last.exitCode]).toEqual([exitCode, exitCode === 74 ? 74 : 0]);
    const says = ' is damaged; the one before it counts';
    expect(next.stderr.includes(says)).toBe(/huge$|empty|9999/.test(what));
  },
);

test.for<[what: string, removedAfter: number, endsAfter: number]>([
  ['do not shorten a wait that it knows', 20_000, 60],
  ['do not make it wait for a request that has ended', 5_100, 5],
])(
  'files of a limit that are removed while a process waits %s',
  async ([, removedAfter, endsAfter], { petstore, sandbox, folder, clock }) => {
    const answer = endsAfter === 60 ? refusal(60) : respondAfter(clock, 5_000);
    sandbox.reactions.push(answer);
    const first = petstore(listNow);
    if (endsAfter === 60) await first;

    const second = petstore(list, { context: { isRunning: () => true } });
    await clock.sleep(removedAfter, never);
    rmSync(join(folder, 'state', 'limits'), { recursive: true });

    expect((await second).exitCode).toBe(0);
    expectTold(clock.now() - startTime, endsAfter);
    await first;
  },
);
