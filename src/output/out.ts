import type { Context, Output } from '../context.ts';
import { deadline } from '../deadline.ts';
import { Exit, Failure, systemCode } from '../errors.ts';

/** The two streams of a run: what was said before comes before what is printed, where both go to one terminal. */
export type Out = {
  /** Writes text to stdout. @throws Failure (output), Exit when the reader went away, the signal's reason */
  readonly print: (text: string) => Promise<void>;
  /** Writes text to stderr, what is not ready yet in its turn; that it fails is not said, since there is nowhere left to say it. */
  readonly say: (text: string | Promise<string>) => void;
  /** Resolves when all that was said is written, or nobody reads it and the run is interrupted. */
  readonly flush: () => Promise<void>;
};

/** How long a reader may take with what an interrupted run has yet to say, in ms. */
const patience = 1_000;

export function createOut({
  stdout,
  stderr,
  signal,
  sleep,
}: Pick<Context, 'stdout' | 'stderr' | 'signal' | 'sleep'>): Out {
  let said = Promise.resolve();

  return {
    async print(text) {
      const written = said.then(() => stdout.write(text));
      try {
        await taken(written, signal.aborted ? patience : 0);
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        throw unprintable(error);
      }
    },
    say(text) {
      said = said.then(async () => writeQuietly(stderr, await text));
    },
    flush: () => taken(said, patience).catch(() => {}),
  };

  /** As `written`; but a reader keeps an interrupted run no longer than `ms`. @throws the signal's reason */
  function taken(written: Promise<void>, ms: number): Promise<void> {
    return new Promise((resolve, reject) => {
      let end = () => {};
      const giveUp = () => {
        end = deadline(sleep, ms, () => reject(signal.reason));
      };
      if (signal.aborted) giveUp();
      else signal.addEventListener('abort', giveUp);
      written.then(resolve, reject).finally(() => {
        signal.removeEventListener('abort', giveUp);
        end();
      });
    });
  }
}

/** A reader that went away (`| head`) wants no more words; everything else is a failure, which an output may name itself. */
function unprintable(error: unknown): Error {
  if (error instanceof Failure) return error;
  const code = systemCode(error);
  if (code === 'EPIPE') return new Exit(141);
  return new Failure('output', `cannot write the result to standard output (${code})`, {
    cause: error,
  });
}

async function writeQuietly(stream: Output, text: string): Promise<void> {
  await stream.write(text).catch(() => {});
}
