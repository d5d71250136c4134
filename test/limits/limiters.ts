import fc from 'fast-check';
import {
  type Counter,
  fixedWindow,
  slidingCounter,
  slidingWindow,
  tokenBucket,
  type Verdict,
} from './quota.ts';

/** A limiter of any of the kinds that are in use. */
export const limiters = fc.record({
  counts: fc.constantFrom('by the clock', 'by first request', 'log', 'counter', 'bucket'),
  tells: fc.constantFrom('whole', 'fractions', 'seconds left', 'nothing', 'too much'),
  tellsWait: fc.boolean(),
  areRoutesApart: fc.boolean(),
  limit: fc.integer({ min: 3, max: 12 }),
  length: fc.integer({ min: 10, max: 90 }).map((seconds) => seconds * 1_000),
});
export type DrawnLimiter = typeof limiters extends fc.Arbitrary<infer Drawn> ? Drawn : never;

/** Returns the service: its verdict on a request of a route at a time. */
export function createLimiter(drawn: DrawnLimiter): (now: number, route: string) => Verdict {
  const counters = new Map<string, Counter>();
  return (now, route) => {
    const name = drawn.areRoutesApart ? route : 'all';
    const counter = counters.get(name) ?? createCounter(drawn);
    counters.set(name, counter);
    const isRefused = counter.read(now).remaining < 1;
    if (!isRefused) counter.add(now);
    return { isRefused, headers: headersOf(drawn, counter.read(now), now, isRefused) };
  };
}

function createCounter({ counts, limit, length }: DrawnLimiter): Counter {
  if (counts === 'counter') return slidingCounter(limit, length);
  if (counts === 'bucket') return tokenBucket(limit, length);
  if (counts === 'log') return slidingWindow(limit, length);
  return fixedWindow(() => limit, length, counts === 'by the clock');
}

function headersOf(
  { tells, tellsWait, limit }: DrawnLimiter,
  { remaining, resetAt }: ReturnType<Counter['read']>,
  now: number,
  isRefused: boolean,
): Record<string, string> {
  const seconds = String(Math.ceil((resetAt - now) / 1_000));
  const wait = { ...(isRefused && tellsWait && { 'retry-after': seconds }) };
  if (tells === 'nothing') return wait;
  const more = tells === 'too much' ? 5 * limit : 0;
  const resets = {
    fractions: String(resetAt / 1_000),
    'seconds left': seconds,
    whole: String(Math.ceil(resetAt / 1_000)),
  };
  return {
    ...wait,
    date: new Date(now).toUTCString(),
    'x-ratelimit-limit': String(limit + more),
    'x-ratelimit-remaining': String(remaining + more),
    'x-ratelimit-reset': tells === 'too much' ? resets.whole : resets[tells],
  };
}
