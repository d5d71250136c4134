import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe } from 'vitest';
import { expect } from '../support/petstore.ts';
import { createRandom } from '../support/random.ts';
import { list } from '../support/told.ts';
import { trials } from '../support/trials.ts';
import { type Crowd, createPets, sentTooEarly, test } from './crowd.ts';
import { createLimiter, type DrawnLimiter, limiters, type Service } from './limiters.ts';

const seconds = (min: number, max: number) =>
  fc.integer({ min, max }).map((seconds) => seconds * 1_000);
const crowds = fc.record({
  seed: fc.integer(),
  processes: fc.integer({ min: 2, max: 8 }),
  commandsEach: fc.integer({ min: 2, max: 4 }),
  limit: fc.integer({ min: 3, max: 12 }),
  length: seconds(10, 20),
  latency: fc.constantFrom(0, 40, 900),
});
const oddCrowds = fc.record({
  seed: fc.integer(),
  processes: fc.integer({ min: 2, max: 8 }),
  commandsEach: fc.integer({ min: 1, max: 3 }),
  limit: fc.integer({ min: 2, max: 8 }),
  length: seconds(3, 20),
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
  commandsEach: fc.integer({ min: 1, max: 4 }),
  latency: fc.constantFrom(0, 40, 900),
});
type Drawn<Value> = Value extends fc.Arbitrary<infer Given> ? Given : never;
type Given = Drawn<typeof crowds>;

/** As long as a limit is small, so many requests are in flight at once at most. */
const maxInFlight = 8;

type Row = readonly [
  what: string,
  serve: (given: Given) => Service,
  /** The part of its limit that a window has for the crowd at least. */
  part: number,
  maxRefused: (windows: number) => number,
];

describe('a crowd of processes', () => {
  test('gets no 429, keeps to a wait it was told, creates each once and wastes no window', async ({
    openCrowd,
  }) => {
    const holds = fc.asyncProperty(oddCrowds, async (given) => {
      const { processes, commandsEach, limit, length, latency } = given;
      const crowd = await openCrowd({ ...given, service: oddService(given) });
      const { requests, killed } = crowd;

      await crowd.run(createPets(processes, commandsEach));

      const forNoReason = requests.length >= given.refusedRequest ? 1 : 0;
      const windows = Math.ceil((processes * commandsEach + killed.size) / limit);
      expectAllWell(crowd);
      expect(crowd.created.length).toBeGreaterThanOrEqual(crowd.ends.length);
      // The request of a killed process counts at the service, though nobody reads its response.
      expect(refusedOf(crowd) - forNoReason).toBeLessThanOrEqual(killed.size);
      expect(requests.at(-1)?.sentAt ?? 0).toBeLessThan(
        windows * (length + 3_000) + 60 * latency + killed.size * 45_000 + 30_000,
      );
    });
    await fc.assert(holds, { ...trials(60), endOnFailure: true });
  });

  test.for<Row>([
    ['a limit that is halved midway', halved, 1 / 3, () => maxInFlight],
    // Before somebody else is noticed, all that are in flight may be refused at once.
    ['a limit of which others take a third', shared, 1, (windows) => windows + maxInFlight],
  ])('keeps to %s, and wastes no window', async ([, serve, part, maxRefused], { openCrowd }) => {
    const holds = fc.asyncProperty(crowds, async (given) => {
      const { processes, commandsEach, limit, length, latency } = given;
      const crowd = await openCrowd({ ...given, service: serve(given) });

      await crowd.run(createPets(processes, commandsEach));

      const commands = processes * commandsEach;
      const windows = Math.ceil(commands / (limit * part));
      expectAllWell(crowd, commands);
      expect(refusedOf(crowd)).toBeLessThanOrEqual(maxRefused(windows));
      expect(crowd.requests).toHaveLength(commands + refusedOf(crowd));
      expect(crowd.requests.at(-1)?.sentAt).toBeLessThan(windows * (length + 3_000) + 60 * latency);
    });
    await fc.assert(holds, { ...trials(10), endOnFailure: true });
  });

  test('finds a limit of which the headers say six times too much at three 429s, two of them in flight together', async ({
    openCrowd,
    folder,
  }) => {
    const file = join(folder, 'pets.csv');
    writeFileSync(file, `name\n${Array.from({ length: 40 }, (_, n) => `pet ${n}\n`).join('')}`);
    const service = createLimiter({ tells: 'too much', limit: 10, length: 10_000 });
    const crowd = await openCrowd({ seed: 1, service, latency: 20 });
    const { requests } = crowd;

    const ends = await crowd.run([[['categories', 'import', file, '--yes', '--max-wait', 'inf']]]);

    const refused = requests.filter(({ isRefused }) => isRefused);
    const isInside = (at: number) =>
      refused.some(({ sentAt, waitMs }) => at > sentAt && at < sentAt + waitMs);
    expect(ends).toMatchObject([{ exitCode: 0 }]);
    expect(refused.length).toBeLessThanOrEqual(3);
    expect(requests.filter(({ sentAt }) => isInside(sentAt)).length).toBeLessThanOrEqual(2);
    expect(requests.at(-1)?.sentAt).toBeLessThan(80_000);
  });

  test('gets along with any limiter', { timeout: 1_800_000 }, async ({ openCrowd }) => {
    const holds = fc.asyncProperty(limiters, smallCrowds, async (limiter, given) => {
      const { processes, commandsEach } = given;
      const crowd = await openCrowd({ ...given, service: createLimiter(limiter) });
      const first = [...list, '--max-wait', 'inf'];

      await crowd.run(createPets(processes, commandsEach).map((loop) => [first, ...loop]));

      const windows = Math.ceil((processes * (commandsEach + 1)) / limiter.limit);
      expectAllWell(crowd, processes * commandsEach);
      expect(refusedOf(crowd)).toBeLessThanOrEqual(maxRefusedBy(limiter, windows));
      expect(crowd.requests.at(-1)?.sentAt).toBeLessThan(maxSpanBy(limiter, windows));
    });
    await fc.assert(holds, { ...trials(80), endOnFailure: true });
  });
});

const refusedOf = ({ requests }: Crowd) => requests.filter(({ isRefused }) => isRefused).length;

/** Expects all that were not killed to have created their category, each once, and to have kept to what they were told. */
function expectAllWell({ requests, ends, created }: Crowd, count = created.length): void {
  expect(sentTooEarly(requests)).toEqual([]);
  expect(ends.filter(({ exitCode }) => exitCode !== 0)).toEqual([]);
  expect(created).toHaveLength(count);
  expect(new Set(created).size).toBe(count);
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

/** Headers that tell the truth cost no 429; those of a counter that slides only foretell when some of it is free again. */
function maxRefusedBy({ counts, tells }: DrawnLimiter, windows: number): number {
  if (!isTruthful(tells)) return 4 * windows + 3;
  return counts === 'counter' ? windows + 2 : 0;
}

function maxSpanBy({ length, tells }: DrawnLimiter, windows: number): number {
  // After too many 429s in a row nothing is sent for five minutes.
  return 2 * windows * (length + 3_000) + (isTruthful(tells) ? 60_000 : 400_000);
}

function isTruthful(tells: DrawnLimiter['tells']): boolean {
  return tells !== 'nothing' && tells !== 'too much';
}
