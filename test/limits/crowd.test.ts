import fc from 'fast-check';
import { describe } from 'vitest';
import { createPets, sentTooEarly, test } from '../support/crowd.ts';
import { expect } from '../support/petstore.ts';
import { fixedWindow, take, type Verdict } from '../support/quota.ts';
import { trials } from '../support/trials.ts';

const crowds = fc.record({
  seed: fc.integer(),
  processes: fc.integer({ min: 2, max: 8 }),
  commandsEach: fc.integer({ min: 1, max: 3 }),
  limit: fc.integer({ min: 2, max: 8 }),
  length: fc.integer({ min: 3, max: 90 }).map((seconds) => seconds * 1_000),
  latency: fc.constantFrom(0, 40, 900, 3_000),
  kills: fc.integer({ min: 0, max: 3 }),
  /** Which request gets a 429 whatever the limit is. A small crowd does not get that far. */
  refusedRequest: fc.integer({ min: 1, max: 20 }),
  reset: fc.constantFrom('exact', 'rounded down', 'in ms'),
  /** How far the service's clock is ahead, in ms. */
  skew: fc.constantFrom(0, 37_000, -3_600_000),
});
type Given = typeof crowds extends fc.Arbitrary<infer Given> ? Given : never;

// The nightly run draws 1,500.
describe('a crowd of processes on one key', { timeout: 1_800_000 }, () => {
  test('gets no 429, keeps to a wait it was told, creates each once and wastes no window', async ({
    openCrowd,
    sandbox,
  }) => {
    await fc.assert(
      fc.asyncProperty(crowds, async (given) => {
        const { processes, commandsEach, limit, length, latency } = given;
        const { requests, killed, run } = await openCrowd({ ...given, service: oddService(given) });

        const ends = await run(createPets(processes, commandsEach));

        const refused = requests.filter(({ isRefused }) => isRefused);
        const forNoReason = requests.length >= given.refusedRequest ? 1 : 0;
        const names = sandbox.categories.map(({ name }) => name);
        const windows = Math.ceil((processes * commandsEach + killed.size) / limit);
        const maxSpan = windows * (length + 3_000) + 60 * latency + killed.size * 45_000 + 30_000;
        expect(sentTooEarly(requests)).toEqual([]);
        // The request of a killed process counts at the service, though nobody reads its response.
        expect(refused.length - forNoReason).toBeLessThanOrEqual(killed.size);
        expect(ends.filter(({ exitCode }) => exitCode !== 0)).toEqual([]);
        expect(new Set(names).size).toBe(names.length);
        expect(names.length).toBeGreaterThanOrEqual(ends.length);
        for (const { sentAt } of requests) expect(sentAt).toBeLessThan(maxSpan);
      }),
      { ...trials(150), endOnFailure: true },
    );
  });
});

/** A service with a clock of its own that tells resets in its own way, and refuses one request for no reason. */
function oddService({ limit, length, refusedRequest, reset, skew }: Given) {
  const window = fixedWindow(() => limit, length);
  let arrived = 0;
  return (now: number): Verdict => {
    arrived += 1;
    if (arrived === refusedRequest) return { isRefused: true, headers: { 'retry-after': '20' } };
    const { isRefused, headers } = take([window], now + skew);
    const seconds = Number(headers['x-ratelimit-reset']);
    const told = { exact: seconds, 'rounded down': seconds - 1, 'in ms': seconds * 1_000 }[reset];
    return { isRefused, headers: { ...headers, 'x-ratelimit-reset': String(told) } };
  };
}
