import { Command } from 'commander';
import fc from 'fast-check';
import { describe } from 'vitest';
import type { Context } from '../../../src/context.ts';
import type { ProgressEvent, RequestWait, WaitEvent } from '../../../src/events.ts';
import { createReporter } from '../../../src/output/reporter.ts';
import { createSink } from '../../../src/output/sink.ts';
import { statusText } from '../../../src/output/status-text.ts';
import { inSession } from '../../../src/session/session.ts';
import { type Clock, startTime } from '../../support/clock.ts';
import { expect, test } from '../../support/petstore.ts';
import { createTerminal } from '../../support/terminal.ts';

// Loaded beforehand: the time of a test passes faster than a module loads.
await import('ora');

const { signal } = new AbortController();

function setting(clock: Clock, columns: number, env: Context['env'] = {}, ascii = false) {
  const terminal = createTerminal(columns);
  const { output } = terminal;
  const { now, uptime, sleep } = clock;
  const context = { stdout: output, stderr: output, env, now, uptime, sleep, signal } as Context;
  const sink = createSink(context);
  const { report, end } = createReporter(context, sink, {
    json: false,
    quiet: false,
    color: false,
    ascii,
  });
  return {
    ...terminal,
    context,
    sink,
    report,
    end,
    /** As of the terminal; no time passes meanwhile. */
    async nextWrite(): Promise<void> {
      const release = clock.hold();
      await terminal.nextWrite();
      release();
    },
    /** What one sees once all is said; whatever is said has the status drawn anew. */
    async look(): Promise<string[]> {
      const release = clock.hold();
      report({ event: 'notice', message: 'look' });
      await sink.flush();
      release();
      return terminal.screen().filter((line) => line !== 'petstore: look');
    },
  };
}

const progress: ProgressEvent = {
  event: 'progress',
  done: 312,
  total: 5_000,
  rate: 58,
  leftMs: 81 * 60_000,
};

/** One request that waits for a reset `seconds` after the start of the test. */
function waiter(seconds: number, reason: RequestWait = 'window') {
  const wait = { event: 'wait', by: Symbol('test'), limit: 60, reason } as const;
  const resetAt = startTime + seconds * 1_000;
  return {
    at: (now: number): WaitEvent => ({ ...wait, resetAt, waitMs: resetAt - now }),
    probing: (now: number): WaitEvent => {
      return { ...wait, reason: 'probe', resetAt: now + 35_000, waitMs: 35_000 };
    },
    over: (): WaitEvent => ({ ...wait, resetAt, waitMs: 0 }),
  };
}

describe('the status line', () => {
  test.for([
    {
      columns: 80,
      shows: '█░░░░░░░░░░░░░░░░░░░ 312/5,000 · rate limit, next in 0:41 · done ≈ 16:25Z',
    },
    { columns: 70, shows: '░░░░░░░░░░░░░░ 312/5,000 · rate limit, next in 0:41 · done ≈ 16:25Z' },
    { columns: 64, shows: '░░░░░░░░ 312/5,000 · rate limit, next in 0:41 · done ≈ 16:25Z' },
    { columns: 63, shows: '█░░░░░░░░░░░░░░░░░░░ 312/5,000 · rate limit, next in 0:41' },
    { columns: 50, shows: '░░░░░░░░░░ 312/5,000 · rate limit, next in 0:41' },
    { columns: 40, shows: '░░░░░░░░░░░░ 312/5,000 · next in 0:41' },
    { columns: 30, shows: '█░░░░░░░░░░░░░░░░ 312/5,000' },
    { columns: 20, shows: '░░░░░░░ 312/5,000' },
    { columns: 10, shows: '312/5,0' },
  ])(
    'in $columns columns keeps bar and count, and says what fits',
    async ({ columns, shows }, { clock }) => {
      const { report, end, nextWrite, screen } = setting(clock, columns);
      report(progress);
      report(waiter(41).at(clock.now()));
      await nextWrite();

      expect(screen()).toEqual([shows]);
      end();
    },
  );

  test('is ASCII where the locale is not UTF-8', async ({ clock }) => {
    const { report, end, nextWrite, screen } = setting(clock, 80, {}, true);
    report({ ...progress, done: 2_600 });
    report(waiter(41).at(clock.now()));
    await nextWrite();

    expect(screen()).toEqual([
      '- ##########---------- 2,600/5,000 | rate limit, next in 0:41 | done ~ 16:25Z',
    ]);
    end();
  });

  test.for([
    { reason: 'window', says: 'rate limit, next in 0:41' },
    { reason: 'day', says: 'daily rate limit, next in 0:41' },
    { reason: '429', says: 'rate limit exceeded, next in 0:41' },
    { reason: 'tripped', says: 'rate limit exceeded 3 times, next in 0:41' },
    { reason: 'banned', says: 'API key temporarily banned, next in 0:41' },
    { reason: 'unavailable', says: 'service unavailable, next in 0:41' },
    { reason: 'probe', says: 'another request is in flight, next in 0:41' },
  ] as const)('says why it waits: $reason', async ({ reason, says }, { clock }) => {
    const { report, end, nextWrite, screen } = setting(clock, 100);
    report(progress);
    report(waiter(41, reason).at(clock.now()));
    await nextWrite();

    expect(screen()[0]).toContain(` 312/5,000 · ${says} · done`);
    end();
  });

  test.for([
    { count: 1, says: 'checking 1 unknown outcome in 0:45' },
    { count: 3_000, says: 'checking 3,000 unknown outcomes in 0:45' },
  ])('counts $count outcomes that are checked', async ({ count, says }, { clock }) => {
    const { report, end, nextWrite, screen } = setting(clock, 100);
    report(progress);
    report({ ...waiter(45).at(clock.now()), reason: 'settle', count });
    await nextWrite();

    expect(screen()[0]).toContain(` 312/5,000 · ${says} · done`);
    end();
  });

  test.for([
    { what: 'the estimate', leftMs: 20 * 60_000, wait: 41, done: '15:24Z' },
    { what: 'a wait that ends later', leftMs: 20 * 60_000, wait: 1_800, done: '15:34Z' },
    { what: 'another day', leftMs: 30 * 3_600_000, wait: 41, done: '2026-11-21 21:04Z' },
  ])('ends by $what', async ({ leftMs, wait, done }, { clock }) => {
    const { report, end, nextWrite, screen } = setting(clock, 100);
    report({ ...progress, leftMs });
    report(waiter(wait).at(clock.now()));
    await nextWrite();

    expect(screen()[0]).toMatch(new RegExp(` · done ≈ ${done}$`));
    end();
  });

  test.for([
    {
      what: 'and when the wait is given up',
      waitMs: 90_000,
      shows:
        'Process 7 is importing the same names. Giving up in 1:30 (15:05:30Z). Ctrl-C to stop.',
    },
    {
      what: 'where nothing else ends the wait',
      waitMs: Number.POSITIVE_INFINITY,
      shows: 'Process 7 is importing the same names. Waiting for it to finish. Ctrl-C to stop.',
    },
  ])('names the process that has the same names, $what', async ({ waitMs, shows }, { clock }) => {
    const { report, end, nextWrite, screen } = setting(clock, 100);
    report({
      event: 'wait',
      by: Symbol('test'),
      limit: undefined,
      reason: 'claimed',
      pid: 7,
      doing: 'importing',
      resetAt: clock.now() + waitMs,
      waitMs,
    });
    await nextWrite();

    expect(screen()).toEqual([shows]);
    end();
  });

  test('is never wider than what it is given', () => {
    const known = fc.option(fc.double({ min: 0, max: 1e10, noNaN: true }), { nil: undefined });
    const wait = fc.option(fc.record({ count: fc.nat(), ms: fc.integer({ min: 1, max: 1e9 }) }), {
      nil: undefined,
    });
    fc.assert(
      fc.property(
        fc.tuple(fc.nat(), fc.nat(), known, known, wait, fc.integer({ min: -3, max: 200 })),
        ([done, more, rate, leftMs, settle, width]) => {
          const event = { event: 'progress', done, total: done + more, rate, leftMs } as const;
          const endsAt = leftMs && startTime + leftMs;
          const unknown = settle && {
            ...waiter(settle.ms / 1_000).at(startTime),
            reason: 'settle' as const,
            count: settle.count,
          };
          const look = { width, ascii: false, now: startTime };
          for (const shown of [{ ...event, endsAt }, undefined]) {
            const text = statusText(shown, unknown, look) ?? '';
            expect(text.length).toBeLessThanOrEqual(Math.max(0, width));
          }
        },
      ),
    );
  });

  test('stays below all lines that are said meanwhile, and they stay whole', async ({ clock }) => {
    const { report, end, nextWrite, sink, screen } = setting(clock, 60);
    report(progress);
    await nextWrite();
    for (const message of ['one', 'two']) report({ event: 'notice', message });
    await sink.flush();

    expect(screen()).toEqual([
      'petstore: one',
      'petstore: two',
      '█░░░░░░░░░░░░░░░░░░░ 312/5,000 · done ≈ 16:25Z',
    ]);
    end();
  });

  test('shows the wait of eight requests until the last of them goes on', async ({ clock }) => {
    const { report, end, nextWrite, look } = setting(clock, 100);
    const waiters = Array.from({ length: 8 }, () => waiter(41));
    report(progress);
    for (const { at } of waiters) report(at(clock.now()));
    await nextWrite();

    for (const { over } of waiters.slice(1)) {
      report(over());
      report({ ...progress, done: 313 });
      expect((await look()).at(-1)).toMatch(/ 313\/5,000 · rate limit, next in 0:41 · done/);
    }
    report(waiters[0]?.over() ?? progress);
    expect((await look()).at(-1)).toMatch(/ 313\/5,000 · done ≈ 16:25Z$/);
    end();
  });

  test.for([86_400_000, -86_400_000])(
    'goes on with its countdown when somebody sets the clock by %i ms',
    async (by, { clock }) => {
      const { report, end, nextWrite, look } = setting(clock, 100);
      report(progress);
      report(waiter(41).at(clock.now()));
      await nextWrite();

      await clock.sleep(1_000, signal);
      clock.set(by);
      report({ ...progress, done: 313 });

      expect((await look()).at(-1)).toMatch(/ 313\/5,000 · rate limit, next in 0:40 · done/);
      end();
    },
  );

  test('counts down each second, however seldom the wait is reported, and no longer than it lasts', async ({
    clock,
  }) => {
    const { report, end, nextWrite, look } = setting(clock, 100);
    const { at, over } = waiter(41);
    report(at(clock.now()));
    await nextWrite();

    await clock.sleep(3_500, signal);
    expect((await look()).at(-1)).toMatch(/Next request in 0:38 /);

    report(over());
    expect(await look()).toEqual([]);
    const before = clock.slept.length;
    await clock.sleep(5_000, signal);
    expect(clock.slept.slice(before)).toEqual([5_000]);
    end();
  });

  test('keeps nothing alive once the session is over', async ({ clock }) => {
    const { report, end, nextWrite } = setting(clock, 100);
    report(waiter(41).at(clock.now()));
    await nextWrite();

    end();

    const before = clock.slept.length;
    await clock.sleep(5_000, signal);
    expect(clock.slept.slice(before)).toEqual([5_000]);
  });

  test('shows the wait that ends first', async ({ clock }) => {
    const { report, end, nextWrite, look } = setting(clock, 100);
    report(waiter(300, 'unavailable').at(clock.now()));
    report(waiter(20).at(clock.now()));
    await nextWrite();

    expect(await look()).toEqual([
      'Rate limit reached (60/min). Next request in 0:20 (15:04:20Z). Ctrl-C to stop.',
    ]);
    end();
  });

  test('says nothing of the first request after a reset, unless it takes its time', async ({
    clock,
  }) => {
    const { report, end, nextWrite, look } = setting(clock, 100);
    const { at, probing } = waiter(5);
    report(progress);
    report(at(clock.now()));
    await nextWrite();
    await clock.sleep(5_000, signal);

    report(probing(clock.now()));
    expect((await look()).at(-1)).toMatch(/ 312\/5,000 · done ≈ 16:25Z$/);
    await clock.sleep(2_001, signal);
    report(probing(clock.now()));
    expect((await look()).at(-1)).toMatch(/another request is in flight, next in 0:35/);
    end();
  });

  test('stays when all rows are done, until the import is over', async ({ clock }) => {
    const { report, end, nextWrite, look } = setting(clock, 100);
    report({ ...progress, done: 5_000, leftMs: 41_000 });
    report(waiter(41).at(clock.now()));
    await nextWrite();

    expect(await look()).toEqual([
      '████████████████████ 5,000/5,000 · rate limit, next in 0:41 · done ≈ 15:04Z',
    ]);
    end();
  });

  test('is gone when it is over; a wait is still shown then', async ({ clock }) => {
    const { report, end, nextWrite, look } = setting(clock, 100);
    report(progress);
    await nextWrite();

    report({ ...progress, over: true });
    expect(await look()).toEqual([]);
    report(waiter(25_400, 'day').at(clock.now()));
    await nextWrite();
    expect((await look()).at(-1)).toBe(
      'Rate limit reached (60/day). Next request in 7:03:20 (22:07:20Z). Ctrl-C to stop.',
    );
    end();
  });

  test('does not come back once the session is over', async ({ clock }) => {
    const { report, end, nextWrite, look } = setting(clock, 100);
    report(progress);
    report(progress);
    await nextWrite();

    end();
    report(progress);
    await import('ora');
    await clock.sleep(1_000, signal);

    expect(await look()).toEqual([]);
  });

  test('is never drawn when all is over before it could be', async ({ clock }) => {
    const { report, end, text } = setting(clock, 100);
    report(progress);
    report({ ...progress, over: true });
    await import('ora');
    await clock.sleep(1_000, signal);

    expect(text()).toBe('');
    end();
  });

  test('is gone before a failed command says why', async ({ clock, folder }) => {
    const { context, sink, nextWrite, look } = setting(clock, 100, {
      PETSTORE_CONFIG_DIR: folder,
      PETSTORE_BASE_URL: 'http://127.0.0.1:4010/v1',
    });
    const host = { context, sink, format: undefined };

    const ended = inSession(host, new Command(), async ({ report }) => {
      report(progress);
      await nextWrite();
      throw new Error('row 313');
    });

    await expect(ended).rejects.toThrow('row 313');
    expect(await look()).toEqual([]);
  });

  test.for([
    { where: 'in CI', columns: 100, env: { CI: 'true' } },
    { where: 'on a terminal that only prints', columns: 100, env: { TERM: 'dumb' } },
    { where: 'on a terminal that tells no width', columns: 0, env: {} },
  ])('gives way to lines $where', async ({ columns, env }, { clock }) => {
    const { report, sink, text } = setting(clock, columns, env);
    report(progress);
    await clock.sleep(10_000, signal);
    report(progress);
    await sink.flush();

    expect(text()).toBe('petstore: 312 of 5,000 rows, 58/min, about 1h 21m left\n');
  });
});
