import { randomUUID } from 'node:crypto';
import { Failure } from '../errors.ts';
import { commandOn } from '../text/shell.ts';
import { isoTime } from '../time.ts';
import { type Cell, change } from './cell.ts';
import { fileCell } from './file-cell.ts';
import { cannotSave } from './files.ts';
import type { Owner } from './owner.ts';

/** `since` is in ms since 1970. The id distinguishes two parts of one process that want the same lock. */
type Holder = Owner & { readonly since: number; readonly id: string };

type LockCell = Cell<{ readonly holder?: Holder }>;
type World = {
  readonly owner: Owner;
  readonly isRunning: (owner: Owner) => boolean;
  readonly now: () => number;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly signal: AbortSignal;
};

const maxPolls = 500;
const pollMs = 10;

/** Does short work that no other process may do at the same time. The lock is a folder at `path`; a killed process loses it at once. */
export async function withLock<Result>(
  { owner, isRunning, now, sleep, signal }: World,
  path: string,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  const cell: LockCell = fileCell(path);
  const self: Holder = { ...owner, since: now(), id: randomUUID() };
  for (let left = maxPolls; ; left -= 1) {
    const holder = await acquire(cell, self, isRunning).catch((error: unknown) => {
      throw cannotSave(path, error);
    });
    if (holder.id === self.id) break;
    if (left === 0) throw busy(holder, path);
    await sleep(pollMs, signal);
  }
  try {
    return await work();
  } finally {
    await release(cell, self);
  }
}

/** Returns who has the lock then. */
function acquire(cell: LockCell, self: Holder, isRunning: World['isRunning']): Promise<Holder> {
  return change(cell, ({ value: { holder } = {} }) =>
    holder && isRunning(holder) ? [undefined, holder] : [{ holder: self }, self],
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
    {
      consequence: 'Nothing was changed.',
      hint: `Try again. If that process no longer exists (other machine or container): ${commandOn('rm -r', path)}`,
    },
  );
}
