import { describe } from 'vitest';
import type { Context } from '../../../src/context.ts';
import type { Event, ProgressEvent, WaitEvent } from '../../../src/events.ts';
import { createReporter } from '../../../src/output/reporter.ts';
import { createSink } from '../../../src/output/sink.ts';
import { type Clock, startTime } from '../../support/clock.ts';
import { expect, test } from '../../support/petstore.ts';

const { signal } = new AbortController();

/** What is said on a stream that is no terminal. */
function setting(clock: Clock, { json = false, quiet = false } = {}) {
  let text = '';
  const stderr = {
    isTTY: false,
    columns: undefined,
    stream: undefined,
    write: async (line: string) => {
      text += line;
    },
  };
  const { now, uptime } = clock;
  const context = { stdout: stderr, stderr, env: {}, now, uptime, signal } as unknown as Context;
  const sink = createSink(context);
  const { report } = createReporter(context, sink, { json, quiet, color: false });
  return {
    report,
    async lines(): Promise<string[]> {
      await sink.flush();
      return text.split('\n').filter(Boolean);
    },
    /** Reports an event each second of so many, the first one at once. */
    async eachSecond(seconds: number, event: (second: number) => Event): Promise<void> {
      for (let second = 0; second < seconds; second += 1) {
        report(event(second));
        await clock.sleep(1_000, signal);
      }
    },
  };
}

function progress(done: number, more: Partial<ProgressEvent> = {}): ProgressEvent {
  return { event: 'progress', done, total: 5_000, rate: undefined, leftMs: undefined, ...more };
}

const settle = (count: number, by: symbol): WaitEvent => {
  const resetAt = startTime + 45_000;
  return { event: 'wait', by, reason: 'settle', count, limit: undefined, resetAt, waitMs: 45_000 };
};

describe('a progress that nobody watches', () => {
  test('is said every ten seconds', async ({ clock }) => {
    const { eachSecond, lines } = setting(clock);

    await eachSecond(31, (second) => progress(995 + second));

    expect(await lines()).toEqual([
      'petstore: 1,005 of 5,000 rows',
      'petstore: 1,015 of 5,000 rows',
      'petstore: 1,025 of 5,000 rows',
    ]);
  });

  test('of less than ten seconds is not said, neither is its end', async ({ clock }) => {
    const { eachSecond, report, lines } = setting(clock);

    await eachSecond(9, progress);
    await clock.sleep(60_000, signal);
    report(progress(5_000, { over: true }));

    expect(await lines()).toEqual([]);
  });

  test('begins anew when another one was given up', async ({ clock }) => {
    const { eachSecond, report, lines } = setting(clock);

    await eachSecond(9, progress);
    report(progress(9, { over: true }));
    await eachSecond(9, progress);

    expect(await lines()).toEqual([]);
  });

  test('says the rate and the time left where they can be told', async ({ clock }) => {
    const { eachSecond, lines } = setting(clock);
    const told = { rate: 1_234.5, leftMs: 99 * 3_600_000, total: 1_000_000 };

    await eachSecond(11, () => progress(99_999, told));

    expect(await lines()).toEqual([
      'petstore: 99,999 of 1,000,000 rows, 1,235/min, about 4d 3h left',
    ]);
  });

  test('has less time left as a wait goes on', async ({ clock }) => {
    const { eachSecond, report, lines } = setting(clock);
    const resetAt = startTime + 60_000;
    const wait = { event: 'wait', by: Symbol('turn'), reason: 'window', limit: 60 } as const;

    report(progress(60, { leftMs: 61_000 }));
    await eachSecond(25, () => ({ ...wait, resetAt, waitMs: resetAt - clock.now() }));

    expect(await lines()).toEqual([
      'petstore: rate limit reached (60/min), next request in 1m (2026-11-20T15:05:00Z); 4,940 rows left',
      'petstore: 60 of 5,000 rows, about 51s left',
      'petstore: 60 of 5,000 rows, about 41s left',
    ]);
  });

  test.for(['text', 'json'])(
    'has no time left once its estimate has passed: %s',
    async (form, { clock }) => {
      const { eachSecond, report, lines } = setting(clock, { json: form === 'json' });
      const resetAt = startTime + 90_000;
      const wait = { event: 'wait', by: Symbol('turn'), limit: undefined } as const;
      const settle = { ...wait, reason: 'settle', count: 1, resetAt } as const;

      report(progress(59, { total: 60, leftMs: 5_000 }));
      await eachSecond(12, () => ({ ...settle, waitMs: resetAt - clock.now() }));

      expect((await lines()).at(-1)).toBe(
        form === 'json' ? '{"event":"progress","done":59,"total":60}' : 'petstore: 59 of 60 rows',
      );
    },
  );

  test('is an event of whole numbers with JSON output', async ({ clock }) => {
    const { eachSecond, lines } = setting(clock, { json: true });

    await eachSecond(21, (second) =>
      second <= 10 ? progress(312) : progress(320, { rate: 57.6, leftMs: 4_859_999.2 }),
    );

    expect(await lines()).toEqual([
      '{"event":"progress","done":312,"total":5000}',
      '{"event":"progress","done":320,"total":5000,"rate":58,"leftMs":4860000}',
    ]);
  });

  test('is not said at all with --quiet', async ({ clock }) => {
    const { eachSecond, lines } = setting(clock, { quiet: true });

    await eachSecond(31, progress);

    expect(await lines()).toEqual([]);
  });
});

describe('a wait that nobody watches', () => {
  test('of eight requests is said once, and every 30 seconds until the last one ends', async ({
    clock,
  }) => {
    const { eachSecond, report, lines } = setting(clock);
    const turns = Array.from({ length: 8 }, () => Symbol('turn'));
    const resetAt = startTime + 41_000;
    const wait = { event: 'wait', reason: 'window', limit: 60, resetAt } as const;

    await eachSecond(40, (second) => {
      const waitMs = resetAt - clock.now();
      for (const by of turns.slice(1)) report({ ...wait, by, waitMs: second < 20 ? waitMs : 0 });
      return { ...wait, by: turns[0] as symbol, waitMs };
    });

    expect(await lines()).toEqual([
      'petstore: rate limit reached (60/min), next request in 41s (2026-11-20T15:04:41Z)',
      'petstore: rate limit reached (60/min), next request in 11s (2026-11-20T15:04:41Z)',
    ]);
  });

  test.for([
    { count: 1, words: '1 outcome unknown, checking it' },
    { count: 3_000, words: '3,000 outcomes unknown, checking them' },
  ])('for $count unknown outcomes says what it is for', async ({ count, words }, { clock }) => {
    const { report, lines } = setting(clock);

    report(settle(count, Symbol('settle')));

    expect(await lines()).toEqual([`petstore: ${words} in 45s (2026-11-20T15:04:45Z)`]);
  });

  test('for unknown outcomes is an event that counts them', async ({ clock }) => {
    const { report, lines } = setting(clock, { json: true });

    report(settle(3, Symbol('settle')));

    expect((await lines()).map((line) => JSON.parse(line))).toEqual([
      {
        event: 'wait',
        reason: 'settle',
        count: 3,
        resetAt: '2026-11-20T15:04:45Z',
        waitMs: 45_000,
      },
    ]);
  });
});
