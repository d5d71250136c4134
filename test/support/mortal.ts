import { appendFileSync, statSync, truncateSync } from 'node:fs';
import type { Context, Send } from '../../src/context.ts';
import { type StateFiles, stateFiles } from '../../src/disk/state-files.ts';
import type { Clock } from './clock.ts';

/** Steps of a process at which it may die: before or after a request or a write, or in the middle of one. */
export type Mortal = {
  readonly context: Pick<Context, 'send' | 'sleep' | 'stateFiles'>;
  /** Resolves when it has died. */
  readonly death: Promise<'dead'>;
  /** Kills it between two steps. */
  readonly kill: () => void;
};

type Fate = {
  /** It dies at this step, counted from 0; never when undefined. */
  readonly diesAt: number | undefined;
  /** Of what was not synced, the part that a power cut leaves, in [0, 1], and what then stands behind it. */
  readonly kept: number;
  readonly garbage: string;
};

/** A process that dies at a step: nothing it does after that has any effect, and nothing that it waits for comes. */
export function createMortal(clock: Clock, send: Send, { diesAt, kept, garbage }: Fate): Mortal {
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

  async function live<Result>(result: Result): Promise<Result> {
    return isDead ? new Promise<never>(() => {}) : result;
  }

  const mortalFiles: StateFiles = {
    ...stateFiles,
    write(path, text) {
      if (step()) return;
      stateFiles.write(path, text);
      step();
    },
    append(path, text) {
      if (step()) return;
      if (!syncedLengths.has(path)) syncedLengths.set(path, statSync(path).size);
      stateFiles.append(path, text);
      step();
    },
    sync(path) {
      if (step()) return;
      stateFiles.sync(path);
      syncedLengths.delete(path);
      step();
    },
    remove(path) {
      if (step()) return;
      stateFiles.remove(path);
      syncedLengths.delete(path);
      step();
    },
  };

  return {
    death,
    kill,
    context: {
      async send(request) {
        if (step()) return live(undefined as never);
        const answer = await send(request);
        // The clock stands still until somebody has read the answer.
        if (step()) for await (const _ of answer.body);
        return live(answer);
      },
      async sleep(ms, signal) {
        await clock.sleep(ms, signal).catch(async (error) => {
          await live(undefined);
          throw error;
        });
        return live(undefined);
      },
      stateFiles: mortalFiles,
    },
  };
}
