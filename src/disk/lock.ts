import { randomUUID } from 'node:crypto';
import type { Context } from '../context.ts';
import { Failure } from '../errors.ts';
import { commandOn } from '../text/shell.ts';
import { isoTime } from '../time.ts';
import { change } from './cell.ts';
import { fileCell } from './file-cell.ts';
import { cannotSave } from './files.ts';
import type { Owner } from './owner.ts';

/** A process and the time in ms since 1970. Two parts of one process may want the same lock, so the id tells them apart. */
type Holder = Owner & { readonly since: number; readonly id: string };

/** A lock that is ours until this process ends or calls `release`, which never throws. */
type Lock = { readonly acquired: true; readonly release: () => Promise<void> };
type Refusal = { readonly acquired: false; readonly holder: Holder };

type Kept = { readonly holder?: Holder };
type World = Pick<Context, 'owner' | 'isRunning' | 'now'>;

/** Five seconds, where the work takes milliseconds. */
const maxPolls = 500;
const pollMs = 10;

/**
 * Does short work that no other process may do at the same time. The lock is a folder at `path`; one that a killed process had is
 * free at once. Throws Failure (output) if a living process keeps it.
 */
export async function withLock<Result>(
  context: World & Pick<Context, 'sleep' | 'signal'>,
  path: string,
  work: () => Result,
): Promise<Result> {
  for (let left = maxPolls; ; left -= 1) {
    const lock = await tryLock(context, path);
    if (lock.acquired) {
      try {
        return work();
      } finally {
        await lock.release();
      }
    }
    if (left === 0) throw busy(lock.holder, path);
    await context.sleep(pollMs, context.signal);
  }
}

/** Takes a lock unless a living process has it. Throws Failure (output) if the disk does not allow that. */
export async function tryLock(context: World, path: string): Promise<Lock | Refusal> {
  const { owner, isRunning, now } = context;
  const cell = fileCell<Kept>(path);
  const self: Holder = { ...owner, since: now(), id: randomUUID() };
  const lock: Lock = { acquired: true, release };
  try {
    return await change(cell, ({ value }): readonly [Kept | undefined, Lock | Refusal] => {
      const holder = value?.holder;
      const isFree = !holder || holder.id === self.id || !isRunning(holder);
      return isFree ? [{ holder: self }, lock] : [undefined, { acquired: false, holder }];
    });
  } catch (error) {
    throw cannotSave(path, error);
  }

  async function release(): Promise<void> {
    try {
      await change(cell, ({ value }) => [
        value?.holder?.id === self.id ? {} : undefined,
        undefined,
      ]);
    } catch {
      // The end of this process releases it.
    }
  }
}

function busy({ pid, host, since }: Holder, path: string): Failure {
  return new Failure(
    'output',
    `process ${pid} on ${host} has locked ${path} since ${isoTime(since)}`,
    {
      consequence: 'Nothing was changed.',
      hint: `Try again. If that process no longer exists (other machine or container): ${commandOn('rm -r', path)}`,
    },
  );
}
