import { describe, expect, test } from 'vitest';
import { type Clocks, later } from '../../../src/limit/clocks.ts';
import { type Denied, decide, grantAll } from '../../../src/limit/decide.ts';
import { applyEnd, dropPermits, type ResponseEnd } from '../../../src/limit/learn.ts';
import type { Limit } from '../../../src/limit/limit.ts';
import { emptyState, type State } from '../../../src/limit/state.ts';
import { readStatus } from '../../../src/limit/status.ts';

/** Times of the tests are seconds since then. */
const start = 1e12;
const time = (seconds: number) => start + seconds * 1_000;

type History = { readonly state: State; readonly grantedAt: Readonly<Record<string, number>> };
type Event = (before: History) => History;
type Reported = Pick<ResponseEnd, 'limit' | 'remaining'> & { readonly resetsAt?: number };

const minute = (remaining: number, resetsAt = 60): Reported => ({ limit: 60, remaining, resetsAt });
const day = (remaining: number): Reported => ({ limit: 1_000, remaining, resetsAt: 40_000 });

/** Grants a permit, if that is possible. */
const ask =
  (id: string, at = 0): Event =>
  ({ state, grantedAt }) => {
    const now = time(at);
    const permit = { expiresAt: now + 35_000, owner: { pid: 1, host: 'here' } };
    const { state: after, denied } = grantAll(dropExpired(state, now), [id], permit, now, false);
    return { state: after, grantedAt: denied ? grantedAt : { ...grantedAt, [id]: now } };
  };
const askAll = (ids: string, at = 0) => [...ids].map((id) => ask(id, at));

const response =
  (id: string, reported: Reported = {}, at = 0, status = 200, waitS?: number): Event =>
  ({ state, grantedAt }) => {
    const now = time(at);
    const { limit, remaining, resetsAt } = reported;
    const reset = resetsAt && { at: resetsAt * 1_000, inMs: (resetsAt - at) * 1_000 };
    const waitMs = waitS && waitS * 1_000;
    const end = { status, limit, remaining, reset: reset || undefined, waitMs, jitter: 0.5 };
    const before = grantedAt[id] ?? now;
    return {
      state: applyEnd(state, id, { kind: 'response', ...end }, now, before),
      grantedAt,
    };
  };
const refusal = (id: string, at = 0, waitS?: number, reported: Reported = {}) =>
  response(id, reported, at, 429, waitS);
/** Sends a request and takes its response. */
const got =
  (reported: Reported, at = 0): Event =>
  (before) =>
    response('x', reported, at)(ask('x', at)(before));

function stateAfter(events: readonly Event[]): State {
  const nothing: History = { state: emptyState, grantedAt: {} };
  return events.reduce((before, event) => event(before), nothing).state;
}

function dropExpired(state: State, now: number): State {
  return dropPermits(state, now, ({ expiresAt }) => now >= expiresAt);
}

/** Returns "granted", "busy", or the reason of a wait and the second in which it ends. */
function inShort(denied: Denied | undefined, at: number): string {
  if (!denied) return 'granted';
  const { reason, waitMs } = denied;
  return reason === 'probe' ? 'busy' : `${reason} ${at + waitMs / 1_000}`;
}

/** Several may be in flight. */
const opened = Array.from({ length: 20 }, (_, sent) => got(minute(59 - sent)));
const two = [...opened, ...askAll('ab')];
const refusedAgain = [refusal('a', 0, 1), refusal('b', 9, 1), refusal('c', 19, 900)];
const refusedTwice = [refusal('a', 0, 1), got({}, 4), refusal('b', 5, 1)];
const refusedInRow = [refusal('a', 0, 1), refusal('b', 4, 1)];
const nearReset = (remaining: number) => ({ limit: 10, remaining, resetsAt: 150 });
const lateResponse = [
  ...opened,
  ...askAll('ab', 59),
  response('a', minute(58, 120), 60.2),
  response('b', minute(0), 60.5),
];
const untilReset = [refusal('a', 0, undefined, minute(0, 30))];
const tookFive = [got(minute(20)), got(minute(14)), got(minute(5))];
const tookOne = [...opened, got(minute(38)), ask('a'), got(minute(37))];
const together = [...two, ask('c'), refusal('a'), refusal('b', 1), refusal('c', 2)];
const before = [...two, refusal('a', 0, 1), response('b', minute(39))];
const foretold = [refusal('a', 0, 1, minute(0)), got(minute(59, 122), 62)];

test.for<[when: string, at: number, events: readonly Event[], so: string]>([
  ['the day has what is in flight', 62, [got(day(1)), ask('a', 40)], 'busy'],
  ['a later reset has less left', 0, [got(minute(9)), got(minute(0, 63))], 'window 64'],
  ['a window ends earlier than reported', 0, [got(minute(1)), got(minute(0, 59))], 'window 60'],
  ['a response of the window before comes late', 60.6, lateResponse, 'granted'],
  ['it was refused until a reset', 0, untilReset, 'window 31.125'],
  ['the day ends in a minute or two', 40, [got(nearReset(5)), got(nearReset(0), 40)], 'day 151'],
  ['the third 429 in a row asks for more than five minutes', 19, refusedAgain, 'tripped 923'],
  ['nothing had foretold a 429', 4, [refusal('a'), got({}, 4)], '429 5'],
  ['the next one was not foretold either', 9, [...refusedTwice, got({}, 9)], '429 11'],
  ['a minute has passed since then', 69, [...refusedTwice, got({}, 69)], '429 70'],
  ['two minutes have passed', 130, [...refusedTwice, got({}, 130)], 'granted'],
  ['two in a row named a wait', 9, [...refusedInRow, got({}, 9)], '429 10'],
  ['two in a row named no wait', 70, [refusal('a'), refusal('b', 4), got({}, 70)], '429 72'],
  ['others sent five in between', 9, tookFive, 'window 61'],
  ['others took one', 9, tookOne, 'busy'],
  ['three were refused together', 2, together, '429 5.125'],
  ['one from before the refusal ends after it', 3, before, 'granted'],
  ['a header had foretold it', 62, foretold, 'granted'],
])('when %s: at %d s', ([, at, events, so]) => {
  const state = dropExpired(stateAfter(events), time(at));
  expect(inShort(decide(state, time(at)), at), 'the next request').toBe(so);
});

describe('our clock', () => {
  const named = { at: 0, wall: 9_000_000, uptime: 100_000, boot: 'b00t' };
  const unnamed = { ...named, boot: 'unnamed.here' };
  test.for([
    ['goes on with the uptime', named, named.boot, 9_001_000, 101_000, 1_000],
    ['does not notice a clock that is set', named, named.boot, 0, 101_000, 1_000],
    ['never goes back', named, named.boot, 9_000_000, 90_000, 0],
    ['goes on with the wall clock after a restart', named, 'next', 9_060_000, 5_000, 60_000],
    ['stands still if that was set back', named, 'next', 8_000_000, 5_000, 0],
    ['sees a restart by the uptime', unnamed, unnamed.boot, 9_060_000, 5_000, 60_000],
    ['sees a quick restart by the uptime', unnamed, unnamed.boot, 9_005_000, 2_000, 5_000],
    ['sees a restart by its moment', unnamed, unnamed.boot, 9_900_000, 200_000, 900_000],
    ['without a name, too, is not set back', unnamed, unnamed.boot, 0, 101_000, 1_000],
  ] as const)('%s', ([, then, boot, wall, uptime, at]) => {
    expect(later(then, { boot, wall, uptime }).at).toBe(at);
  });

  test.for<[who: string, difference: Partial<Clocks>, most: number]>([
    ['processes', { uptime: -90 }, 90],
    ['containers', { uptime: -99_000 }, 0],
    ['machines', { boot: 'other', uptime: 5e8, wall: 500 }, 500],
    ['machines', { boot: 'other', uptime: -9e4, wall: -600_000 }, 600_000],
  ])('does not run fast if two %s differ by %j', ([, difference, most]) => {
    let stamp = named;
    for (let passed = 0; passed <= 60_000; passed += 100) {
      const { boot = named.boot, uptime = 0, wall = 0 } = passed % 200 ? difference : {};
      const now = { uptime: named.uptime + uptime + passed, wall: named.wall + wall + passed };
      stamp = later(stamp, { boot, ...now });
      expect(Math.abs(stamp.at - passed)).toBeLessThanOrEqual(most);
    }
  });
});

test('a window in which a request was lost beside the last one has nothing left, and no less', async () => {
  const minute = { limit: 60, remaining: -1, endsAt: time(60), serviceResetAt: time(60) };
  const limit: Pick<Limit, 'change'> = {
    change: async (step) => step({ ...emptyState, minute }, start)[1],
  };

  const status = await readStatus(limit as Limit);

  expect(status.minute).toMatchObject({ remaining: 0, used: 60 });
});
