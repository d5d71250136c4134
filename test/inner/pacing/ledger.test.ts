import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { followClock } from '../../../src/pacing/clock.ts';
import { type Decision, decide } from '../../../src/pacing/decide.ts';
import { dropLeases, fold } from '../../../src/pacing/fold.ts';
import { emptyLedger, type Ledger } from '../../../src/pacing/ledger.ts';
import { limitStatus } from '../../../src/pacing/limit-status.ts';
import { type Answered, type Entry, formatEntry, parseEntry } from '../../../src/pacing/records.ts';
import { trials } from '../../support/trials.ts';

const t = 1_800_000_000_000;
const second = 1_000;

type Told = { limit?: number; remaining?: number; reset?: number; date?: number };
const ask = (id: string, at = t): Entry => ({ k: 'ask', id, at, lease: at + 35 * second });
const answer = (id: string, told: Told = {}, at = t, status = 200): Answered => ({
  k: 'answer',
  id,
  at,
  sent: at,
  status,
  jitter: 0.5,
  ...told,
});
const refused = (id: string, at = t, fields: Told & { wait?: number } = {}): Entry => ({
  k: 'refused',
  id,
  at,
  sent: at,
  jitter: 0.5,
  ...fields,
});
const minute = (remaining: number, resetIn = 60): Told => ({
  limit: 60,
  remaining,
  reset: t + resetIn * second,
});
const day = (remaining: number): Told => ({ limit: 1_000, remaining, reset: t + 40_000 * second });

/** The line as a machine writes it that was started 900 s before t, and whose clock was set forward by so many s since. */
const onBoot = (by: number, entry: Entry): Entry => {
  return { ...entry, boot: { id: 'this', at: (by - 900) * second } } as Entry;
};

const ledgerAfter = (...entries: Entry[]): Ledger => entries.reduce(fold, emptyLedger);
const decideAfter = (at: number, ...entries: Entry[]) =>
  inShort(decideAt(ledgerAfter(...entries), at));
const decideAt = (ledger: Ledger, at: number) =>
  decide(dropLeases(followClock(ledger, { at }), at), at);

/** 'granted', 'probe', 'busy', or the reason of a wait and when it ends, in seconds after t. */
function inShort(decision: Decision): string {
  if (decision.granted) return decision.probe ? 'probe' : 'granted';
  const { reason, soon, until } = decision;
  return soon ? reason : `${reason} ${(until - t) / second}`;
}

describe('a 503 that tells to wait', () => {
  const unavailable = (id: string, wait: number, at = t): Entry => ({
    ...answer(id, {}, at, 503),
    wait: wait * second,
  });

  test('binds everybody until its end, with the guard and the jitter on top', () => {
    const entries = [ask('a'), unavailable('a', 60)];

    expect(decideAfter(t + second, ...entries)).toBe('unavailable 61.125');
    expect(decideAfter(t + 62 * second, ...entries)).toBe('probe');
  });

  test('never shortens the wait after a 429, nor hides its reason', () => {
    const entries = [ask('a'), refused('a', t, { wait: 100 * second }), unavailable('b', 10)];

    expect(decideAfter(t + second, ...entries)).toBe('429 101.125');
    expect(decideAfter(t + second, ...entries, unavailable('c', 200))).toBe('429 201.125');
  });

  test('makes no ban of a key that is refused after it', () => {
    const entries = [answer('a'), unavailable('b', 10), answer('c', {}, t + 60 * second, 401)];

    expect(ledgerAfter(...entries).block?.reason).toBe('unavailable');
  });

  test('is no refusal in a row', () => {
    const entries = ['a', 'b', 'c', 'd'].map((id, n) => unavailable(id, 1, t + n * 10 * second));

    expect(ledgerAfter(...entries)).toMatchObject({
      refusals: 0,
      block: { reason: 'unavailable', until: t + 32.125 * second },
    });
  });
});

describe('who may send', () => {
  test.for<{ when: string; at?: number; entries: Entry[]; so: string }>([
    { when: 'nothing is known', entries: [], so: 'probe' },
    { when: 'somebody is finding out', entries: [ask('a')], so: 'probe' },
    { when: 'the window is open', entries: [ask('a'), answer('a', minute(59))], so: 'granted' },
    { when: 'nothing is left', entries: [ask('a'), answer('a', minute(0))], so: 'minute 61' },
    {
      when: 'all that is left is on its way',
      entries: [ask('a'), answer('a', minute(1)), ask('b')],
      so: 'busy',
    },
    {
      when: 'eight are on their way',
      entries: [ask('a'), answer('a', minute(59)), ...'bcdefghi'.split('').map((id) => ask(id))],
      so: 'busy',
    },
    ...[
      { limit: 999, on: 7, so: 'granted' },
      { limit: 999, on: 8, so: 'busy' },
      { limit: 1_000, on: 15, so: 'granted' },
      { limit: 1_000, on: 16, so: 'busy' },
    ].map(({ limit, on, so }) => ({
      when: `a minute allows ${limit} and ${on} are on their way`,
      entries: [
        ask('a'),
        answer('a', { ...minute(900), limit }),
        ...Array.from({ length: on }, (_, n) => ask(`b${n}`)),
      ],
      so,
    })),
    {
      when: 'the window is over',
      at: t + 61 * second,
      entries: [ask('a'), answer('a', minute(0))],
      so: 'probe',
    },
    ...[
      { left: 3, so: 'busy' },
      { left: 4, so: 'probe' },
    ].map(({ left, so }) => ({
      when: `the window is over, three are on their way, and the day has ${left} left`,
      at: t + 62 * second,
      entries: [
        ask('a'),
        answer('a', day(left)),
        ...['b', 'c', 'd'].map((id) => ask(id, t + 40 * second)),
      ],
      so,
    })),
    {
      when: 'the Date comes from a clock that is half a minute behind that of the reset',
      entries: [ask('a'), answer('a', { ...minute(0, 90), date: t })],
      so: 'minute 91',
    },
    {
      when: 'the window is over by a second less than its rounding',
      at: t + 60.5 * second,
      entries: [ask('a'), answer('a', minute(0))],
      so: 'minute 61',
    },
    { when: 'the day is used up', entries: [ask('a'), answer('a', day(0))], so: 'day 40001' },
    {
      when: 'the day is told and the minute is not',
      entries: [ask('a'), answer('a', day(500))],
      so: 'granted',
    },
    {
      when: 'our own count of the minute is used up',
      entries: [
        ask('a'),
        answer('a', day(500)),
        ...Array.from({ length: 59 }, (_, n) => [
          ask(`b${n}`),
          answer(`b${n}`, day(499 - n)),
        ]).flat(),
      ],
      so: 'minute 61',
    },
    { when: 'no answer ever tells anything', entries: [ask('a'), answer('a')], so: 'granted' },
    {
      when: 'a killed process holds the last slot',
      entries: [ask('a'), answer('a', minute(1)), ask('b')],
      at: t + 34 * second,
      so: 'busy',
    },
    {
      when: 'its lease is over: the slot is spent',
      entries: [ask('a'), answer('a', minute(1)), ask('b')],
      at: t + 35 * second,
      so: 'minute 61',
    },
    {
      when: 'a killed process was to find out',
      entries: [ask('a')],
      at: t + 35 * second,
      so: 'probe',
    },
    {
      when: 'a request never left',
      entries: [ask('a'), answer('a', minute(1)), ask('b'), { k: 'unsent', id: 'b', at: t }],
      so: 'granted',
    },
    {
      when: 'a request was lost on the way',
      entries: [ask('a'), answer('a', minute(1)), ask('b'), { k: 'lost', id: 'b', at: t }],
      so: 'minute 61',
    },
    {
      when: 'answers come in another order',
      entries: [
        ask('a'),
        answer('a', minute(2)),
        ask('b'),
        ask('c'),
        answer('c', minute(0)),
        answer('b', minute(1)),
      ],
      so: 'minute 61',
    },
    {
      when: 'answers come in another order past a reset that was rounded down',
      at: t + 60_500,
      entries: [
        ask('a'),
        answer('a', minute(2)),
        ask('b', t + 60_100),
        ask('c', t + 60_100),
        answer('c', minute(0), t + 60_300),
        answer('b', minute(1), t + 60_300),
      ],
      so: 'minute 61',
    },
    {
      when: 'the service refused and said how long',
      entries: [ask('a'), refused('a', t, { wait: 30 * second })],
      so: '429 31.125',
    },
    {
      when: 'it is told only when the limit resets',
      entries: [ask('a'), refused('a', t, minute(0, 30))],
      so: '429 31.125',
    },
    {
      when: 'that wait is over',
      at: t + 32 * second,
      entries: [ask('a'), refused('a', t, { wait: 30 * second })],
      so: 'probe',
    },
    {
      when: 'three were refused in a row',
      at: t + 20 * second,
      entries: [refused('a'), refused('b', t + 10 * second), refused('c', t + 20 * second)],
      so: 'tripped 320',
    },
    {
      when: 'three were refused at one moment',
      entries: [ask('a'), ask('b'), ask('c'), refused('a'), refused('b'), refused('c')],
      so: '429 2.125',
    },
    {
      when: 'an answer came between the refusals',
      at: t + 30 * second,
      entries: [
        refused('a'),
        refused('b', t + 10 * second),
        answer('c', minute(9), t + 20 * second),
        refused('d', t + 30 * second),
      ],
      so: '429 32.125',
    },
    {
      when: 'a key that worked is refused after a 429',
      at: t + 10 * second,
      entries: [
        answer('a', minute(9)),
        refused('b', t + second),
        answer('c', {}, t + 10 * second, 401),
      ],
      so: 'banned 310',
    },
    {
      when: 'a key that never worked is refused after a 429',
      entries: [refused('b'), answer('c', {}, t + 10 * second, 401)],
      at: t + 11 * second,
      so: 'granted',
    },
    {
      when: 'the body of a 429 says that the key is banned',
      entries: [refused('a', t, { wait: 300 * second }), { k: 'banned', id: 'a', at: t + second }],
      so: 'banned 301.125',
    },
    {
      when: 'it says so when the wait is over',
      at: t + 32 * second,
      entries: [
        refused('a', t, { wait: 30 * second }),
        { k: 'banned', id: 'a', at: t + 32 * second },
      ],
      so: 'probe',
    },
    {
      when: 'it says so after the ledger was cleared by hand',
      entries: [refused('a', t), { k: 'clear', at: t }, { k: 'banned', id: 'a', at: t }],
      so: 'probe',
    },
    {
      when: 'the ledger was cleared by hand',
      entries: [refused('a', t, { wait: 900 * second }), { k: 'clear', at: t }],
      so: 'probe',
    },
    {
      when: 'the clock was set back by an hour after a refusal',
      at: t - 3_600 * second,
      entries: [refused('a', t, { wait: 30 * second })],
      so: '429 -3568.875',
    },
    {
      when: 'the clock was set back by an hour within a window',
      at: t - 3_600 * second,
      entries: [ask('a'), answer('a', minute(0))],
      so: 'minute -3539',
    },
    {
      when: 'the service is an hour ahead',
      entries: [ask('a'), answer('a', { ...minute(0, 3_660), date: t + 3_600 * second })],
      so: 'minute 61',
    },
    {
      when: 'its clock reads up to a second less than it is',
      entries: [ask('a'), answer('a', { ...minute(0, 60), date: t - 900 })],
      so: 'minute 61.9',
    },
    {
      when: 'others use the key: a part is left to them',
      entries: [ask('a'), answer('a', minute(30)), ask('b'), answer('b', minute(3))],
      so: 'minute 61.5',
    },
    {
      when: 'a refusal tells of a reset beyond its Retry-After',
      at: t + 3 * second,
      entries: [ask('a'), refused('a', t, { ...minute(0, 40), wait: second })],
      so: 'minute 41',
    },
    {
      when: 'the day ends with a refusal',
      entries: [ask('a'), refused('a', t, { ...day(0), wait: 40_000 * second })],
      so: 'day 40001.125',
    },
    {
      when: 'the day is used up and the refusal says a second',
      entries: [ask('a'), refused('a', t, { ...day(0), wait: second })],
      so: 'day 40001',
    },
    {
      when: 'a reset makes no sense and the rest does',
      entries: [ask('a'), answer('a', { limit: 10, remaining: 0 })],
      so: 'minute 61',
    },
    {
      when: 'resets are just past, again and again',
      entries: Array.from({ length: 60 }, (_, n) => [
        ask(`${n}`),
        answer(`${n}`, { limit: 60, remaining: 59 - n, reset: t - 3 * second }),
      ]).flat(),
      so: 'minute 61',
    },
    {
      when: 'an answer from before the refusal comes after it',
      at: t + 3 * second,
      entries: [
        ask('a'),
        ask('x'),
        answer('x', minute(40)),
        ask('b'),
        refused('a', t, { wait: second }),
        answer('b', minute(39)),
      ],
      so: 'probe',
    },
    {
      when: 'refusals and failures take turns',
      at: t + 50 * second,
      entries: [
        refused('a'),
        answer('b', {}, t + 10 * second, 503),
        refused('c', t + 20 * second),
        answer('d', {}, t + 40 * second, 503),
        refused('e', t + 50 * second),
      ],
      so: 'tripped 350',
    },
    {
      when: 'requests granted together are refused one after another',
      at: t + 3 * second,
      entries: [
        ask('p'),
        answer('p', minute(9)),
        ask('a'),
        ask('b'),
        ask('c'),
        refused('a'),
        refused('b', t + second),
        refused('c', t + 2 * second),
      ],
      so: '429 4.125',
    },
    {
      when: 'a told hour is longer than the suspicion of a ban',
      at: t + 5 * second,
      entries: [
        answer('w', minute(9)),
        ask('a'),
        refused('a', t, { wait: 3_600 * second }),
        { ...answer('b', {}, t + 5 * second, 403), sent: t + 4 * second },
      ],
      so: 'banned 3601.125',
    },
    {
      when: 'others use the key and the day is low',
      entries: [ask('a'), answer('a', day(60)), ask('b'), answer('b', day(45))],
      so: 'granted',
    },
    {
      when: 'the plan has grown: what was the day is a minute now',
      at: t + second,
      entries: [
        ask('a'),
        answer('a', day(500)),
        ask('b'),
        answer('b', { limit: 1_000, remaining: 999, reset: t + 60 * second }),
      ],
      so: 'granted',
    },
  ])('when $when: $so', ({ at = t, entries, so }) => {
    expect(decideAfter(at, ...entries)).toBe(so);
  });

  test('a wait goes on at its pace when the clock was set back, for all who read the log', () => {
    const back = t - 3_600 * second;
    const blocked = ledgerAfter(refused('a', t, { wait: 30 * second }));
    const told = fold(blocked, ask('b', back));

    expect(inShort(decideAt(told, back + 31 * second))).toBe('429 -3568.875');
    expect(inShort(decideAt(told, back + 32 * second))).toBe('probe');
  });

  test.for([
    { what: 'set forward by an hour', by: 3_600 },
    { what: 'set forward by a day', by: 86_400 },
    { what: 'set back by a minute', by: -60 },
    { what: 'slowly adjusted', by: 0.9 },
  ])(
    'on a machine that was not restarted, a wait lasts as long as before when the clock was $what',
    ({ by }) => {
      const blocked = ledgerAfter(onBoot(0, refused('a', t, { wait: 30 * second })));
      const reading = (after: number) => {
        return { at: t + (by + after) * second, boot: { id: 'this', at: (by - 900) * second } };
      };

      expect(decide(followClock(blocked, reading(30)), reading(30).at)).toMatchObject({
        reason: '429',
      });
      expect(decide(followClock(blocked, reading(32.1)), reading(32.1).at).granted).toBe(true);
    },
  );

  test('many small adjustments count once they add up', () => {
    const adjusted = [0.6, 1.2, 1.8, 2.4].map((by) =>
      onBoot(by, { k: 'unsent', id: 'x', at: t + by * second }),
    );
    const { block } = ledgerAfter(onBoot(0, refused('a', t, { wait: 30 * second })), ...adjusted);

    expect(block?.until).toBe(t + (31.125 + 2.4) * second);
  });

  test('what was learned of the service’s clock holds after the ledger was cleared and the clock was set', () => {
    const cleared = ledgerAfter(
      onBoot(0, answer('a', { date: t })),
      onBoot(0, { k: 'clear', at: t }),
    );
    const ahead = { at: t + 3_600 * second, boot: { id: 'this', at: 2_700 * second } };

    expect(followClock(cleared, ahead).offset?.low).toBe(-3_600 * second);
  });

  test('a line that comes late, of a process that was stopped, shortens no wait', () => {
    const late = onBoot(0, { k: 'unsent', id: 'stopped', at: t - 120 * second });
    const ledger = ledgerAfter(onBoot(0, refused('a', t, { wait: 30 * second })), late);

    expect(ledger.block?.until).toBe(t + 31.125 * second);
  });

  test('the reset of a minute with the limit of a day is told as the minute', () => {
    const ledger = ledgerAfter(
      ask('a'),
      answer('a', day(500)),
      ask('b'),
      answer('b', { limit: 1_000, remaining: 999, reset: t + 60 * second }),
    );

    expect(limitStatus(ledger, { at: t }).minute).toMatchObject({
      limit: 1_000,
      remaining: 999,
      source: 'service',
    });
  });

  test('the day is still the day in its last minute', () => {
    const lastMinute = t + 39_990 * second;
    const ledger = ledgerAfter(
      ask('a'),
      answer('a', day(500)),
      ask('b', lastMinute),
      answer('b', day(0), lastMinute),
    );

    expect(limitStatus(ledger, { at: lastMinute }).day).toMatchObject({
      limit: 1_000,
      remaining: 0,
    });
  });

  test('an answer that tells of the minute still counts for the day', () => {
    const ledger = ledgerAfter(ask('a'), answer('a', day(500)), ask('b'), answer('b', minute(59)));

    expect(limitStatus(ledger, { at: t })).toMatchObject({
      minute: { remaining: 59, source: 'service' },
      day: { remaining: 499, source: 'service' },
    });
  });
});

const asJson = (ledger: Ledger) => JSON.parse(JSON.stringify(ledger));
const anyId = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const anyTime = fc.integer({ min: t - 100_000, max: t + 100_000 });
const anyNumber = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.double({ noNaN: true, min: -8.64e15, max: 8.64e15 }),
  anyTime,
);
const anyBoot = fc.constantFrom(
  undefined,
  { id: 'this', at: 0 },
  { id: 'this', at: 3_600_000 },
  { id: 'other', at: -5_000 },
);
const anyLine: fc.Arbitrary<Entry> = fc.oneof(
  fc.record({
    k: fc.constant('ask' as const),
    id: anyId,
    at: anyTime,
    lease: anyTime,
    owner: fc.constantFrom(undefined, { pid: 7, host: 'here', born: 'once' }),
  }),
  fc.record(
    {
      k: fc.constant('answer' as const),
      id: anyId,
      at: anyTime,
      sent: anyTime,
      status: fc.constantFrom(200, 201, 400, 401, 500),
      jitter: fc.double({ min: 0, max: 0.999, noNaN: true }),
      date: anyNumber,
      limit: fc.integer({ min: 1, max: 100 }),
      remaining: fc.integer({ min: 0, max: 100 }),
      reset: anyNumber,
    },
    { requiredKeys: ['k', 'id', 'at', 'sent', 'status', 'jitter'] },
  ),
  fc.record(
    {
      k: fc.constant('refused' as const),
      id: anyId,
      at: anyTime,
      sent: anyTime,
      jitter: fc.double({ min: 0, max: 0.999, noNaN: true }),
      wait: fc.integer({ min: 1_000, max: 90_000_000 }),
      reset: anyNumber,
      remaining: fc.constant(0),
      limit: fc.constant(60),
    },
    { requiredKeys: ['k', 'id', 'at', 'sent', 'jitter'] },
  ),
  fc.record({ k: fc.constantFrom('lost' as const, 'unsent' as const), id: anyId, at: anyTime }),
  fc.record({ k: fc.constant('clear' as const), at: anyTime }),
);

const anyEntry = fc
  .tuple(anyLine, anyBoot)
  .map(([entry, boot]) => (boot ? { ...entry, boot } : entry) as Entry);

/** What is read of a log that holds anything. */
const anyLog = fc
  .array(anyEntry)
  .map((entries) => entries.filter((entry) => parseEntry(formatEntry(entry)) !== undefined));

describe('what another log knows', () => {
  const heard = (at: number, ledger: Ledger): Entry => ({ k: 'heard', at, jitter: 0, ledger });
  const later = t + 300 * second;
  const refusedTwice = [refused('a', t, { wait: 0 }), refused('b', t + 9 * second, { wait: 0 })];

  test('makes three refusals in a row of no two that a success came after', () => {
    const known = ledgerAfter(...refusedTwice);
    const entries = [answer('c', {}, later), heard(later + second, known)];

    expect(ledgerAfter(...refusedTwice, ...entries).refusals).toBe(0);
    expect(ledgerAfter(...entries.slice(1)).refusals).toBe(2);
  });

  test('keeps nobody waiting after all was cleared by hand, unless it was told since', () => {
    const clear: Entry = { k: 'clear', at: t + second };
    const before = ledgerAfter(refused('a', t, { wait: 900 * second }));
    const since = ledgerAfter(refused('a', t + 2 * second, { wait: 900 * second }));
    const at = t + 3 * second;

    expect(decideAfter(at, clear, heard(at, before))).toBe('probe');
    expect(decideAfter(at, clear, heard(at, since))).toMatch(/^429 90/);
  });
});

describe('whatever the log holds', () => {
  test.each([
    ['date', 8.64e15 + 2],
    ['reset', -1e300],
    ['wait', 1e16],
    ['boot', { id: 'this', at: 1e16 }],
    ['boot', { id: 7, at: t }],
    ['boot', 'this'],
  ])('a line whose %s makes no sense is passed over', (field, value) => {
    const line = { k: 'refused', id: 'a', at: t, sent: t, jitter: 0 };
    expect(parseEntry(JSON.stringify(line))).toEqual(line);
    expect(parseEntry(JSON.stringify({ ...line, [field]: value }))).toBeUndefined();
  });

  test('nothing leaves before a told wait is over, and no wait is endless', () => {
    fc.assert(
      fc.property(
        anyLog,
        fc.integer({ min: 1_000, max: 86_400_000 }),
        anyTime,
        (entries, wait, at) => {
          const before = entries.reduce(fold, emptyLedger);
          const ledger = fold(before, refused('z', at, { wait }));
          const probe = decide(dropLeases(ledger, at + wait - 1), at + wait - 1);
          expect(probe.granted).toBe(false);
          const now = decide(dropLeases(ledger, at), at);
          if (!now.granted && now.until !== undefined) {
            expect(now.until).toBeGreaterThan(at);
            expect(Number.isFinite(now.until)).toBe(true);
          }
        },
      ),
      trials(2_000),
    );
  });

  test('a told wait is as long as told, however often and by whatever the clock is set', () => {
    const twoDays = 172_800_000;
    const change = fc.record({
      passes: fc.integer({ min: 0, max: 20_000 }),
      by: fc.oneof(fc.constant(0), fc.integer({ min: -twoDays, max: twoDays })),
      /** Another process leaves a line. */
      line: fc.boolean(),
    });
    fc.assert(
      fc.property(
        fc.array(change, { maxLength: 20 }),
        fc.integer({ min: 1_000, max: 86_400_000 }),
        (changes, wait) => {
          let up = 0;
          let ahead = 0;
          const reading = () => ({ at: t + ahead + up, boot: { id: 'this', at: t + ahead } });
          let ledger = ledgerAfter({ ...refused('a', t, { wait }), boot: reading().boot } as Entry);
          const granted = () => decide(followClock(ledger, reading()), reading().at).granted;
          for (const { passes, by, line } of changes) {
            up += passes;
            ahead += by;
            if (line) ledger = fold(ledger, { k: 'unsent', id: 'x', ...reading() });
            if (up < wait) expect(granted()).toBe(false);
          }
          // Guard and jitter come on top, and what is too little to be told from nothing.
          up = Math.max(up, wait + 2 * second + 250);
          expect(granted()).toBe(true);
        },
      ),
      trials(2_000),
    );
  });

  test('the slots that are granted never exceed what the service left', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 40 }),
        fc.array(fc.constantFrom('ask', 'end', 'lose'), { maxLength: 80 }),
        (left, steps) => {
          let ledger = ledgerAfter(ask('first'), answer('first', minute(left)));
          let granted = 0;
          const running: string[] = [];
          steps.forEach((step, n) => {
            const id = `id-${n}`;
            if (step === 'ask') {
              ledger = fold(ledger, ask(id));
              if (!(id in ledger.inFlight)) return;
              granted += 1;
              running.push(id);
            } else {
              const ended = running.shift();
              if (!ended) return;
              const told =
                step === 'end'
                  ? answer(ended, minute(left - granted))
                  : { k: 'lost' as const, id: ended, at: t };
              ledger = fold(ledger, told);
            }
          });
          expect(granted).toBeLessThanOrEqual(left);
        },
      ),
      trials(2_000),
    );
  });

  test('a checkpoint goes on just as the lines it stands for', () => {
    fc.assert(
      fc.property(anyLog, anyLog, (before, after) => {
        const whole = [...before, ...after].reduce(fold, emptyLedger);
        const ledger = before.reduce(fold, emptyLedger);
        const checkpoint = parseEntry(formatEntry({ k: 'ledger', ledger }));
        if (!checkpoint) throw new Error('a ledger of ours is not taken for one');
        const resumed = after.reduce(fold, fold(emptyLedger, checkpoint));
        expect(asJson(resumed)).toEqual(asJson(whole));
      }),
      trials(1_000),
    );
  });
});
