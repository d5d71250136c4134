import { describe, expect, test } from 'vitest';
import { asOffline, type Decision, decide, grant } from '../../../src/limit/decide.ts';
import {
  applyOutcome,
  dropPermits,
  learnBan,
  type Outcome,
  type ResponseOutcome,
} from '../../../src/limit/learn.ts';
import { merge, shifted } from '../../../src/limit/merge.ts';
import { emptyState, type State } from '../../../src/limit/state.ts';
import { type Clocks, later } from '../../../src/limit/time.ts';

/** Times of the tests are seconds since then. */
const start = 1e12;
const time = (seconds: number) => start + seconds * 1_000;

type History = { readonly state: State; readonly grantedAt: Readonly<Record<string, number>> };
type Event = (before: History) => History;
type Reported = Pick<ResponseOutcome, 'limit' | 'remaining'> & { readonly resetsAt?: number };

const minute = (remaining: number, resetsAt = 60): Reported => ({ limit: 60, remaining, resetsAt });
const day = (remaining: number): Reported => ({ limit: 1_000, remaining, resetsAt: 40_000 });

/** Grants a permit, if that is possible. */
const ask =
  (id: string, at = 0): Event =>
  ({ state, grantedAt }) => {
    const now = time(at);
    const current = dropExpired(state, now);
    const decision = decide(current, now);
    if (!decision.granted) return { state: current, grantedAt };
    const permit = { expiresAt: now + 35_000, owner: { pid: 1, host: 'here' } };
    const granted = grant(current, id, permit, decision.isProbe);
    return { state: granted, grantedAt: { ...grantedAt, [id]: now } };
  };

const end =
  (id: string, at: number, outcome: Outcome): Event =>
  ({ state, grantedAt }) => {
    const now = time(at);
    return { state: applyOutcome(state, id, outcome, now, grantedAt[id] ?? now), grantedAt };
  };

const response = (id: string, reported: Reported = {}, at = 0, status = 200, waitS?: number) => {
  const { limit, remaining, resetsAt } = reported;
  const reset =
    resetsAt === undefined ? undefined : { at: resetsAt * 1_000, inMs: (resetsAt - at) * 1_000 };
  const waitMs = waitS === undefined ? undefined : waitS * 1_000;
  return end(id, at, {
    ...{ kind: 'response', jitter: 0.5 },
    ...{ status, limit, remaining, reset, waitMs },
  });
};
/** Sends a request and takes its response. */
const got =
  (reported: Reported, at = 0): Event =>
  (before) =>
    response('x', reported, at)(ask('x', at)(before));
const lost = (id: string) => end(id, 0, { kind: 'lost' });
const refusal = (id: string, at = 0, waitS?: number, reported: Reported = {}) =>
  response(id, reported, at, 429, waitS);
const change =
  (work: (state: State) => State): Event =>
  ({ state, grantedAt }) => ({ state: work(state), grantedAt });
const banned: Event = change(learnBan);
const cleared = (at: number) =>
  change(({ permits }) => ({ ...emptyState, permits, clearedAt: time(at) }));
const dropAll = change((state) => dropPermits(state, time(0), () => true));
const askAll = (ids: string, at = 0) => [...ids].map((id) => ask(id, at));

function stateAfter(events: readonly Event[]): State {
  return events.reduce((before, event) => event(before), { state: emptyState, grantedAt: {} })
    .state;
}

function dropExpired(state: State, now: number): State {
  return dropPermits(state, now, ({ expiresAt }) => now >= expiresAt);
}

/** Returns "granted", "probe", "busy", or the reason of a wait and the second in which it ends. */
function inShort(decision: Decision, at: number): string {
  if (decision.granted) return decision.isProbe ? 'probe' : 'granted';
  const { reason, mayEndEarly, waitMs } = decision;
  return mayEndEarly ? 'busy' : `${reason} ${at + waitMs / 1_000}`;
}

const opened = [got(minute(59))];
const othersUsed = [got(minute(30)), got(minute(3))];
const othersUsedDay = [got(day(60)), got(day(45))];
const threeLeft = [got(minute(3, 185), 125)];
const lastOfDay = got(minute(0, 40_000), 39_960);
const unavailable = response('b', {}, 40, 503, 60);
const rejectedTwice = [
  ...[got(minute(9)), refusal('a', 0, 1)],
  ...[response('b', {}, 200, 401), response('c', {}, 661, 401)],
];
const newPlan = { ...minute(999), limit: 1_000 };
const sixtyOfDay = Array.from({ length: 60 }, (_, n) => got(day(500 - n)));

const two = [...opened, ...askAll('ab')];
/** A 429 that told nothing, and a success after it. */
const paced = (at: number) => [refusal('a'), got({}, at)];
const inARow = (count: number) =>
  [0, 4, 12, 38, 90, 140].slice(0, count).map((at) => refusal(`x${at}`, at));
const othersUse = [got(minute(59)), got(minute(34))];
const othersUseLess = [got(minute(59)), got(minute(35))];
const late = [...opened, ...askAll('ab', 59)];
const outOfOrder = [
  ...[got(minute(2)), ...askAll('ab')],
  ...[response('b', minute(0)), response('a', minute(1))],
];
const lateResponse = [
  ...late,
  ...[response('a', minute(58, 120), 60.2), response('b', minute(0), 60.5)],
];
const ownInFlight = [
  ...[...late, got(minute(5, 122), 62)],
  ...[response('a', minute(4, 122), 62), response('b', minute(3, 122), 62)],
];
const untilReset = refusal('a', 0, undefined, minute(0, 30));
const threeRefused = [
  ...[...opened, ...askAll('abc')],
  ...[refusal('a'), refusal('b', 1), refusal('c', 2)],
];
const endsLater = [...two, refusal('a', 0, 1), response('b', minute(39))];
const refusedLater = [
  ...[...two, refusal('a', 0, 1), got(minute(50), 3)],
  ...[refusal('b', 3), ask('c', 6)],
];
const refusedForLess = [...two, refusal('a', 0, 300), refusal('b', 1, 5)];
const unavailableForLess = [...two, refusal('a', 0, 300), response('b', {}, 1, 503, 5)];
const refusedAgain = [refusal('a', 0, 1), refusal('b', 9, 1), refusal('c', 19, 900)];
const nearReset = (remaining: number) => ({ limit: 10, remaining, resetsAt: 150 });
const endOfDay = [got(nearReset(5)), got(nearReset(0), 40)];
const longerThan503 = [...two, response('a', {}, 0, 503, 60), refusal('b', 1, 90)];
const longerThan429 = [...two, refusal('a', 0, 10), response('b', {}, 1, 503, 90)];

const rows: readonly (readonly [when: string, at: number, events: readonly Event[], so: string])[] =
  [
    ['our clock may be ahead by a fraction', 61, [got(minute(0))], 'minute 61.001'],
    ['the window is over', 61.001, [got(minute(0))], 'probe'],
    ['only the day is reported', 0, [got(day(500))], 'granted'],
    ['only the day is reported, 60 times', 0, sixtyOfDay, 'minute 61'],
    ['the day had one left before the minute', 0, [got(day(1)), got(minute(50))], 'day 40001'],
    ['the day has what is in flight', 62, [got(day(1)), ask('a', 40)], 'busy'],
    ['the day has one more', 62, [got(day(2)), ask('a', 40)], 'probe'],
    ['no response says how many may go in a minute', 1, [got({}), ask('a', 1)], 'busy'],
    ['a response says it', 1, [...opened, ask('a', 1)], 'granted'],
    ['a third of what is left is in flight', 0, [got(minute(8)), ...askAll('ab')], 'busy'],
    ['it is less than a third', 0, [got(minute(9)), ...askAll('ab')], 'granted'],
    ['a sixteenth is, and others use the key', 0, [...othersUse, ask('a')], 'busy'],
    ['it is less than a sixteenth', 0, [...othersUseLess, ask('a')], 'granted'],
    ['a new plan has the limit of the day', 1, [got(day(500)), got(newPlan)], 'granted'],
    ['a request was lost', 0, [got(minute(2)), ask('a'), lost('a')], 'granted'],
    ['all permits are dropped', 0, [got(minute(1)), ask('b'), dropAll], 'minute 61'],
    ['that is told twice', 0, [got(minute(2)), ask('a'), lost('a'), lost('a')], 'granted'],
    ['responses arrive in another order', 0, outOfOrder, 'minute 61'],
    ['seconds left arrive late', 0, [got(minute(0)), response('x', minute(9, 63))], 'minute 61'],
    ['a route of its own has less left', 0, [got(minute(9, 63)), got(minute(0))], 'minute 64'],
    ['a later reset has less left', 0, [got(minute(9)), got(minute(0, 63))], 'minute 64'],
    ['a window slides', 61.75, [got(minute(0)), got(minute(0, 61), 61.5)], 'minute 62'],
    ['a window ends earlier than reported', 0, [got(minute(1)), got(minute(0, 59))], 'minute 60'],
    ['others use the key', 0, othersUsed, 'minute 61'],
    [
      'others used it in the window before',
      62,
      [...othersUsed, got(minute(1, 122), 62)],
      'minute 123',
    ],
    ['others used it two minutes ago', 126, [...othersUsed, ...threeLeft], 'granted'],
    ['others used the day two minutes ago', 126, [...othersUsedDay, ...threeLeft], 'granted'],
    ['others use it, and the day is low', 0, othersUsedDay, 'granted'],
    ['the minute ends with the day', 39_960, [got(day(500)), lastOfDay], 'minute 40001'],
    ['a response of the window before comes late', 60.6, lateResponse, 'granted'],
    ['our own were in flight when the window began', 62, ownInFlight, 'granted'],
    ['it was refused for 30 s', 0, [refusal('a', 0, 30)], '429 31.125'],
    ['it was refused until a reset', 0, [untilReset], 'minute 31.125'],
    ['the reset is after that wait', 3, [refusal('a', 0, 1, minute(0, 40))], 'minute 41'],
    [
      'it was refused until the end of the day',
      0,
      [refusal('a', 0, 40_000, day(0))],
      'day 40001.125',
    ],
    ['the day ends in a minute or two', 40, endOfDay, 'day 151'],
    ['the third 429 in a row asks for more than five minutes', 19, refusedAgain, 'tripped 923'],
    ['a late 429 asks for less', 1, refusedForLess, '429 301.125'],
    ['a late 503 asks for less than a 429', 1, unavailableForLess, '429 301.125'],
    ['three were refused together', 2, threeRefused, '429 4.125'],
    ['one from before the refusal ends after it', 3, endsLater, 'probe'],
    ['another refusal is read after the next window has begun', 6, refusedLater, 'busy'],
    ['the body speaks of a ban', 1, [refusal('a', 0, 300), banned], 'banned 301.125'],
    ['it does when the wait is over', 32, [refusal('a', 0, 30), banned], 'granted'],
    ['it was refused alone, and told nothing', 0, [refusal('a')], '429 3.5'],
    ['it was refused with others, and told nothing', 0, [...two, refusal('a')], '429 2.125'],
    ['one has passed since, half a second ago', 5, paced(4.5), '429 5.5'],
    ['one has passed since, a second ago', 5, paced(4), 'granted'],
    ['one is in flight since', 5, [...paced(3.5), ask('b', 5)], 'busy'],
    ['a minute has passed since', 64, [...paced(3.5), got({}, 64), ask('b', 64)], 'busy'],
    [
      'two minutes have passed since',
      124,
      [...opened, ...paced(3.5), got(minute(50, 180), 124), ask('b', 124)],
      'granted',
    ],
    ['a second row of refusals ends', 10, [...paced(4), refusal('b', 5), got({}, 10)], '429 12'],
    [
      'a header had foretold it',
      62,
      [refusal('a', 0, 1, minute(0)), got(minute(59, 122), 62), ask('b', 62)],
      'granted',
    ],
    ['it was refused twice in a row', 4, [refusal('a'), refusal('b', 4)], '429 12'],
    ['it was refused five times in a row', 90, inARow(5), '429 140'],
    ['it was refused six times in a row', 140, inARow(6), 'tripped 440'],
    ['a key is rejected twice after a 429', 700, rejectedTwice, 'granted'],
    ['a 503 comes after that wait', 41, [refusal('a', 0, 30), unavailable], 'unavailable 101.125'],
    ['one from before a 503 is refused for longer', 1, longerThan503, '429 92.125'],
    ['a late 503 asks for more than a 429', 1, longerThan429, '429 92.125'],
  ];

test.for(rows)('when %s: at %d s', ([, at, events, so]) => {
  const state = dropExpired(stateAfter(events), time(at));
  expect(inShort(decide(state, time(at)), at)).toBe(so);
});

test.for([
  [16, 0, 'granted'],
  [16, 1, 'busy'],
  [15, 0, 'minute 61'],
] as const)('offline with %d of 60 left and %d in flight: %s', ([left, inFlight, so]) => {
  const events = [got(minute(left)), ...askAll('a'.repeat(inFlight))];
  const state = asOffline(stateAfter(events), time(0));
  expect(inShort(decide(state, time(0)), 0)).toBe(so);
});

describe('two copies of one limit', () => {
  const sixtyCounted = Array.from({ length: 60 }, () => got({}, 10));
  const sixtyAtOnce = Array.from({ length: 60 }, () => got({}));
  const cases: readonly (readonly [string, readonly Event[], readonly Event[], string])[] = [
    ['the longer wait', [refusal('a', 0, 30)], [refusal('b', 0, 90)], '429 91.125'],
    ['the lower remaining', [got(minute(1))], [got(minute(0))], 'minute 61'],
    ['the later window', [got(minute(0))], [got(minute(59, 121), 61)], 'granted'],
    ['what is reported, not what one counts', sixtyCounted, [got(minute(9, 120))], 'granted'],
    ['the later of two that they count', sixtyAtOnce, [got({}, 62)], 'granted'],
    ['the minute that one counts since', [got(minute(0))], [got({}, 62)], 'granted'],
    ['a refusal', opened, [...opened, refusal('b', 0, 30)], '429 31.125'],
    ['what was discarded later', [refusal('a', 0, 90)], [cleared(2)], 'probe'],
    ['what was reported since', [cleared(2)], [refusal('a', 4, 90)], '429 95.125'],
  ];

  test.for(cases)('agree on %s', ([, one, other, so]) => {
    const at = so === 'granted' ? 62 : 5;
    const [a, b] = [stateAfter(one), stateAfter(other)];
    for (const merged of [merge(a, b), merge(b, a)]) {
      expect(inShort(decide(merged, time(at)), at)).toBe(so);
      expect(merge(merged, b)).toBe(merged);
    }
  });

  test('never let a burst follow a refusal that one of them has not heard of', () => {
    const refused = stateAfter([...opened, refusal('b', 0, 30)]);
    for (const merged of [merge(refused, stateAfter(opened)), merge(stateAfter(opened), refused)]) {
      expect(decide(merged, time(32))).toEqual({ granted: true, isProbe: true });
    }
  });

  test('trip after three refusals in a row, although one of them has heard of none before', () => {
    const refused = stateAfter([...opened, refusal('b', 0, 1), refusal('c', 10, 1)]);
    for (const merged of [merge(refused, stateAfter(opened)), merge(stateAfter(opened), refused)]) {
      const { state } = refusal('d', 20, 1)({ state: merged, grantedAt: {} });
      expect(inShort(decide(state, time(20)), 20)).toBe('tripped 320');
    }
  });

  test('suspect a ban soon after a 429, by whichever clock it was refused', () => {
    const refused = stateAfter([got(minute(9)), refusal('b', 1)]);
    const before = { state: shifted(refused, 700_000), grantedAt: {} };
    const { state } = response('c', {}, 710, 401)(before);
    expect(inShort(decide(state, time(710)), 710)).toBe('banned 1010');
  });
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
      const clocks = { boot, uptime: named.uptime + uptime, wall: named.wall + wall };
      stamp = later(stamp, {
        ...clocks,
        uptime: clocks.uptime + passed,
        wall: clocks.wall + passed,
      });
      expect(Math.abs(stamp.at - passed)).toBeLessThanOrEqual(most);
    }
  });
});
