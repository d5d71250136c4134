import { appendFileSync, statSync, truncateSync } from 'node:fs';
import type { Context, Send } from '../../src/context.ts';
import { type AppendFile, openAppendFile } from '../../src/disk/append-file.ts';
import type { Clock } from './clock.ts';

/** Steps of a process at which it may die: before or after a request or a write, or in the middle of one. */
export type Mortal = {
  readonly context: Pick<Context, 'send' | 'sleep' | 'openAppendFile'>;
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
  let steps = 0;
  let dead = false;
  let powerCut = () => {};
  let announce = (_: 'dead') => {};
  const death = new Promise<'dead'>((resolve) => {
    announce = resolve;
  });

  /** Whether it has died by now. */
  function step(): boolean {
    if (steps === diesAt) kill();
    steps += 1;
    return dead;
  }

  function kill(): void {
    if (dead) return;
    dead = true;
    powerCut();
    announce('dead');
  }

  /** What the living get. */
  async function live<Result>(result: Result): Promise<Result> {
    return dead ? new Promise<never>(() => {}) : result;
  }

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
      openAppendFile: (path) => lasting(openAppendFile(path), path),
    },
  };

  function lasting(file: AppendFile, path: string): AppendFile {
    let synced = statSync(path).size;
    powerCut = () => {
      const { size } = statSync(path);
      truncateSync(path, Math.round(synced + kept * (size - synced)));
      appendFileSync(path, garbage);
    };
    return {
      ...file,
      async append(bytes) {
        if (step()) return live(undefined);
        // A disk takes longer than a request to a service on the same machine.
        await clock.sleep(20, new AbortController().signal);
        if (dead) return live(undefined);
        appendFileSync(path, bytes);
        if (step()) return live(undefined);
        synced = statSync(path).size;
      },
    };
  }
}
