import {
  chownSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { startTime } from '../support/clock.ts';
import { expect, reply, test } from '../support/petstore.ts';
import { stateFiles } from '../support/state-files.ts';
import { expectTold, list, listNow, never, respondAfter } from '../support/told.ts';
import { putValue } from '../support/values.ts';

const uid = process.getuid?.();

test.skipIf(uid === undefined).for(['state/limits', 'state'])(
  'no folder of another user is used, and nothing is sent: %s',
  async (name, { petstore, sandbox, folder }) => {
    const path = join(folder, name);
    mkdirSync(path, { recursive: true });
    // Here root has made it, or else whoever runs the tests.
    if (uid === 0) chownSync(path, 12, 12);

    const { exitCode, events } = await petstore(listNow, { context: { uid: 4711 } });

    expect(exitCode).toBe(74);
    expect(events().at(-1)).toMatchObject({
      message: expect.stringContaining('is owned by another user'),
      hint: expect.stringContaining('Set PETSTORE_STATE_DIR to a folder of your own'),
      outcome: 'not_sent',
    });
    expect(sandbox.requests).toHaveLength(0);
    expect(readdirSync(path)).toEqual([]);
  },
);

test.for<readonly [string, string, (limit: string) => void]>([
  ['a file', 'cannot read the rate limit (ENOTDIR)', (limit) => writeFileSync(limit, '')],
  ['a link to itself', 'cannot read the rate limit (ELOOP)', (limit) => symlinkSync(limit, limit)],
  ['a folder', ' is a directory', (limit) => mkdirSync(join(limit, '9'), { recursive: true })],
])(
  'nothing is sent if the limit cannot be read while a connection stands: %s in its place',
  async ([, says, put], { petstore, sandbox, folder }) => {
    await petstore(listNow);
    const limits = join(folder, 'state', 'limits');
    const limit = join(limits, readdirSync(limits)[0] ?? '');
    let looks = 0;
    sandbox.connect = async () => {
      looks = 1;
      renameSync(limit, join(folder, 'aside'));
      put(limit);
    };
    /** Precedes each look at the limit. All but the first one find it again. */
    const yieldToIo = async () => {
      if (looks === 2) {
        rmSync(limit, { recursive: true });
        renameSync(join(folder, 'aside'), limit);
      }
      if (looks > 0) looks += 1;
    };

    const { exitCode, events } = await petstore('categories create emu --json', {
      context: { yieldToIo },
    });

    expect([exitCode, events().at(-1)]).toMatchObject([
      74,
      { kind: 'output', message: expect.stringContaining(says), outcome: 'not_sent' },
    ]);
    expect(sandbox.requests).toHaveLength(1);
  },
);

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
