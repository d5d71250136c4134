import fc from 'fast-check';
import { describe } from 'vitest';
import { expect } from '../support/petstore.ts';
import { createRandom } from '../support/random.ts';
import { trials } from '../support/trials.ts';
import { createPets, type Stop, sentTooEarly, test } from './crowd.ts';
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
const stoppedCrowds = fc.record({
  seed: fc.integer(),
  limit: fc.integer({ min: 2, max: 3 }),
  length: fc.constantFrom(3_000, 20_000, 90_000),
  latency: fc.constantFrom(0, 40, 900),
  commandsEach: fc.integer({ min: 1, max: 3 }),
  /** 0 for none. */
  refusedRequest: fc.integer({ min: 0, max: 6 }),
  /** One for each loop. */
  stops: fc.array(
    fc.record({
      atStep: fc.option(fc.integer({ min: 0, max: 6 }), { nil: Number.POSITIVE_INFINITY }),
      forMs: fc.constantFrom(2_000, 15_000, 50_000, 400_000),
    }),
    { minLength: 2, maxLength: 5 },
  ),
});
const stop = (atStep: number, forMs: number): Stop => ({ atStep, forMs });
const goOn = stop(Number.POSITIVE_INFINITY, 0);
const usual = { seed: 1, limit: 3, length: 90_000, latency: 40, commandsEach: 2 };
/** Cases that are too rare to be drawn. */
const rareStops = [
  // With the very first request in flight, whose response all others wait for.
  { ...usual, length: 3_000, refusedRequest: 0, stops: [stop(1, 400_000), goOn] },
  // Connecting, while another one is told to wait.
  { ...usual, refusedRequest: 2, stops: [goOn, stop(2, 15_000)] },
  // With the last request of a window in flight, for longer than anybody waits for its response.
  {
    ...{ ...usual, limit: 2, latency: 0, refusedRequest: 0 },
    stops: [stop(3, 400_000), stop(3, 2_000)],
  },
  // With a response unread, until long after another one was refused.
  {
    ...{ ...usual, commandsEach: 3, refusedRequest: 2 },
    stops: [stop(6, 400_000), stop(3, 50_000), stop(0, 50_000), stop(2, 400_000)],
  },
  // Both for so long that a permit runs out while its request connects.
  {
    ...{ ...usual, limit: 2, length: 3_000, latency: 0, commandsEach: 3, refusedRequest: 2 },
    stops: [stop(2, 400_000), stop(1, 400_000)],
  },
];
type Drawn<Value> = Value extends fc.Arbitrary<infer Given> ? Given : never;
type Given = Drawn<typeof crowds>;
type OddGiven = Pick<
  Drawn<typeof oddCrowds>,
  'limit' | 'length' | 'refusedRequest' | 'reset' | 'skew'
>;
type Service = (now: number) => Verdict;

/** As long as a limit is small, so many requests are in flight at once at most. */
const maxInFlight = 8;
const property = { ...trials(10), endOnFailure: true };

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
      // The nightly run draws 1,500.
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
      property,
    );
  });

  test('of which some are stopped for longer than a request may take, holds nobody up', async ({
    openCrowd,
    sandbox,
  }) => {
    await fc.assert(
      fc.asyncProperty(stoppedCrowds, async (given) => {
        const { commandsEach, limit, length, latency, stops } = given;
        const service = oddService({ ...given, reset: 'exact', skew: 0 });
        const { requests, stopped, run } = await openCrowd({ ...given, service });

        const ends = await run(createPets(stops.length, commandsEach));

        const refused = requests.filter(({ isRefused }) => isRefused);
        // A 429 that is read late contradicts what others were told since: one request finds out.
        const isLate = refused.some(({ sentAt, toldAt }) => toldAt - sentAt > 2 * latency);
        const isStopped = ({ loop }: { readonly loop: number }) => stopped.has(loop);
        const unclear = ends.filter(({ exitCode }) => exitCode === 6);
        const names = sandbox.categories.map(({ name }) => name);
        const windows = Math.ceil(requests.length / limit);
        const maxSpan = windows * (length + 3_000) + stops.length * 45_000 + 60_000;
        expect(sentTooEarly(requests)).toEqual([]);
        expect(refused.length).toBeLessThanOrEqual(isLate ? 2 : 1);
        expect(ends.filter((end) => !isStopped(end) && end.exitCode !== 0)).toEqual([]);
        expect(unclear.length).toBeLessThanOrEqual(stopped.size);
        expect(new Set(names).size).toBe(names.length);
        // One that is stopped before it sends finds its time over (5), and has created nothing.
        const unsent = ends.filter((end) => isStopped(end) && end.exitCode === 5);
        expect(names.length).toBeGreaterThanOrEqual(ends.length - unclear.length - unsent.length);
        for (const sent of requests) {
          if (!isStopped(sent)) expect(sent.sentAt).toBeLessThan(maxSpan);
        }
      }),
      {
        ...{ ...trials(200), endOnFailure: true },
        examples: rareStops.map((given) => [given] as [typeof given]),
      },
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
function oddService({ limit, length, refusedRequest, reset, skew }: OddGiven): Service {
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
