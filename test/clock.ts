/** A clock that moves only while the program sleeps: it jumps to the next moment somebody waits for. */
export type Clock = {
  now: () => number;
  sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Time stands still until the returned function is called: a request is on its way. */
  hold: () => () => void;
  /** All completed sleeps, in ms. */
  readonly slept: number[];
};

export const startTime = Date.UTC(2026, 10, 20, 15, 4, 0);

export function createClock(): Clock {
  let time = startTime;
  let holds = 0;
  const timers = new Set<{ at: number; wake: () => void }>();
  const slept: number[] = [];

  return {
    slept,
    now: () => time,
    sleep(ms, signal) {
      return new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason);
        const awake = new AbortController();
        const timer = {
          at: time + ms,
          wake() {
            awake.abort();
            slept.push(ms);
            resolve();
          },
        };
        const giveUp = () => {
          timers.delete(timer);
          reject(signal.reason);
        };
        timers.add(timer);
        signal.addEventListener('abort', giveUp, { signal: awake.signal });
        moveWhenIdle();
      });
    },
    hold() {
      holds += 1;
      let held = true;
      return () => {
        if (held) holds -= 1;
        held = false;
        moveWhenIdle();
      };
    },
  };

  /** By the next turn of the event loop everything that could go on without time passing has gone on. */
  function moveWhenIdle(): void {
    setImmediate(() => {
      if (holds > 0) return;
      const [next] = [...timers].sort((a, b) => a.at - b.at);
      if (!next) return;
      timers.delete(next);
      time = Math.max(time, next.at);
      next.wake();
    });
  }
}
