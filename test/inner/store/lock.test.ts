import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withLock } from '../../../src/store/lock.ts';
import { expect, test } from '../../support/petstore.ts';
import { lockAs } from '../../support/values.ts';

const world = {
  owner: { pid: 1, host: 'here' },
  isRunning: () => true,
  now: () => 1_000,
  random: () => 0.5,
  signal: new AbortController().signal,
};

test('work under a lock is done one at a time, also in one process', async ({ clock, folder }) => {
  const path = join(folder, 'new', 'lock');
  const lock = <Result>(work: () => Result | Promise<Result>) =>
    withLock({ ...world, sleep: clock.sleep }, path, work);
  let inside = 0;
  const work = async () => {
    inside += 1;
    await clock.sleep(50, world.signal);
    inside -= 1;
    return inside;
  };

  const both = [1, 2].map(() => lock(work));

  expect(await Promise.all(both)).toEqual([0, 0]);
  await expect(lock(() => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  expect(await lock(() => 'free')).toBe('free');
});

test('a lock is waited for as long as its caller may wait, and 15 s at least', async ({
  clock,
  folder,
}) => {
  const path = join(folder, 'lock');
  const here = { ...world, sleep: clock.sleep };
  const waitFor = (maxWaitMs: number) => withLock(here, path, () => 'mine', maxWaitMs);

  const held = withLock(here, path, () => clock.sleep(60_000, world.signal));
  const patient = waitFor(120_000);

  await expect(waitFor(0)).rejects.toThrow('process 1 on here has locked');
  expect(await patient).toBe('mine');
  await held;
});

test('a release that comes late takes the lock from nobody', async ({ clock, folder }) => {
  const path = join(folder, 'lock');
  const release = await lockAs(1, path);
  await lockAs(1, path);

  release();
  const work = () => withLock({ ...world, sleep: clock.sleep }, path, () => {});

  await expect(work()).rejects.toThrow(`process 1 on elsewhere has locked ${path}`);
});

test('work is done even if its lock cannot be released', async ({ clock, folder }) => {
  const path = join(folder, 'lock');

  const result = await withLock({ ...world, sleep: clock.sleep }, path, () => {
    rmSync(path, { recursive: true });
    writeFileSync(path, '');
    return 'done';
  });

  expect(result).toBe('done');
});

test('a folder that cannot be used is named with the system’s code', async ({ folder }) => {
  const path = join(folder, 'file');
  writeFileSync(path, '');

  const message = `cannot save ${path} (ENOTDIR)`;
  await expect(lockAs(1, path)).rejects.toMatchObject({ kind: 'output', message });
});
