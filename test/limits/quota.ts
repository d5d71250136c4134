/** A count that the service keeps of the requests with one key; times are ms of the service's clock. */
export type Counter = {
  readonly read: (now: number) => Window;
  readonly add: (now: number) => void;
};

type Window = { readonly limit: number; readonly remaining: number; readonly resetAt: number };

/** What the service makes of a request: whether it gets a 429, and the headers of its response. */
export type Verdict = {
  readonly isRefused: boolean;
  readonly headers: Readonly<Record<string, string>>;
};

/** Counts in windows that open with the whole second of their first request, or by the clock. The limit may change at any time. */
export function fixedWindow(limitNow: () => number, length: number, isByClock = false): Counter {
  let opened = Number.NEGATIVE_INFINITY;
  let used = 0;
  const openAt = (now: number) => {
    if (now < opened + length) return;
    const step = isByClock ? length : 1_000;
    opened = Math.floor(now / step) * step;
    used = 0;
  };
  return {
    read(now) {
      openAt(now);
      const limit = limitNow();
      return { limit, remaining: Math.max(0, limit - used), resetAt: opened + length };
    },
    add(now) {
      openAt(now);
      used += 1;
    },
  };
}

/** Counts the requests of the last `length` ms. The reset is the moment at which the first of them no longer counts. */
export function slidingWindow(limit: number, length: number): Counter {
  let times: number[] = [];
  return {
    read(now) {
      times = times.filter((time) => time > now - length);
      return { limit, remaining: limit - times.length, resetAt: (times[0] ?? now) + length };
    },
    add: (now) => void times.push(now),
  };
}

/** Weighs the window before by the part of it that is not yet as long ago as a window. */
export function slidingCounter(limit: number, length: number): Counter {
  let [index, used, before] = [0, 0, 0];
  return {
    read(now) {
      const current = Math.floor(now / length);
      if (current !== index) before = current === index + 1 ? used : 0;
      if (current !== index) used = 0;
      index = current;
      const resetAt = (current + 1) * length;
      const remaining = Math.floor(limit - used - (before * (resetAt - now)) / length);
      return { limit, remaining: Math.max(0, remaining), resetAt };
    },
    add() {
      used += 1;
    },
  };
}

/** Gets a token back in each part of the length. The reset is when there is one more, or all of them. */
export function tokenBucket(limit: number, length: number): Counter {
  let [tokens, last] = [limit, 0];
  return {
    read(now) {
      tokens = Math.min(limit, tokens + ((now - last) * limit) / length);
      last = now;
      const missing = tokens < 1 ? 1 - tokens : limit - tokens;
      return { limit, remaining: Math.floor(tokens), resetAt: now + (missing * length) / limit };
    },
    add() {
      tokens -= 1;
    },
  };
}

/** Counts a request if all counters have one left, and tells of the counter that has the fewest (interface document, section 8). */
export function take(counters: readonly Counter[], now: number): Verdict {
  const isRefused = counters.some((counter) => counter.read(now).remaining === 0);
  if (!isRefused) for (const counter of counters) counter.add(now);
  const tightest = counters
    .map((counter) => counter.read(now))
    .reduce((tight, next) => (next.remaining < tight.remaining ? next : tight));
  const headers = {
    date: new Date(now).toUTCString(),
    'x-ratelimit-limit': String(tightest.limit),
    'x-ratelimit-remaining': String(tightest.remaining),
    'x-ratelimit-reset': String(Math.ceil(tightest.resetAt / 1_000)),
  };
  if (!isRefused) return { isRefused, headers };
  const waitSeconds = Math.ceil((tightest.resetAt - now) / 1_000);
  return { isRefused, headers: { ...headers, 'retry-after': String(waitSeconds) } };
}
