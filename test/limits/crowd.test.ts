import fc from 'fast-check';
import { describe } from 'vitest';
import { pets, put } from '../support/import-cases.ts';
import { expect } from '../support/petstore.ts';
import { createRandom, trials } from '../support/random.ts';
import { list } from '../support/told.ts';
import { type Crowd, createPets, sentTooEarly, test } from './crowd.ts';
import { createLimiter, inRow, limiters, type Service } from './limiters.ts';

const between = (min: number, max: number) => fc.integer({ min, max });
const seconds = (min: number, max: number) => between(min, max).map((number) => number * 1_000);
const crowds = fc.record({
  seed: fc.integer(),
  processes: between(2, 8),
  commandsEach: between(2, 4),
  limit: between(3, 12),
  length: seconds(10, 20),
  latency: fc.constantFrom(0, 40, 900),
});
const oddCrowds = fc.record({
  seed: fc.integer(),
  processes: between(2, 6),
  commandsEach: between(1, 3),
  limit: between(3, 8),
  length: seconds(3, 12),
  latency: fc.constantFrom(0, 40, 900, 3_000),
  kills: between(0, 3),
  /** Which request gets a 429 whatever the limit is. A small crowd does not get that far. */
  refusedRequest: between(1, 20),
  reset: fc.constantFrom('exact', 'rounded down', 'in ms'),
  /** How far the service's clock is ahead, in ms. */
  skew: fc.constantFrom(0, 37_000, -3_600_000),
});
const smallCrowds = fc.record({
  seed: fc.integer(),
  processes: between(1, 6),
  commandsEach: between(1, 4),
  latency: fc.constantFrom(0, 40, 900),
  limiter: limiters,
});
const layeredCrowds = fc.record({
  seed: fc.integer(),
  processes: between(1, 8),
  commandsEach: between(2, 6),
  latency: fc.constantFrom(0, 40, 900),
  burst: limiters.map((drawn) => ({ ...drawn, length: drawn.length / 5, hidesLimit: true })),
  minute: limiters.map((drawn) => ({ ...drawn, limit: 10 * drawn.limit, length: 60_000 })),
  // Its reset is farther away than a minute's, and the test need not simulate a whole day.
  day: between(10, 60).map((limit) => ({ limit, length: 300_000 })),
});
type Drawn<Value> = Value extends fc.Arbitrary<infer Given> ? Given : never;
type Given = Drawn<typeof crowds>;

/** As long as a limit is small, so many requests are in flight at once at most. */
const maxInFlight = 8;
const longer = { timeout: 1_800_000 };

describe('a crowd of processes', () => {
  test(
    'gets no 429, keeps to a wait it was told, creates each once and wastes no window',
    longer,
    async ({ openCrowd }) => {
      await forEach(oddCrowds, 60, async (given) => {
        const { processes, commandsEach, limit, length, latency, refusedRequest } = given;
        const crowd = await openCrowd({ ...given, service: oddService(given) });

        await crowd.run(createPets(processes, commandsEach));

        // The request of a killed process counts at the service, though nobody reads its response.
        const kills = crowd.killed.size;
        const windows = Math.ceil((processes * commandsEach + kills) / limit);
        expectWell(crowd, {
          minCreated: crowd.ends.length,
          maxRefused: kills + Number(crowd.requests.length >= refusedRequest),
          maxMs: windows * (length + 3_000) + 60 * latency + kills * 45_000 + 30_000,
        });
      });
    },
  );

  test.for<[what: string, serve: (given: Given) => Service, part: number, more: number]>([
    ['a limit that is halved midway', halved, 1 / 3, 0],
    // Before somebody else is noticed, all that are in flight may be refused at once.
    ['a limit of which others take a third', shared, 1, 1],
  ])('keeps to %s, and wastes no window', async ([, serve, part, more], { openCrowd }) => {
    await forEach(crowds, 10, async (given) => {
      const { processes, commandsEach, limit, length, latency } = given;
      const crowd = await openCrowd({ ...given, service: serve(given) });

      await crowd.run(createPets(processes, commandsEach));

      const count = processes * commandsEach;
      const windows = Math.ceil(count / (limit * part));
      const maxRefused = more * windows + maxInFlight;
      const maxMs = windows * (length + 3_000) + 60 * latency;
      expectWell(crowd, { minCreated: count, maxRefused, maxMs });
      expect(crowd.requests).toHaveLength(count + refusedOf(crowd).length);
    });
  });

  test('finds a limit of which the headers say six times too much at three 429s, two of them in flight together', async ({
    openCrowd,
    folder,
  }) => {
    const file = put(folder, pets(40));
    const service = createLimiter({ tells: 'too much', limit: 10, length: 10_000 });
    const crowd = await openCrowd({ seed: 1, service, latency: 20 });
    const { requests } = crowd;

    const ends = await crowd.run([[['categories', 'import', file, '--yes', '--max-wait', 'inf']]]);

    const refused = refusedOf(crowd);
    const isInside = (at: number) =>
      refused.some(({ sentAt, waitMs }) => at > sentAt && at < sentAt + waitMs);
    expect(ends).toMatchObject([{ exitCode: 0 }]);
    expect(refused.length).toBeLessThanOrEqual(3);
    expect(requests.filter(({ sentAt }) => isInside(sentAt)).length).toBeLessThanOrEqual(2);
    expect(requests.at(-1)?.sentAt).toBeLessThan(80_000);
  });

  test('gets along with any limiter', longer, async ({ openCrowd }) => {
    await forEach(smallCrowds, 80, async (given) => {
      const { processes, commandsEach, limiter } = given;
      const { limit, length, tells, counts } = limiter;
      const crowd = await openCrowd({ ...given, service: createLimiter(limiter) });
      const first = [...list, '--max-wait', 'inf'];

      await crowd.run(createPets(processes, commandsEach).map((loop) => [first, ...loop]));

      const windows = Math.ceil((processes * (commandsEach + 1)) / limit);
      const isTruthful = tells !== 'nothing' && tells !== 'too much';
      // A counter that slides only foretells when some of it is free again.
      const maxOfTruthful = counts === 'counter' ? windows + 2 : 0;
      expectWell(crowd, {
        minCreated: processes * commandsEach,
        maxRefused: isTruthful ? maxOfTruthful : 4 * windows + 3,
        // After too many 429s in a row nothing is sent for five minutes.
        maxMs: 2 * windows * (length + 3_000) + (isTruthful ? 60_000 : 400_000),
      });
    });
  });

  test(
    'gets along with a burst limiter below any other one, and a daily one above',
    longer,
    async ({ openCrowd }) => {
      await forEach(layeredCrowds, 80, async (given) => {
        const { processes, commandsEach, burst, day, minute } = given;
        const layers = [burst, day, minute];
        const crowd = await openCrowd({ ...given, service: inRow(layers.map(createLimiter)) });

        await crowd.run(createPets(processes, commandsEach));

        const count = processes * commandsEach;
        const windows = layers.map(({ limit }) => Math.ceil(count / limit));
        const waits = layers.map(({ length }, n) => ((windows[n] ?? 0) - 1) * (length + 3_000));
        expectWell(crowd, {
          minCreated: count,
          maxRefused: 2 * sum(windows),
          maxMs: sum(waits) + 60_000,
        });
      });
    },
  );
});

async function forEach<Value>(
  values: fc.Arbitrary<Value>,
  count: number,
  holds: (value: Value) => Promise<void>,
): Promise<void> {
  await fc.assert(fc.asyncProperty(values, holds), { ...trials(count), endOnFailure: true });
}

type Bounds = { readonly minCreated: number; readonly maxRefused: number; readonly maxMs: number };

/** Expects all that were not killed to have created their category, each once, and to have kept to what they were told. */
function expectWell(crowd: Crowd, { minCreated, maxRefused, maxMs }: Bounds): void {
  const { requests, ends, created } = crowd;
  expect(sentTooEarly(requests)).toEqual([]);
  expect(ends.filter(({ exitCode }) => exitCode !== 0)).toEqual([]);
  expect(new Set(created).size).toBe(created.length);
  expect(created.length).toBeGreaterThanOrEqual(minCreated);
  expect(refusedOf(crowd).length).toBeLessThanOrEqual(maxRefused);
  expect(requests.at(-1)?.sentAt ?? 0).toBeLessThan(maxMs);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, number) => all + number, 0);
}

function refusedOf({ requests }: Crowd) {
  return requests.filter(({ isRefused }) => isRefused);
}

function halved({ processes, commandsEach, limit, length }: Given): Service {
  let arrived = 0;
  const isLate = () => arrived > (processes * commandsEach) / 2;
  const serve = createLimiter({
    get limit() {
      return isLate() ? Math.floor(limit / 2) : limit;
    },
    length,
  });
  return (now) => {
    arrived += 1;
    return serve(now);
  };
}

/** Somebody else sends one request for two of the crowd's, which is seen in the responses alone. */
function shared({ limit, length, seed }: Given): Service {
  const random = createRandom(seed);
  // In small windows a third is not told from chance, and one request may be refused four times.
  const serve = createLimiter({ limit: limit * 3, length });
  return (now) => {
    if (random() < 1 / 2) serve(now);
    return serve(now);
  };
}

/** A service with a clock of its own that tells resets in its own way, and refuses one request for no reason. */
function oddService(given: Drawn<typeof oddCrowds>): Service {
  const { refusedRequest, reset, skew } = given;
  const serve = createLimiter({ limit: given.limit, length: given.length });
  let arrived = 0;
  return (now) => {
    arrived += 1;
    if (arrived === refusedRequest) return { isRefused: true, headers: { 'retry-after': '20' } };
    const { isRefused, headers } = serve(now + skew);
    const seconds = Number(headers['x-ratelimit-reset']);
    const told = { exact: seconds, 'rounded down': seconds - 1, 'in ms': seconds * 1_000 }[reset];
    return { isRefused, headers: { ...headers, 'x-ratelimit-reset': String(told) } };
  };
}
