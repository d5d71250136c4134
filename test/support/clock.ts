/** A clock that moves only while the program sleeps: it jumps to the next moment somebody waits for. */
export type Clock = {
  /** What the machine's clock shows. */
  now: () => number;
  /** How long the machine runs, whatever its clock shows. */
  uptime: () => number;
  /** What the service's clock shows: the same, until somebody sets the machine's. */
  service: () => number;
  /** Somebody sets the machine's clock, forward or back, by so many ms. */
  set: (by: number) => void;
  sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Time stands still until the returned function is called: a request is on its way. */
  hold: () => () => void;
  /** Ends the test's time: what still sleeps never wakes, and takes none from the next test. */
  stop: () => void;
};

export const startTime = Date.UTC(2026, 10, 20, 15, 4, 0);

/** How long the machine has been on then, in ms. */
const upBefore = 7_200_000;
/** Without a request in between. Who polls a lock wakes a hundred times. */
const maxWakesPerSecond = 500;

export function createClock(): Clock {
  // Counted from 0, so that no part of a millisecond is too small to pass.
  let time = 0;
  let ahead = 0;
  let holds = 0;
  let secondFrom = 0;
  let wakes = 0;
  let isStopped = false;
  const timers = new Set<{ at: number; wake: () => void; fail: (error: Error) => void }>();

  return {
    now: () => startTime + time + ahead,
    uptime: () => upBefore + time,
    service: () => startTime + time,
    set(by) {
      ahead += by;
    },
    sleep(ms, signal) {
      return new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason);
        const awake = new AbortController();
        const timer = {
          at: time + ms,
          fail: reject,
          wake() {
            awake.abort();
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
      wakes = 0;
      let held = true;
      return () => {
        if (held) holds -= 1;
        held = false;
        moveWhenIdle();
      };
    },
    stop() {
      isStopped = true;
    },
  };

  /** By the next turn of the event loop everything that could go on without time passing has gone on. */
  function moveWhenIdle(): void {
    setImmediate(() => {
      if (holds > 0 || isStopped) return;
      const [next] = [...timers].sort((a, b) => a.at - b.at);
      if (!next) return;
      timers.delete(next);
      if (next.at >= secondFrom + 1_000) {
        secondFrom = next.at;
        wakes = 0;
      }
      wakes += 1;
      if (wakes > maxWakesPerSecond || next.at === Number.POSITIVE_INFINITY) {
        return next.fail(new Error('this wait has no end: only time passes, or not even that'));
      }
      time = Math.max(time, next.at);
      next.wake();
    });
  }
}
