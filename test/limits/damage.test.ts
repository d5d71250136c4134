import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe } from 'vitest';
import { type Clock, startTime } from '../support/clock.ts';
import { expect, test } from '../support/petstore.ts';
import { stateFiles } from '../support/state-files.ts';
import { expectTold, list, listNow, refusal, respondAfter } from '../support/told.ts';

type Damage = (folder: string, paths: readonly string[]) => void;

const damageNewest =
  (make: (path: string) => void): Damage =>
  (_, paths) => {
    const newest = paths.at(-1) ?? '';
    rmSync(newest);
    make(newest);
  };
const addFile =
  (name: string): Damage =>
  (folder) =>
    writeFileSync(join(folder, name), '');

const damages: readonly (readonly [name: string, damage: Damage, exitCode: number])[] = [
  ['the newest is huge', damageNewest((path) => writeFileSync(path, ' '.repeat(3e6))), 0],
  ['the newest is a folder', damageNewest((path) => void mkdirSync(path)), 0],
  ['the newest is a link to nothing', damageNewest((path) => symlinkSync('/no/where', path)), 0],
  ['all are empty', (_, paths) => paths.map((path) => writeFileSync(path, '')), 0],
  ['all are gone', (_, paths) => paths.map((path) => rmSync(path)), 0],
  ['the folder is gone', (folder) => rmSync(folder, { recursive: true }), 0],
  ['there is a number beyond counting', addFile('9'.repeat(20)), 75],
  ['there is a file of others', addFile('notes'), 75],
];

test.for(damages)(
  'if of the files of a limit %s, commands go on',
  async ([, damage, exitCode], { petstore, sandbox, folder, clock }) => {
    sandbox.reactions.push(refusal(900));
    await petstore(listNow);
    const paths = stateFiles(folder).map(({ path }) => path);
    damage(dirname(paths[0] ?? ''), paths);

    const context = { isRunning: () => false };
    const next = await petstore(listNow, { context });
    const last = await petstore([...list, '--max-wait', 'inf'], { context });

    expect(next.exitCode).toBe(exitCode);
    expect(last.exitCode).toBe(0);
    expect(clock.now() - startTime).toBeLessThan(1_000_000);
  },
);

describe('files of a limit that are removed while a process waits', () => {
  test('do not shorten a wait that it knows', async ({ petstore, sandbox, folder, clock }) => {
    sandbox.reactions.push(refusal(60));
    await petstore(listNow);
    const sleep = removeOnce(folder, clock, () => clock.now() >= startTime + 20_000);

    const { exitCode } = await petstore(list, { context: { sleep } });

    expect(exitCode).toBe(0);
    expectTold(clock.now() - startTime, 60);
    expect(sandbox.requests).toHaveLength(2);
  });

  test('do not make it wait for a request that has ended', async ({
    petstore,
    sandbox,
    folder,
    clock,
  }) => {
    sandbox.reactions.push(respondAfter(clock, 5_000));
    let hasEnded = false;
    const first = petstore(listNow).then(() => {
      hasEnded = true;
    });
    const sleep = removeOnce(folder, clock, () => hasEnded);

    const context = { sleep, isRunning: () => true };
    const { exitCode } = await petstore(list, { context });

    await first;
    expect(exitCode).toBe(0);
    expect(clock.now() - startTime).toBeLessThan(10_000);
  });
});

/** Returns a sleep that removes the files of the limits once it is time. The process reads them next. */
function removeOnce(folder: string, clock: Clock, isTime: () => boolean): Clock['sleep'] {
  let isRemoved = false;
  return async (ms, signal) => {
    await clock.sleep(ms, signal);
    if (isRemoved || !isTime()) return;
    rmSync(join(folder, 'state', 'limits'), { recursive: true });
    isRemoved = true;
  };
}
