import { appendFileSync, statSync, truncateSync } from 'node:fs';
import type { Context, Send } from '../../src/context.ts';
import { type StateFiles, stateFiles } from '../../src/disk/state-files.ts';
import type { Cell } from '../../src/store/cell.ts';
import { fileCell } from '../../src/store/file-cell.ts';
import type { Clock } from './clock.ts';
import { interrupted } from './values.ts';

/** Steps of a process at which it may die: before or after a request or a write, before a wait, or in the middle of one. */
export type Killable = {
  readonly context: Pick<Context, 'send' | 'sleep' | 'stateFiles' | 'fileCell'>;
  /** Is aborted when somebody presses Ctrl-C. */
  readonly signal: AbortSignal;
  /** Resolves when it has died. */
  readonly death: Promise<'dead'>;
  /** Kills it between two steps. */
  readonly kill: () => void;
  /** Returns the files of which a power cut would take something now. */
  readonly unsyncedFiles: () => readonly string[];
};

/** What happens to a process at which of its steps, counted from 0. */
export type KillPlan = {
  readonly diesAt?: number | undefined;
  readonly interruptedAt?: number;
  /** The disk is full from a step on, for some steps. */
  readonly fullAt?: number;
  readonly fullFor?: number;
  /** It dies in a power cut, which leaves this part of what was not synced, in [0, 1], and this text behind it. */
  readonly kept?: number;
  readonly garbage?: string;
};

/** A process that dies at a step: nothing it does after that has any effect, and nothing that it waits for comes. */
export function createKillable(clock: Clock, send: Send, plan: KillPlan): Killable {
  const { diesAt, interruptedAt, fullAt = Number.NaN, fullFor = 0, kept = 1, garbage = '' } = plan;
  const ctrlC = new AbortController();
  const syncedLengths = new Map<string, number>();
  let steps = 0;
  let isDead = false;
  let announce = (_: 'dead') => {};
  const death = new Promise<'dead'>((resolve) => {
    announce = resolve;
  });

  /** Returns whether it has died by now. */
  function step(): boolean {
    if (steps === diesAt) kill();
    if (steps === interruptedAt) ctrlC.abort(interrupted(130));
    steps += 1;
    return isDead;
  }

  function kill(): void {
    if (isDead) return;
    isDead = true;
    for (const [path, syncedLength] of syncedLengths) {
      const { size } = statSync(path);
      truncateSync(path, Math.round(syncedLength + kept * (size - syncedLength)));
      appendFileSync(path, garbage);
    }
    announce('dead');
  }

  async function unlessDead<Result>(result: Result): Promise<Result> {
    return isDead ? new Promise<never>(() => {}) : result;
  }

  function isFull(): boolean {
    return steps >= fullAt && steps < fullAt + fullFor;
  }

  const killableFiles: StateFiles = {
    ...stateFiles,
    append(path, text) {
      if (step()) return;
      if (!syncedLengths.has(path)) {
        syncedLengths.set(path, statSync(path, { throwIfNoEntry: false })?.size ?? 0);
      }
      const isCut = isFull();
      if (!isCut) stateFiles.append(path, text);
      step();
      if (isCut) throw noSpace();
    },
    sync(path) {
      if (step()) return;
      stateFiles.sync(path);
      syncedLengths.delete(path);
      step();
    },
  };

  function killableCell<Value>(...options: Parameters<typeof fileCell>): Cell<Value> {
    const cell = fileCell<Value>(...options);
    return {
      read: cell.read,
      replace(seen, next) {
        if (step()) return new Promise<never>(() => {});
        if (isFull()) throw noSpace();
        const isReplaced = cell.replace(seen, next);
        return step() ? new Promise<never>(() => {}) : isReplaced;
      },
    };
  }

  return {
    signal: ctrlC.signal,
    death,
    kill,
    unsyncedFiles: () => [...syncedLengths.keys()],
    context: {
      async send(request) {
        if (step()) return unlessDead(undefined as never);
        const answer = await send(request);
        // The clock stands still until somebody has read the answer.
        if (step()) for await (const _ of answer.body);
        return unlessDead(answer);
      },
      async sleep(ms, signal) {
        step();
        await clock.sleep(ms, signal).catch(async (error) => {
          await unlessDead(undefined);
          throw error;
        });
        return unlessDead(undefined);
      },
      stateFiles: killableFiles,
      fileCell: killableCell,
    },
  };
}

function noSpace(): Error {
  return Object.assign(new Error('no space left'), { code: 'ENOSPC' });
}
