import { randomUUID } from 'node:crypto';
import type { Owner } from '../context.ts';
import { cannotSave } from '../disk/files.ts';
import { Failure } from '../errors.ts';
import { isoTime } from '../time.ts';
import { type Cell, change } from './cell.ts';
import { fileCell } from './file-cell.ts';

/** `since` is in ms since 1970. The id distinguishes two parts of one process that want the same lock. */
type Holder = Owner & { readonly since: number; readonly id: string };

type LockCell = Cell<{ readonly holder?: Holder }>;
type World = {
  readonly owner: Owner;
  readonly isRunning: (owner: Owner) => boolean | undefined;
  readonly now: () => number;
  readonly random: () => number;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly signal: AbortSignal;
};

const firstPollMs = 10;
const maxPollMs = 250;
const minWaitMs = 15_000;
/** Work under a lock takes milliseconds. */
const maxUnseenMs = 10_000;

/**
 * Does short work that no other process may do at the same time. The lock is a folder at `path`. A killed process loses it: at once
 * if it can be seen to be gone, else after ten seconds. So one that was only suspended may have lost it when it goes on:
 * `isLocked` tells. Waits `maxWaitMs` for it, and 15 s at least.
 */
export async function withLock<Result>(
  { owner, isRunning, now, random, sleep, signal }: World,
  path: string,
  work: (isLocked: () => Promise<boolean>) => Result | Promise<Result>,
  maxWaitMs = 0,
): Promise<Result> {
  const cell: LockCell = fileCell(path);
  const self: Holder = { ...owner, since: now(), id: randomUUID() };
  let waitedMs = 0;
  let unseen = { id: '', ms: 0 };
  const isGone = (holder: Holder) =>
    isRunning(holder) === false || (holder.id === unseen.id && unseen.ms >= maxUnseenMs);
  for (let polls = 1; ; polls += 1) {
    const holder = await acquire(cell, self, isGone).catch((error: unknown) => {
      throw cannotSave(path, error);
    });
    if (holder.id === self.id) break;
    if (waitedMs >= Math.max(minWaitMs, maxWaitMs)) throw busy(holder, path);
    const pauseMs = Math.min(maxPollMs, firstPollMs * polls) * (0.5 + random());
    await sleep(pauseMs, signal);
    waitedMs += pauseMs;
    if (holder.id !== unseen.id) unseen = { id: holder.id, ms: 0 };
    if (isRunning(holder) === undefined) unseen.ms += pauseMs;
  }
  try {
    return await work(async () => (await cell.read()).value?.holder?.id === self.id);
  } finally {
    await release(cell, self);
  }
}

/** Returns who has the lock then. */
function acquire(
  cell: LockCell,
  self: Holder,
  isGone: (holder: Holder) => boolean,
): Promise<Holder> {
  return change(cell, ({ value: { holder } = {} }) =>
    holder && !isGone(holder) ? [undefined, holder] : [{ holder: self }, self],
  );
}

/** Never throws: at the latest the end of this process releases it. */
async function release(cell: LockCell, { id }: Holder): Promise<void> {
  await change(cell, ({ value }) => [value?.holder?.id === id ? {} : undefined, undefined]).catch(
    () => {},
  );
}

function busy({ pid, host, since }: Holder, path: string): Failure {
  return new Failure(
    'output',
    `process ${pid} on ${host} has locked ${path} since ${isoTime(since)}`,
    { consequence: 'Nothing was changed.', hint: 'Try again when it has ended.' },
  );
}
