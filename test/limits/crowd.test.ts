import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe } from 'vitest';
import { expect } from '../support/petstore.ts';
import { createRandom } from '../support/random.ts';
import { trials } from '../support/trials.ts';
import { createPets, sentTooEarly, test } from './crowd.ts';
import { createLimiter, type DrawnLimiter, limiters } from './limiters.ts';
import { fixedWindow, take, type Verdict } from './quota.ts';

const crowds = fc.record({
  seed: fc.integer(),
  processes: fc.integer({ min: 2, max: 8 }),
  commandsEach: fc.integer({ min: 2, max: 4 }),
  limit: fc.integer({ min: 3, max: 12 }),
  length: fc.integer({ min: 10, max: 90 }).map((seconds) => seconds * 1_000),
  latency: fc.constantFrom(0, 40, 900),
});
const oddCrowds = fc.record({
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
const smallCrowds = fc.record({
  seed: fc.integer(),
  processes: fc.integer({ min: 1, max: 6 }),
  commandsEach: fc.integer({ min: 1, max: 5 }),
  latency: fc.constantFrom(0, 40, 900),
});
const list = ['categories', 'list', '--max-wait', 'inf', '--json'];
type Drawn<Value> = Value extends fc.Arbitrary<infer Given> ? Given : never;
type Given = Drawn<typeof crowds>;
type Service = (now: number) => Verdict;

/** As long as a limit is small, so many requests are in flight at once at most. */
const maxInFlight = 8;

type Row = readonly [
  what: string,
  serve: (given: Given) => Service,
  /** The part of its limit that a window has for the crowd at least. */
  part: number,
  maxRefused: (windows: number) => number,
];
const rows: Row[] = [
  ['a limit that is halved midway', halved, 1 / 3, () => maxInFlight],
  // Before somebody else is noticed, all that are in flight may be refused at once.
  ['a limit of which others take a third', shared, 1, (windows) => windows + maxInFlight],
];

describe('a crowd of processes', () => {
  test('gets no 429, keeps to a wait it was told, creates each once and wastes no window', async ({
    openCrowd,
    sandbox,
  }) => {
    await fc.assert(
      fc.asyncProperty(oddCrowds, async (given) => {
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

  test.for(rows)('keeps to %s, and wastes no window', async (row, { openCrowd, sandbox }) => {
    const [, serve, part, maxRefused] = row;
    await fc.assert(
      fc.asyncProperty(crowds, async (given) => {
        const { processes, commandsEach, limit, length, latency } = given;
        const { requests, run } = await openCrowd({ ...given, service: serve(given) });

        const ends = await run(createPets(processes, commandsEach));

        const names = sandbox.categories.map(({ name }) => name);
        const refused = requests.filter(({ isRefused }) => isRefused);
        const windows = Math.ceil(ends.length / (limit * part));
        expect(sentTooEarly(requests)).toEqual([]);
        expect(refused.length).toBeLessThanOrEqual(maxRefused(windows));
        expect(ends.filter(({ exitCode }) => exitCode !== 0)).toEqual([]);
        expect(new Set(names).size).toBe(processes * commandsEach);
        expect(names).toHaveLength(processes * commandsEach);
        expect(requests).toHaveLength(ends.length + refused.length);
        expect(requests.at(-1)?.sentAt).toBeLessThan(windows * (length + 3_000) + 60 * latency);
      }),
      { ...trials(10), endOnFailure: true },
    );
  });

  test('finds a limit of which the headers say six times too much at three 429s, two of them in flight together', async ({
    openCrowd,
    folder,
  }) => {
    const file = join(folder, 'pets.csv');
    const names = Array.from({ length: 40 }, (_, n) => `pet ${n}`);
    writeFileSync(file, ['name', ...names, ''].join('\n'));
    const service = createLimiter({
      ...{ counts: 'by first request', tells: 'too much', tellsWait: true, areRoutesApart: false },
      ...{ limit: 10, length: 10_000 },
    });
    const { requests, run } = await openCrowd({ seed: 1, service, latency: 20 });

    const ends = await run([[['categories', 'import', file, '--yes', '--max-wait', 'inf']]]);

    const refused = requests.filter(({ isRefused }) => isRefused);
    const isInside = (at: number) =>
      refused.some(({ sentAt, waitMs }) => at > sentAt && at < sentAt + waitMs);
    expect(ends).toMatchObject([{ exitCode: 0 }]);
    expect(refused.length).toBeLessThanOrEqual(3);
    expect(requests.filter(({ sentAt }) => isInside(sentAt)).length).toBeLessThanOrEqual(2);
    expect(requests.at(-1)?.sentAt).toBeLessThan(80_000);
  });

  test('gets along with any limiter', { timeout: 1_800_000 }, async ({ openCrowd, sandbox }) => {
    await fc.assert(
      fc.asyncProperty(limiters, smallCrowds, async (limiter, crowd) => {
        const { processes, commandsEach } = crowd;
        const { requests, run } = await openCrowd({ ...crowd, service: createLimiter(limiter) });

        const ends = await run(createPets(processes, commandsEach).map((loop) => [list, ...loop]));

        const names = sandbox.categories.map(({ name }) => name);
        const refused = requests.filter(({ isRefused }) => isRefused);
        const windows = Math.ceil(ends.length / limiter.limit);
        expect(ends.filter(({ exitCode }) => exitCode !== 0)).toEqual([]);
        expect(sentTooEarly(requests)).toEqual([]);
        expect(names).toHaveLength(processes * commandsEach);
        expect(new Set(names).size).toBe(names.length);
        expect(refused.length).toBeLessThanOrEqual(maxRefusedBy(limiter, windows));
        expect(requests.at(-1)?.sentAt).toBeLessThan(maxSpanBy(limiter, windows));
      }),
      { ...trials(200), endOnFailure: true },
    );
  });
});

function halved({ processes, commandsEach, limit, length }: Given): Service {
  let arrived = 0;
  const isLate = () => arrived > (processes * commandsEach) / 2;
  const window = fixedWindow(() => (isLate() ? Math.floor(limit / 2) : limit), length);
  return (now) => {
    arrived += 1;
    return take([window], now);
  };
}

/** Somebody else sends one request for two of the crowd's, which is seen in the responses alone. */
function shared({ limit, length, seed }: Given): Service {
  const random = createRandom(seed);
  // In small windows a third is not told from chance, and one request may be refused four times.
  const window = fixedWindow(() => limit * 3, length);
  return (now) => {
    if (random() < 1 / 2) take([window], now);
    return take([window], now);
  };
}

/** A service with a clock of its own that tells resets in its own way, and refuses one request for no reason. */
function oddService({
  limit,
  length,
  refusedRequest,
  reset,
  skew,
}: Drawn<typeof oddCrowds>): Service {
  const window = fixedWindow(() => limit, length);
  let arrived = 0;
  return (now) => {
    arrived += 1;
    if (arrived === refusedRequest) return { isRefused: true, headers: { 'retry-after': '20' } };
    const { isRefused, headers } = take([window], now + skew);
    const seconds = Number(headers['x-ratelimit-reset']);
    const told = { exact: seconds, 'rounded down': seconds - 1, 'in ms': seconds * 1_000 }[reset];
    return { isRefused, headers: { ...headers, 'x-ratelimit-reset': String(told) } };
  };
}

/** Headers that tell the truth cost no 429; those of a counter that slides only foretell when some of it is free again. */
function maxRefusedBy({ counts, ...limiter }: DrawnLimiter, windows: number): number {
  if (!isTruthful(limiter)) return 4 * windows + 3;
  return counts === 'counter' ? windows + 2 : 0;
}

function maxSpanBy({ length, ...limiter }: DrawnLimiter, windows: number): number {
  // After too many 429s in a row nothing is sent for five minutes.
  return 2 * windows * (length + 3_000) + (isTruthful(limiter) ? 60_000 : 400_000);
}

function isTruthful({ tells }: Pick<DrawnLimiter, 'tells'>): boolean {
  return tells !== 'nothing' && tells !== 'too much';
}
