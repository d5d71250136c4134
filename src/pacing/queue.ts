/** Requests that wait for the same thing: one is let in at a time, in the order they came. */
export type Queue = {
  readonly isEmpty: () => boolean;
  /** Resolves when all who came before have left; call what it returns to leave. @throws the signal's reason */
  readonly enter: (signal: AbortSignal) => Promise<() => void>;
};

export function createQueue(): Queue {
  let length = 0;
  let last: Promise<unknown> = Promise.resolve();
  return {
    isEmpty: () => length === 0,
    async enter(signal) {
      const before = last;
      let leave = () => {};
      const left = new Promise<void>((resolve) => {
        leave = () => {
          length -= 1;
          resolve();
        };
      });
      // One who gives up lets nobody pass those before.
      last = Promise.all([before, left]);
      length += 1;
      try {
        await reachFront(before, signal);
      } catch (error) {
        leave();
        throw error;
      }
      return leave;
    },
  };
}

function reachFront(before: Promise<unknown>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(signal.reason);
    if (signal.aborted) giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
    void before.then(() => {
      signal.removeEventListener('abort', giveUp);
      resolve();
    });
  });
}
