import type { Context } from './context.ts';

export function deadline(
  { sleep, yieldToIo }: Pick<Context, 'sleep' | 'yieldToIo'>,
  ms: number,
  onTimeout: () => void,
): () => void {
  const wait = new AbortController();
  sleep(ms, wait.signal)
    // A process that was stopped for so long first takes in what has arrived meanwhile.
    .then(yieldToIo)
    .then(
      () => wait.signal.aborted || onTimeout(),
      () => {},
    );
  return () => wait.abort(null);
}
