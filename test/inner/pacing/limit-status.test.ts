import { describe, expect, test } from 'vitest';
import { fold } from '../../../src/pacing/fold.ts';
import { emptyLedger } from '../../../src/pacing/ledger.ts';
import { limitStatus } from '../../../src/pacing/limit-status.ts';
import type { Entry } from '../../../src/pacing/records.ts';

const t = 1_800_000_000_000;

const ask = (id: string, at = t): Entry => ({ k: 'ask', id, at, lease: at + 35_000 });
const response = (id: string, remaining?: number, at = t, reset = t + 50_000): Entry => {
  const headers = remaining === undefined ? {} : { limit: 60, remaining, reset, date: at };
  return { k: 'answer', id, at, sent: at, status: 200, jitter: 0.5, ...headers };
};
const day = (id: string, remaining: number, at = t): Entry => ({
  ...(response(id, undefined, at) as Extract<Entry, { k: 'answer' }>),
  ...{ limit: 1_000, remaining, reset: t + 40_000_000, date: at },
});
const fromStore: Entry = {
  k: 'heard',
  at: t - 3_000,
  ledger: emptyLedger,
  jitter: 0,
  store: { epoch: 'one', until: t + 1_000_000 },
};

const minuteAgo = t - 60_000;
const earlier = [ask('0', minuteAgo), response('0', 59, minuteAgo, t - 10_000)];

describe('the use of others in a window is', () => {
  test.for<{ what: string; lines: readonly Entry[]; others: number | undefined }>([
    {
      what: 'none where all that is missing was ours, in whatever order its responses came',
      lines: [
        ask('a'),
        ask('b'),
        ask('c'),
        response('c', 57),
        response('a', 59),
        response('b', 58),
      ],
      others: 0,
    },
    {
      what: 'none of what is in flight',
      lines: [ask('a'), ask('b'), ask('c'), response('a', 57)],
      others: 0,
    },
    {
      what: 'what is missing beyond our own since our first response',
      lines: [
        ask('a'),
        response('a', 30),
        ask('b'),
        ask('c'),
        response('b', 17),
        response('c', 16),
      ],
      others: 12,
    },
    {
      what: 'what was missing at our first response too, where our own count is older than the window',
      lines: [...earlier, ask('a'), response('a', 47)],
      others: 60 - 47 - 2,
    },
    {
      what: 'unclaimed before our first response where our own count is younger',
      lines: [ask('a'), response('a', 47)],
      others: 0,
    },
    {
      what: 'unclaimed before our first response where a limit store was used too',
      lines: [...earlier, fromStore, ask('a'), response('a', 47)],
      others: 0,
    },
    {
      what: 'unknown where the window is our own count',
      lines: [...earlier, ask('a'), response('a')],
      others: undefined,
    },
    {
      what: 'unknown where no window runs',
      lines: earlier,
      others: undefined,
    },
    {
      what: 'none where the day is the window that is reported',
      lines: [ask('a'), response('a', 59), ask('b'), day('b', 30), ask('c'), response('c', 57)],
      others: 0,
    },
  ])('$what', ({ lines, others }) => {
    const ledger = lines.reduce(fold, emptyLedger);

    expect(limitStatus(ledger, { at: t }).minute.others).toBe(others);
  });

  test('counted for the day as well', () => {
    const lines = [ask('a'), day('a', 900), ask('b'), day('b', 700)];

    expect(limitStatus(lines.reduce(fold, emptyLedger), { at: t }).day.others).toBe(199);
  });
});
