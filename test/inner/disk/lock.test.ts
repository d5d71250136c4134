import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tryLock, withLock } from '../../../src/disk/lock.ts';
import type { Owner } from '../../../src/disk/owner.ts';
import { expect, test } from '../../support/petstore.ts';

const now = () => 1_000;
const world = {
  owner: { pid: 1, host: 'here' },
  isRunning: () => true,
  now,
  signal: new AbortController().signal,
};

/** Tries to lock as that process, at a time at which those run. */
function lockAs(pid: number, path: string, running: readonly number[]) {
  const isRunning = (owner: Owner) => running.includes(owner.pid);
  return tryLock({ owner: { pid, host: 'here' }, isRunning, now }, path);
}

/** Locks as that process. Returns what releases the lock. */
async function acquireAs(pid: number, path: string): Promise<() => Promise<void>> {
  const lock = await lockAs(pid, path, []);
  if (!lock.acquired) throw new Error(`process ${lock.holder.pid} has the lock`);
  return lock.release;
}

test('a lock is refused while its holder runs, also to another part of that process', async ({
  folder,
}) => {
  const path = join(folder, 'new', 'lock');
  const release = await acquireAs(1, path);
  const refusal = { acquired: false, holder: { pid: 1, host: 'here', since: 1_000 } };

  expect(await lockAs(2, path, [1])).toMatchObject(refusal);
  expect(await lockAs(1, path, [1])).toMatchObject(refusal);

  await release();
  expect(await lockAs(2, path, [1])).toMatchObject({ acquired: true });
});

test('a release that comes late takes the lock from nobody', async ({ folder }) => {
  const path = join(folder, 'lock');
  const releases = [await acquireAs(1, path), await acquireAs(1, path)];

  await releases[0]?.();
  await releases[0]?.();

  expect(await lockAs(2, path, [1])).toMatchObject({ acquired: false });
  await releases[1]?.();
  expect(await lockAs(2, path, [1])).toMatchObject({ acquired: true });
});

test('work under a lock is done one at a time, and the lock is free afterwards', async ({
  clock,
  folder,
}) => {
  const path = join(folder, 'lock');
  const lock = <Result>(work: () => Result) =>
    withLock({ ...world, sleep: clock.sleep }, path, work);
  const fail = () => {
    throw new Error('failed');
  };

  await expect(lock(fail)).rejects.toThrow('failed');
  const both = [1, 2].map((result) => lock(() => result));

  expect(await Promise.all(both)).toEqual([1, 2]);
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
  await expect(lockAs(1, path, [])).rejects.toMatchObject({ kind: 'output', message });
});
