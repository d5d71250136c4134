import fc from 'fast-check';
import { fixedWindow, slidingWindow, type Verdict } from './quota.ts';

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

/** How many are left, and when there is one more, or all, in ms of the service's clock. */
type Count = { readonly remaining: number; readonly resetAt: number; readonly add: () => void };
type Counter = (now: number) => Count;

/** Returns the service: its verdict on a request of a route at a time. */
export function createLimiter(drawn: DrawnLimiter): (now: number, route: string) => Verdict {
  const counters = new Map<string, Counter>();
  return (now, route) => {
    const name = drawn.areRoutesApart ? route : 'all';
    const counter = counters.get(name) ?? createCounter(drawn);
    counters.set(name, counter);
    const before = counter(now);
    const isRefused = before.remaining < 1;
    if (!isRefused) before.add();
    return { isRefused, headers: headersOf(drawn, counter(now), now, isRefused) };
  };
}

function createCounter({ counts, limit, length }: DrawnLimiter): Counter {
  if (counts === 'counter') return slidingCounter(limit, length);
  if (counts === 'bucket') return bucket(limit, length);
  const isByClock = counts === 'by the clock';
  const window =
    counts === 'log' ? slidingWindow(limit, length) : fixedWindow(() => limit, length, isByClock);
  return (now) => ({ ...window.read(now), add: () => window.add(now) });
}

/** Weighs the window before by the part of it that is not yet as long ago as a window. */
function slidingCounter(limit: number, length: number): Counter {
  let [index, used, before] = [0, 0, 0];
  return (now) => {
    const current = Math.floor(now / length);
    if (current !== index) before = current === index + 1 ? used : 0;
    if (current !== index) used = 0;
    index = current;
    const resetAt = (current + 1) * length;
    const remaining = Math.floor(limit - used - (before * (resetAt - now)) / length);
    const add = () => {
      used += 1;
    };
    return { remaining: Math.max(0, remaining), resetAt, add };
  };
}

function bucket(limit: number, length: number): Counter {
  let [tokens, last] = [limit, 0];
  return (now) => {
    tokens = Math.min(limit, tokens + ((now - last) * limit) / length);
    last = now;
    const missing = tokens < 1 ? 1 - tokens : limit - tokens;
    const add = () => {
      tokens -= 1;
    };
    return { remaining: Math.floor(tokens), resetAt: now + (missing * length) / limit, add };
  };
}

function headersOf(
  { tells, tellsWait, limit }: DrawnLimiter,
  { remaining, resetAt }: Count,
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
