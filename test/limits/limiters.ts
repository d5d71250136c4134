import fc from 'fast-check';

/** A limiter of any of the kinds that are in use. */
export const limiters = fc.record({
  counts: fc.constantFrom('by the clock', 'by first request', 'log', 'counter', 'bucket'),
  tells: fc.constantFrom('whole', 'fractions', 'seconds left', 'nothing', 'too much'),
  tellsWait: fc.boolean(),
  areRoutesApart: fc.boolean(),
  limit: fc.integer({ min: 3, max: 12 }),
  length: fc.integer({ min: 5, max: 20 }).map((seconds) => seconds * 1_000),
});
export type DrawnLimiter = typeof limiters extends fc.Arbitrary<infer Drawn> ? Drawn : never;

/** What the service makes of a request; times are ms of its clock. */
export type Service = (now: number, route?: string) => Verdict;
type Verdict = {
  readonly isRefused: boolean;
  readonly headers: Readonly<Record<string, string>>;
};

/** A count of the requests with one key. The reset is when some of them no longer count. */
type Counter = {
  readonly read: (now: number) => { readonly remaining: number; readonly resetAt: number };
  readonly add: (now: number) => void;
};

/** Returns the limiter that the interface document describes, unless `drawn` says otherwise. Its limit may change at any time. */
export function createLimiter(
  given: Partial<DrawnLimiter> & Window & { readonly hidesLimit?: boolean },
): Service {
  const { counts = 'by first request', tells = 'whole', tellsWait = true, areRoutesApart } = given;
  const counters = new Map<string, Counter>();
  return (now, route = '') => {
    const name = areRoutesApart ? route : 'all';
    const counter = counters.get(name) ?? kinds[counts](given, counts === 'by the clock');
    counters.set(name, counter);
    const isRefused = counter.read(now).remaining < 1;
    if (!isRefused) counter.add(now);
    const { remaining, resetAt } = counter.read(now);
    const seconds = String(Math.ceil((resetAt - now) / 1_000));
    const wait = { ...(isRefused && tellsWait && { 'retry-after': seconds }) };
    if (tells === 'nothing') return { isRefused, headers: wait };
    const more = tells === 'too much' ? 5 * given.limit : 0;
    const whole = String(Math.ceil(resetAt / 1_000));
    const fractions = String(resetAt / 1_000);
    const resets = { whole, fractions, 'seconds left': seconds, 'too much': whole };
    const headers = {
      ...wait,
      date: new Date(now).toUTCString(),
      ...(!given.hidesLimit && { 'x-ratelimit-limit': String(given.limit + more) }),
      'x-ratelimit-remaining': String(remaining + more),
      'x-ratelimit-reset': resets[tells],
    };
    return { isRefused, headers };
  };
}

/** Returns a service with several limiters. The first that refuses answers, and those behind it never see the request. */
export function inRow(services: readonly Service[]): Service {
  return services.reduce((first, second) => (now, route) => {
    const verdict = first(now, route);
    return verdict.isRefused ? verdict : second(now, route);
  });
}

type Window = Pick<DrawnLimiter, 'limit' | 'length'>;

const kinds: Readonly<
  Record<DrawnLimiter['counts'], (given: Window, isByClock: boolean) => Counter>
> = {
  'by the clock': countInWindows,
  'by first request': countInWindows,
  log: countLast,
  counter: weighWindowBefore,
  bucket: fillBucket,
};

/** Counts in windows that open with the whole second of their first request, or by the clock. */
function countInWindows(given: Window, isByClock: boolean): Counter {
  const { length } = given;
  let opened = Number.NEGATIVE_INFINITY;
  let used = 0;
  return {
    read(now) {
      if (now >= opened + length) {
        const step = isByClock ? length : 1_000;
        opened = Math.floor(now / step) * step;
        used = 0;
      }
      return { remaining: Math.max(0, given.limit - used), resetAt: opened + length };
    },
    add() {
      used += 1;
    },
  };
}

/** Counts the requests of the last `length` ms. */
function countLast({ limit, length }: Window): Counter {
  let times: number[] = [];
  return {
    read(now) {
      times = times.filter((time) => time > now - length);
      return { remaining: limit - times.length, resetAt: (times[0] ?? now) + length };
    },
    add: (now) => void times.push(now),
  };
}

/** Weighs the window before by the part of it that is not yet as long ago as a window. */
function weighWindowBefore({ limit, length }: Window): Counter {
  let [index, used, before] = [0, 0, 0];
  return {
    read(now) {
      const current = Math.floor(now / length);
      if (current !== index) before = current === index + 1 ? used : 0;
      if (current !== index) used = 0;
      index = current;
      const resetAt = (current + 1) * length;
      const remaining = Math.floor(limit - used - (before * (resetAt - now)) / length);
      return { remaining: Math.max(0, remaining), resetAt };
    },
    add() {
      used += 1;
    },
  };
}

/** Gets a token back in each part of the length. The reset is when there is one more, or all of them. */
function fillBucket({ limit, length }: Window): Counter {
  let [tokens, last] = [limit, 0];
  return {
    read(now) {
      tokens = Math.min(limit, tokens + ((now - last) * limit) / length);
      last = now;
      const missing = tokens < 1 ? 1 - tokens : limit - tokens;
      return { remaining: Math.floor(tokens), resetAt: now + (missing * length) / limit };
    },
    add() {
      tokens -= 1;
    },
  };
}
