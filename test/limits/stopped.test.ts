import { join } from 'node:path';
import fc from 'fast-check';
import { describe } from 'vitest';
import { expect, type Fixtures, test } from '../support/petstore.ts';
import { trials } from '../support/trials.ts';
import type { Send, WireAnswer } from '../support/values.ts';

const never = new AbortController().signal;
/** The Retry-After of the 429 that the service sends in the midst of it, in ms. */
const retryAfterMs = 20_000;

/** At which of its steps a process is stopped, and for how long. */
type Stop = { readonly atStep: number; readonly forMs: number };

const crowd = fc.record({
  limit: fc.integer({ min: 2, max: 3 }),
  windowSeconds: fc.constantFrom(3, 20, 90),
  /** How long a connection and a response take, in ms. */
  latencyMs: fc.constantFrom(0, 40, 900),
  commandsEach: fc.integer({ min: 1, max: 3 }),
  /** The request that gets a 429; 0 for none. */
  refusedRequest: fc.integer({ min: 0, max: 6 }),
  /** One for each process. */
  stops: fc.array(
    fc.record({
      atStep: fc.option(fc.integer({ min: 0, max: 6 }), { nil: Number.POSITIVE_INFINITY }),
      forMs: fc.constantFrom(2_000, 15_000, 50_000, 400_000),
    }),
    { minLength: 2, maxLength: 5 },
  ),
});

const usual = { limit: 3, windowSeconds: 90, latencyMs: 40, commandsEach: 2, refusedRequest: 2 };
const stop = (atStep: number, forMs: number): Stop => ({ atStep, forMs });

/** Cases that are too rare to be drawn. */
const examples = [
  // With the very first request in flight, whose response all others wait for.
  {
    ...usual,
    windowSeconds: 3,
    refusedRequest: 0,
    stops: [stop(1, 400_000), stop(Number.POSITIVE_INFINITY, 0)],
  },
  // Connecting, while another one is told to wait.
  { ...usual, stops: [stop(Number.POSITIVE_INFINITY, 0), stop(2, 15_000)] },
  // With the last request of a window in flight, for longer than anybody waits for its response.
  {
    ...usual,
    limit: 2,
    latencyMs: 0,
    refusedRequest: 0,
    stops: [stop(3, 400_000), stop(3, 2_000)],
  },
  // With a response unread, until long after another one was refused.
  {
    ...usual,
    commandsEach: 3,
    stops: [stop(6, 400_000), stop(3, 50_000), stop(0, 50_000), stop(2, 400_000)],
  },
];

describe('processes that are stopped for longer than their requests may take', () => {
  test('send nothing early or twice, and hold nobody up', async ({
    petstore,
    sandbox,
    forward,
    clock,
    folder,
  }) => {
    let crowds = 0;
    const property = fc.asyncProperty(crowd, async (given) => {
      const { limit, latencyMs, commandsEach, refusedRequest, stops } = given;
      const lengthMs = given.windowSeconds * 1_000;
      crowds += 1;
      const env = { PETSTORE_STATE_DIR: join(folder, `state-${crowds}`) };
      // On a full second of the service's clock, long after the crowd before.
      await clock.sleep(200_000 - (clock.service() % 1_000), never);
      sandbox.plan = { minute: { limit, length: lengthMs }, day: { limit: 1e6, length: 864e5 } };
      sandbox.categories.length = 0;
      const start = clock.uptime();
      const sentAt: number[] = [];
      const sentTooEarly: number[] = [];
      let refusals = 0;
      let maxRefusals = 0;
      let toldWait = { from: Number.POSITIVE_INFINITY, until: 0 };

      /** Runs commands one after another, all as one process that is stopped once. */
      async function runProcess(stop: Stop, index: number) {
        const pid = index + 1;
        const { arrive, wasStopped } = createStop(clock, stop);
        const send: Send = async (request) => {
          await clock.sleep(latencyMs, never);
          await arrive();
          await request.lastCheck?.();
          request.onSent();
          const now = clock.uptime();
          sentAt.push(now);
          if (now >= toldWait.from && now < toldWait.until) sentTooEarly.push(now);
          const isRefused = sentAt.length === refusedRequest;
          const answer: WireAnswer = isRefused
            ? { status: 429, headers: { 'retry-after': `${retryAfterMs / 1_000}` }, body: of([]) }
            : await forward({ ...request, onSent: () => {} });
          const bytes: Uint8Array[] = [];
          for await (const chunk of answer.body) bytes.push(chunk);
          await clock.sleep(latencyMs, never);
          await arrive();
          if (answer.status === 429) refusals += 1;
          const readAt = clock.uptime();
          if (isRefused) {
            toldWait = { from: readAt, until: readAt + retryAfterMs };
            // One that is read late contradicts what others were told since: one request finds out.
            maxRefusals = readAt - now > latencyMs ? 2 : 1;
          }
          return { ...answer, body: of(bytes) };
        };
        const sleep: typeof clock.sleep = async (ms, signal) => {
          await clock.sleep(ms, signal);
          await arrive();
        };
        const context = { send, sleep, owner: { pid, host: 'here', born: 'once' } };
        const codes: number[] = [];
        for (let n = 0; n < commandsEach; n += 1) {
          const argv = ['categories', 'create', `pet-${pid}-${n}`, '--max-wait', 'inf', '--json'];
          codes.push((await petstore(argv, { env, context })).exitCode);
        }
        return { codes, wasStopped: wasStopped(), endedAt: clock.uptime() };
      }

      const processes = await Promise.all(stops.map(runProcess));

      const undisturbed = processes.filter(({ wasStopped }) => !wasStopped);
      const unclear = processes.flatMap(({ codes }) => codes).filter((code) => code === 6).length;
      const names = sandbox.categories.map(({ name }) => name);
      expect(sentTooEarly).toEqual([]);
      expect(refusals).toBeLessThanOrEqual(maxRefusals);
      expect(undisturbed.flatMap(({ codes }) => codes).filter((code) => code !== 0)).toEqual([]);
      expect(unclear).toBeLessThanOrEqual(processes.length - undisturbed.length);
      expect(new Set(names).size).toBe(names.length);
      expect(names.length).toBeGreaterThanOrEqual(processes.length * commandsEach - unclear);
      const windows = Math.ceil(sentAt.length / limit);
      const maxSpan = windows * (lengthMs + 3_000) + stops.length * 45_000 + 60_000;
      expect(Math.max(start, ...undisturbed.map(({ endedAt }) => endedAt)) - start).toBeLessThan(
        maxSpan,
      );
    });
    await fc.assert(property, {
      ...trials(200),
      examples: examples.map((example) => [example] as [typeof example]),
      endOnFailure: true,
    });
  });
});

/** Whatever arrives for a stopped process waits until it goes on. */
function createStop(clock: Fixtures['clock'], { atStep, forMs }: Stop) {
  let steps = 0;
  let goesOnAt = 0;
  return {
    wasStopped: () => goesOnAt > 0,
    async arrive() {
      if (steps === atStep) goesOnAt = clock.uptime() + forMs;
      steps += 1;
      const left = goesOnAt - clock.uptime();
      if (left > 0) await clock.sleep(left, never);
    },
  };
}

async function* of(bytes: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* bytes;
}
