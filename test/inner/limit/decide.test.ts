import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Decision, decide, grant } from '../../../src/limit/decide.ts';
import {
  applyOutcome,
  dropPermits,
  learnBan,
  type Outcome,
  type ResponseOutcome,
} from '../../../src/limit/learn.ts';
import { merge, shifted, withoutPermits } from '../../../src/limit/merge.ts';
import { emptyState, type State } from '../../../src/limit/state.ts';
import { later } from '../../../src/limit/time.ts';
import { trials } from '../../support/trials.ts';

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
  const jitter = 0.5;
  return end(id, at, {
    ...{ kind: 'response', jitter },
    ...{ status, limit, remaining, reset, waitMs },
  });
};
const refusal = (id: string, at = 0, waitS?: number, reported: Reported = {}) =>
  response(id, reported, at, 429, waitS);
const change =
  (work: (state: State) => State): Event =>
  ({ state, grantedAt }) => ({ state: work(state), grantedAt });
const banned = (at: number) => change((state) => learnBan(state, time(at)));
const cleared = (at: number) =>
  change(({ permits }) => ({ ...emptyState, permits, clearedAt: time(at) }));
const many = (count: number, of: (index: number) => readonly Event[]) =>
  Array.from({ length: count }, (_, index) => of(index)).flat();

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
  return mayEndEarly ? reason : `${reason} ${at + waitMs / 1_000}`;
}

const opened = [ask('a'), response('a', minute(59))];
const oneLeft = [ask('a'), response('a', minute(1))];

const rows: readonly (readonly [when: string, at: number, events: readonly Event[], so: string])[] =
  [
    ['nothing is known', 0, [], 'probe'],
    ['another one finds out', 0, [ask('a')], 'probe'],
    ['the window is open', 0, opened, 'granted'],
    ['nothing is left', 0, [ask('a'), response('a', minute(0))], 'minute 61'],
    ['all that is left is in flight', 0, [...oneLeft, ask('b')], 'busy'],
    ['seven are in flight', 0, [...opened, ...many(7, (n) => [ask(`b${n}`)])], 'granted'],
    ['eight are in flight', 0, [...opened, ...many(8, (n) => [ask(`b${n}`)])], 'busy'],
    ...[[15, 'granted'] as const, [16, 'busy'] as const].map(([count, so]) => {
      const wide = response('a', { ...minute(900), limit: 1_000 });
      const events = [ask('a'), wide, ...many(count, (n) => [ask(`b${n}`)])];
      return [`${count} are in flight of 1,000 a minute`, 0, events, so] as const;
    }),
    ['a reset may be rounded down', 60.5, [ask('a'), response('a', minute(0))], 'minute 61'],
    [
      'our clock may be ahead by a fraction',
      61,
      [ask('a'), response('a', minute(0))],
      'minute 61.001',
    ],
    ['the window is over', 61.001, [ask('a'), response('a', minute(0))], 'probe'],
    ['the day is used up', 0, [ask('a'), response('a', day(0))], 'day 40001'],
    ['only the day is reported', 0, [ask('a'), response('a', day(500))], 'granted'],
    [
      'only the day is reported, 60 times',
      0,
      many(60, (n) => [ask(`${n}`), response(`${n}`, day(500 - n))]),
      'minute 61',
    ],
    [
      'only the minute is reported since the day had one left',
      0,
      [ask('a'), response('a', day(1)), ask('b'), response('b', minute(50))],
      'day 40001',
    ],
    [
      'the day has what is in flight',
      62,
      [ask('a'), response('a', day(3)), ...many(3, (n) => [ask(`b${n}`, 40)])],
      'busy',
    ],
    [
      'the day has one more',
      62,
      [ask('a'), response('a', day(4)), ...many(3, (n) => [ask(`b${n}`, 40)])],
      'probe',
    ],
    [
      'the day looks like a minute in its last one',
      39_990,
      [ask('a'), response('a', day(1)), ask('b', 39_980), response('b', day(0), 39_980)],
      'day 40001',
    ],
    [
      'the minute has the limit of the day after a new plan',
      1,
      [
        ask('a'),
        response('a', day(500)),
        ask('b'),
        response('b', { ...minute(999), limit: 1_000 }),
      ],
      'granted',
    ],
    ['nothing is ever reported', 0, [ask('a'), response('a')], 'granted'],
    [
      'a reset makes no sense',
      0,
      [ask('a'), response('a', { limit: 10, remaining: 0 })],
      'minute 61',
    ],
    [
      'resets are just past, 60 times',
      0,
      many(60, (n) => [ask(`${n}`), response(`${n}`, minute(59 - n, -3))]),
      'minute 61',
    ],
    ['a killed process has the last permit', 34, [...oneLeft, ask('b')], 'busy'],
    ['its permit has run out', 35, [...oneLeft, ask('b')], 'minute 61'],
    ['a killed process was to find out', 35, [ask('a')], 'probe'],
    [
      'a request was not sent',
      0,
      [...oneLeft, ask('b'), end('b', 0, { kind: 'unsent' })],
      'granted',
    ],
    ['a request was lost', 0, [...oneLeft, ask('b'), end('b', 0, { kind: 'lost' })], 'minute 61'],
    [
      'it is told twice that a request was lost',
      0,
      [
        ...[ask('a'), response('a', minute(2)), ask('b')],
        ...many(2, () => [end('b', 0, { kind: 'lost' })]),
      ],
      'granted',
    ],
    [
      'responses arrive in another order',
      0,
      [
        ask('a'),
        response('a', minute(2)),
        ask('b'),
        ask('c'),
        response('c', minute(0)),
        response('b', minute(1)),
      ],
      'minute 61',
    ],
    [
      'one window is reported with an earlier end',
      0,
      [...oneLeft, ask('b'), response('b', minute(0, 59))],
      'minute 60',
    ],
    [
      'others use the key',
      0,
      [ask('a'), response('a', minute(30)), ask('b'), response('b', minute(3))],
      'minute 61.5',
    ],
    [
      'our own were in flight when the window began',
      62,
      [
        ...[...opened, ask('b', 59), ask('c', 59)],
        ...[ask('d', 62), response('d', minute(5, 122), 62)],
        ...[response('b', minute(4, 122), 62), response('c', minute(3, 122), 62)],
      ],
      'granted',
    ],
    [
      'others used the key two minutes ago',
      126,
      [
        ...[ask('a'), response('a', minute(30)), ask('b'), response('b', minute(3))],
        ...[ask('c', 125), response('c', minute(3, 185), 125)],
      ],
      'granted',
    ],
    [
      'others use the key, and few are left',
      0,
      [ask('a'), response('a', minute(30)), ask('b'), response('b', minute(15)), ask('c')],
      'busy',
    ],
    [
      'others use the key, and the day is low',
      0,
      [ask('a'), response('a', day(60)), ask('b'), response('b', day(45))],
      'granted',
    ],
    ['it was refused for 30 s', 0, [ask('a'), refusal('a', 0, 30)], '429 31.125'],
    [
      'it was refused until a reset',
      0,
      [ask('a'), refusal('a', 0, undefined, minute(0, 30))],
      'minute 31.125',
    ],
    ['it was refused without a time', 0, [ask('a'), refusal('a')], '429 2.125'],
    ['that wait is over', 32, [ask('a'), refusal('a', 0, 30)], 'probe'],
    ['the reset is after that wait', 3, [ask('a'), refusal('a', 0, 1, minute(0, 40))], 'minute 41'],
    [
      'the day ends with a refusal',
      0,
      [ask('a'), refusal('a', 0, 40_000, day(0))],
      'day 40001.125',
    ],
    [
      'three were refused in a row',
      20,
      [refusal('a'), refusal('b', 10), refusal('c', 20)],
      'tripped 320',
    ],
    [
      'three were refused together',
      2,
      [...opened, ask('b'), ask('c'), ask('d'), refusal('b'), refusal('c', 1), refusal('d', 2)],
      '429 4.125',
    ],
    [
      'a success came in between',
      30,
      [refusal('a'), refusal('b', 10), response('c', minute(9), 20), refusal('d', 30)],
      '429 32.125',
    ],
    [
      'a failure came in between',
      50,
      [
        refusal('a'),
        response('b', {}, 10, 503),
        refusal('c', 20),
        response('d', {}, 40, 503),
        refusal('e', 50),
      ],
      'tripped 350',
    ],
    [
      'one from before the refusal ends after it',
      3,
      [...opened, ask('b'), ask('c'), refusal('b', 0, 1), response('c', minute(39))],
      'probe',
    ],
    [
      'another refusal is read after the next window has begun',
      6,
      [
        ...opened,
        ask('b'),
        ask('c'),
        refusal('b', 0, 1),
        ask('d', 3),
        response('d', minute(50), 3),
        refusal('c', 3),
        ask('e', 6),
      ],
      'granted',
    ],
    [
      'a key that worked is rejected after a 429',
      10,
      [response('a', minute(9)), refusal('b', 1), response('c', {}, 10, 401)],
      'banned 310',
    ],
    [
      'a key that never worked is rejected after a 429',
      11,
      [refusal('b'), response('c', {}, 10, 401)],
      'granted',
    ],
    ['the body of a 429 speaks of a ban', 1, [refusal('a', 0, 300), banned(1)], 'banned 301.125'],
    ['it does when the wait is over', 32, [refusal('a', 0, 30), banned(32)], 'probe'],
    ['everything was discarded', 0, [refusal('a', 0, 900), cleared(0)], 'probe'],
    ['a 503 asks for 60 s', 0, [ask('a'), response('a', {}, 0, 503, 60)], 'unavailable 61.125'],
    [
      'a 503 asks for less than a 429',
      1,
      [ask('a'), ask('b'), refusal('a', 0, 90), response('b', {}, 1, 503, 10)],
      '429 91.125',
    ],
    [
      'one from before a 503 is refused for longer',
      1,
      [...opened, ask('b'), ask('c'), response('b', {}, 0, 503, 60), refusal('c', 1, 90)],
      '429 92.125',
    ],
    [
      'a late 503 asks for more than a 429',
      1,
      [...opened, ask('b'), ask('c'), refusal('b', 0, 10), response('c', {}, 1, 503, 90)],
      '429 92.125',
    ],
    [
      'a key is rejected after a 503',
      63,
      [response('a', minute(9)), response('b', {}, 0, 503, 60), response('c', {}, 62, 401)],
      'granted',
    ],
  ];

test.for(rows)('when %s: at %d s', ([, at, events, so]) => {
  for (const byMs of [0, 7_000]) {
    const now = time(at) + byMs;
    const state = dropExpired(shifted(stateAfter(events), byMs), now);
    expect(inShort(decide(state, now), at)).toBe(so);
  }
});

test.for([
  [16, 0, 'granted'],
  [16, 1, 'busy'],
  [15, 0, 'minute 61'],
] as const)('offline with %d of 60 left and %d in flight: %s', ([left, inFlight, so]) => {
  const events = [ask('a'), response('a', minute(left)), ...many(inFlight, (n) => [ask(`b${n}`)])];
  expect(inShort(decide(stateAfter(events), time(0), true), 0)).toBe(so);
});

describe('two copies of one limit', () => {
  const cases: readonly (readonly [string, readonly Event[], readonly Event[], string])[] = [
    ['the longer wait', [refusal('a', 0, 30)], [refusal('b', 0, 90)], '429 91.125'],
    ['the lower remaining', oneLeft, [ask('a'), response('a', minute(0))], 'minute 61'],
    [
      'the later window',
      [ask('a'), response('a', minute(0))],
      [ask('a', 61), response('a', minute(59, 121), 61)],
      'granted',
    ],
    [
      'what is reported, not what one of them counts',
      many(60, (n) => [response(`${n}`, {}, 10)]),
      [ask('a'), response('a', minute(9, 120))],
      'granted',
    ],
    [
      'a refusal that the other has not heard of',
      opened,
      [...opened, refusal('b', 0, 30)],
      '429 31.125',
    ],
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
    const refused = stateAfter([...opened, refusal('b'), refusal('c', 10)]);
    for (const merged of [merge(refused, stateAfter(opened)), merge(stateAfter(opened), refused)]) {
      const { state } = refusal('d', 20)({ state: merged, grantedAt: {} });
      expect(inShort(decide(state, time(20)), 20)).toBe('tripped 320');
    }
  });

  test('count as spent what is in flight where the other one does not see it', () => {
    const state = withoutPermits(stateAfter([...oneLeft, ask('b')]));
    expect(state.permits).toEqual({});
    expect(inShort(decide(state, time(0)), 0)).toBe('minute 61');
  });

  test('suspect a ban soon after a 429, by whichever clock it was refused', () => {
    const refused = stateAfter([response('a', minute(9)), refusal('b', 1)]);
    const before = { state: shifted(refused, 700_000), grantedAt: {} };
    const { state } = response('c', {}, 710, 401)(before);
    expect(inShort(decide(state, time(710)), 710)).toBe('banned 1010');
  });
});

describe('our clock', () => {
  const named = { at: 0, wall: 9_000_000, uptime: 100_000, boot: 'b00t' };
  const unnamed = { ...named, boot: 'unnamed.here' };
  test.for([
    ['goes on with the uptime', named, { wall: 9_001_000, uptime: 101_000 }, 1_000],
    ['does not notice a clock that is set', named, { wall: 0, uptime: 101_000 }, 1_000],
    ['never goes back', named, { wall: 9_000_000, uptime: 90_000 }, 0],
    [
      'goes on with the wall clock after a restart',
      named,
      { wall: 9_060_000, uptime: 5_000, boot: 'next' },
      60_000,
    ],
    [
      'stands still if that was set back',
      named,
      { wall: 8_000_000, uptime: 5_000, boot: 'next' },
      0,
    ],
    ['sees a restart by the uptime', unnamed, { wall: 9_060_000, uptime: 5_000 }, 60_000],
    [
      'sees a quick restart by the uptime alone',
      unnamed,
      { wall: 9_005_000, uptime: 2_000 },
      5_000,
    ],
    ['sees a restart by its moment', unnamed, { wall: 9_900_000, uptime: 200_000 }, 900_000],
    [
      'does not notice a clock that is set back, without a name',
      unnamed,
      { wall: 0, uptime: 101_000 },
      1_000,
    ],
  ] as const)('%s', ([, then, clocks, at]) => {
    expect(later(then, { boot: then.boot, ...clocks }).at).toBe(at);
  });

  test('does not run fast if two processes differ in the uptime', () => {
    let stamp = named;
    for (let n = 0; n < 100; n += 1) {
      stamp = later(stamp, { ...named, uptime: 100_000 - (n % 2) * 90 });
    }
    expect(stamp.at).toBe(0);
  });
});

const anyEvent = fc.record({
  id: fc.constantFrom('a', 'b', 'c', 'd'),
  kind: fc.constantFrom('ask', 'response', 'refusal', 'lost', 'unsent'),
  passed: fc.integer({ min: 0, max: 20 }),
  remaining: fc.integer({ min: 0, max: 60 }),
  resetsIn: fc.integer({ min: -5, max: 90 }),
  waitS: fc.option(fc.integer({ min: 1, max: 120 }), { nil: undefined }),
});

test('nothing is granted before the end of a wait that the service named, whatever else happens', () => {
  const namedS = 400;
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 30 }), (events) => {
      let history = refusal('first', 0, namedS)({ state: emptyState, grantedAt: {} });
      let at = 0;
      for (const { id, kind, passed, remaining, resetsIn, waitS } of events) {
        at += passed;
        if (at >= namedS) return;
        const reported = minute(remaining, at + resetsIn);
        if (kind === 'ask') history = ask(id, at)(history);
        else if (kind === 'response') history = response(id, reported, at)(history);
        else if (kind === 'refusal') history = refusal(id, at, waitS, reported)(history);
        else history = end(id, at, { kind })(history);
        expect(history.state.permits).toEqual({});
      }
    }),
    trials(500),
  );
});

test('a window never grants more than it has left', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 20 }),
      fc.array(fc.record({ id: fc.nat(9).map(String), isEnd: fc.boolean() }), { maxLength: 60 }),
      (left, steps) => {
        let history: History = { state: emptyState, grantedAt: {} };
        for (const event of [ask('first'), response('first', minute(left))])
          history = event(history);
        let spent = 0;
        const inFlight = new Set<string>();
        for (const { id, isEnd } of steps) {
          if (!inFlight.has(id)) {
            history = ask(id, 1)(history);
            if (!(id in history.state.permits)) continue;
            inFlight.add(id);
            spent += 1;
            expect(spent).toBeLessThanOrEqual(left);
          } else if (isEnd) {
            history = response(id, minute(left - spent), 2)(history);
            inFlight.delete(id);
          }
        }
      },
    ),
    trials(500),
  );
});
