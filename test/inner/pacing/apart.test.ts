import { describe, expect, test } from 'vitest';
import { decide } from '../../../src/pacing/decide.ts';
import { fold } from '../../../src/pacing/fold.ts';
import { emptyLedger } from '../../../src/pacing/ledger.ts';
import type { Entry } from '../../../src/pacing/records.ts';

const t = 1_800_000_000_000;
const second = 1_000;

const ask = (id: string, at: number): Entry => ({ k: 'ask', id, at, lease: at + 35 * second });
const answer = (id: string, at: number, remaining: number, reset: number): Entry => {
  return { k: 'answer', id, at, sent: at, status: 200, jitter: 0, limit: 60, remaining, reset };
};
/** A line of a process that goes on without the limit store for 30 s. */
const apart = (at: number): Entry => {
  return { k: 'heard', at, ledger: { inFlight: {}, refusals: 0 }, jitter: 0, apart: at + 30_000 };
};

describe('a machine that goes on without its limit store', () => {
  test('goes on after a reset, however long it was silent in the window before', () => {
    const reset = t + 57 * second;
    const minute = { limit: 60, remaining: 12, expected: 12, reset, told: true };
    const store = { epoch: 'e', until: t + 90_000 * second };
    const told = { inFlight: {}, refusals: 0, minute };
    const ledger = [
      { k: 'heard', at: t, ledger: told, jitter: 0, store } as Entry,
      apart(t + second),
      // By now it counts on what others may have taken since, which is what the window had left at most.
      apart(t + 45 * second),
      ask('b', reset + 2 * second),
      answer('b', reset + 2 * second, 59, reset + 60 * second),
      apart(reset + 2 * second),
    ].reduce(fold, emptyLedger);

    expect(decide(ledger, reset + 3 * second)).toMatchObject({ granted: true });
  });
});
