import { randomUUID } from 'node:crypto';
import { Failure } from '../errors.ts';
import { commandOn } from '../text/shell.ts';
import { isoTime } from '../time.ts';
import { change } from './cell.ts';
import { fileCell } from './file-cell.ts';
import { cannotSave } from './files.ts';
import type { Owner } from './owner.ts';

/** `since` is in ms since 1970. The id distinguishes two parts of one process that want the same lock. */
type Holder = Owner & { readonly since: number; readonly id: string };

/** A lock of this process until it ends or calls `release`, which never throws. */
type Lock = { readonly acquired: true; readonly release: () => Promise<void> };
type Refusal = { readonly acquired: false; readonly holder: Holder };

type Kept = { readonly holder?: Holder };
type World = {
  readonly owner: Owner;
  readonly isRunning: (owner: Owner) => boolean;
  readonly now: () => number;
};

const maxPolls = 500;
const pollMs = 10;

/** Does short work that no other process may do at the same time. The lock is a folder at `path`; a killed process loses it at once. */
export async function withLock<Result>(
  context: World & {
    readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
    readonly signal: AbortSignal;
  },
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

export async function tryLock(context: World, path: string): Promise<Lock | Refusal> {
  const { owner, isRunning, now } = context;
  const cell = fileCell<Kept>(path);
  const self: Holder = { ...owner, since: now(), id: randomUUID() };
  const lock: Lock = { acquired: true, release };
  try {
    return await change(cell, ({ value }): readonly [Kept | undefined, Lock | Refusal] => {
      const holder = value?.holder;
      return !holder || !isRunning(holder)
        ? [{ holder: self }, lock]
        : [undefined, { acquired: false, holder }];
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
