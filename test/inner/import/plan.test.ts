import { describe, expect, test } from 'vitest';
import type { Category } from '../../../src/api/resources.ts';
import type { Content, Mode } from '../../../src/import/content.ts';
import { forecast, timeFor } from '../../../src/import/forecast.ts';
import { emptyState, fold, type JournalState } from '../../../src/import/journal-state.ts';
import { makePlan } from '../../../src/import/plan.ts';
import { findForeign, findMissing, reconcile } from '../../../src/import/reconcile.ts';
import type { Entry } from '../../../src/import/records.ts';
import { ExactNumber } from '../../../src/json/json.ts';

const category = (id: number, name: string, description?: string): Category => ({
  id: new ExactNumber(String(id)),
  name,
  ...(description !== undefined && { description }),
});

const row = (name: string, description?: string): Content => ({ name, description });

function stateAfter(...entries: Entry[]): JournalState {
  const state = emptyState();
  for (const entry of entries) fold(state, entry);
  return state;
}

const intent = (index: number): Entry => ({ k: 'i', row: index, at: 0 });
const done = (index: number, id: number, as?: string): Entry => ({
  k: 'd',
  row: index,
  id: String(id),
  via: '201',
  ...(as !== undefined && { as }),
});

describe('the plan', () => {
  test('leaves out what the journal tells was created, and holds back twins of what is unknown', () => {
    const rows = [row('dog'), row('cat'), row('cat'), row('emu')];
    const state = stateAfter(done(0, 7), intent(1));

    expect(makePlan('each', rows, [], state).intentions).toEqual([
      'created_before',
      'unknown',
      'unknown',
      'create',
    ]);
  });

  test.for([
    { what: 'case', name: 'RABBIT' },
    { what: 'outer spaces', name: ' rabbit ' },
    { what: 'composition', name: 'lie\u0300vre', other: 'li\u00e8vre' },
    { what: 'inner spaces', name: 'pine  marten', other: 'pine marten' },
  ])('names those that look alike but for $what', ({ name, other = 'rabbit' }) => {
    const inService = makePlan('ensure', [row(name)], [category(1, other)], emptyState());
    const inFile = makePlan('ensure', [row(other), row(name)], [], emptyState());

    expect(inService.similar).toEqual([{ row: 0, other, listed: true }]);
    expect(inFile.similar).toEqual([{ row: 1, other, listed: false }]);
  });
});

describe('the forecast', () => {
  const free = { minute: { limit: 60, left: 60 }, day: { limit: 1_000, left: 1_000 } };
  test.for([
    { what: 'what this minute has left', requests: 60, known: free, todayMs: 0, moreDays: 0 },
    { what: 'one more', requests: 61, known: free, todayMs: 60_000, moreDays: 0 },
    {
      what: '2,438 requests on Free',
      requests: 2_438,
      known: free,
      todayMs: 16 * 60_000,
      moreDays: 2,
    },
    {
      what: 'a day that is used up',
      requests: 10,
      known: { ...free, day: { limit: 1_000, left: 0 } },
      todayMs: 0,
      moreDays: 1,
    },
    {
      what: 'no limit a day that is known',
      requests: 2_437,
      known: { ...free, day: undefined },
      todayMs: 40 * 60_000,
      moreDays: undefined,
    },
    {
      what: 'no limit at all that is known',
      requests: 5,
      known: { minute: undefined, day: undefined },
      todayMs: undefined,
      moreDays: undefined,
    },
  ])('for $what', ({ requests, known, todayMs, moreDays }) => {
    expect(forecast(requests, known)).toMatchObject({ requests, todayMs, moreDays });
  });

  const shared = { ...free, minute: { limit: 60, left: 60, others: 12 } };
  test.for([
    { what: 'each minute to come less what others take', requests: 60 + 49, known: shared, ms: 2 },
    { what: 'all of the minute that runs', requests: 60, known: shared, ms: 0 },
    {
      what: 'something even where others take all',
      requests: 62,
      known: { ...free, minute: { limit: 60, left: 60, others: 60 } },
      ms: 2,
    },
    {
      what: 'a wait in force as long as it lasts',
      requests: 61,
      known: { ...free, minute: { limit: 60, left: 0, resetMs: 902_000 } },
      ms: 16,
    },
  ])('counts $what', ({ requests, known, ms }) => {
    expect(forecast(requests, known).todayMs).toBe(ms * 60_000);
  });

  test.for([
    { what: 'each day to come less what others take', others: 500, requests: 1_501, moreDays: 2 },
    { what: 'the whole day where others take nothing', requests: 1_501, moreDays: 1 },
  ])('counts $what', ({ requests, moreDays, others }) => {
    const day = { ...free.day, others };

    expect(forecast(requests, { ...free, day }).moreDays).toBe(moreDays);
  });

  test.for([
    { what: 'is the end of the last wait', requests: 1_061, known: free, ms: 86_400_000 + 60_000 },
    { what: 'is unknown where a day may matter', known: { ...free, day: undefined } },
    {
      what: 'is known where none does',
      requests: 61,
      known: { ...free, day: undefined },
      ms: 60_000,
    },
    {
      what: 'is counted for a million million',
      requests: 1e12,
      known: free,
      ms: 86_399_999_914_575_000,
    },
  ])('has an end that $what', ({ requests = 2_000, known, ms }) => {
    expect(forecast(requests, known).doneMs).toBe(ms);
  });
});

describe('the time that requests take', () => {
  const minute = { limit: 60, left: 10, resetMs: 42_000 };
  const day = { limit: 1_000, left: 400, resetMs: 3_600_000 };
  test.for([
    { what: 'is unknown without limit and pace', requests: 5, known: {}, each: undefined },
    { what: 'goes by the pace without a limit', requests: 5, known: {}, each: 200, ms: 1_000 },
    { what: 'goes by the pace within a window', requests: 10, known: { minute }, each: 1, ms: 10 },
    { what: 'has no wait within a window', requests: 10, known: { minute }, ms: 0 },
    { what: 'counts the reset', requests: 11, known: { minute }, each: 100, ms: 42_100 },
    { what: 'counts a full window', requests: 70, known: { minute }, each: 100, ms: 48_000 },
    { what: 'counts each window', requests: 71, known: { minute }, each: 100, ms: 103_100 },
    {
      what: 'counts a minute where its reset is unknown',
      requests: 11,
      known: { minute: { limit: 60, left: 10 } },
      ms: 60_000,
    },
    {
      what: 'is that of the service where that is slower than the limit',
      requests: 70,
      known: { minute },
      each: 5_000,
      ms: 350_000,
    },
    { what: 'counts minutes of today', requests: 400, known: { minute, day }, ms: 408_000 },
    { what: 'counts the reset of the day', requests: 401, known: { minute, day }, ms: 3_600_000 },
    {
      what: 'counts days',
      requests: 400 + 1_000 + 61,
      known: { minute, day },
      each: 100,
      ms: 3_600_000 + 86_400_000 + 60_100,
    },
    {
      what: 'counts a day where its reset is unknown',
      requests: 2,
      known: { minute, day: { limit: 1_000, left: 1 } },
      ms: 86_400_000,
    },
  ])('$what', ({ requests, known, each, ms }) => {
    expect(timeFor(requests, { minute: undefined, day: undefined, ...known }, each)).toBe(ms);
  });
});

describe('rows of unknown outcome', () => {
  const find = (mode: Mode, rows: Content[], state: JournalState, list: Category[]) => {
    const { claimed, absent, doubtful } = reconcile(mode, rows, state, list);
    return {
      claimed: [...claimed].map(([index, { id }]) => [index, Number(id.text)]),
      absent,
      doubtful: [...doubtful].map(([index, found]) => [
        index,
        found.map(({ id }) => Number(id.text)),
      ]),
    };
  };

  test.for<{
    what: string;
    mode?: Mode;
    rows?: Content[];
    state: JournalState;
    list: Category[];
    found: Partial<ReturnType<typeof find>>;
  }>([
    {
      what: 'is created when the list shows it',
      state: stateAfter(intent(0)),
      list: [category(9, 'dog', 'Barks')],
      found: { claimed: [[0, 9]] },
    },
    {
      what: 'is absent when it does not',
      state: stateAfter(intent(0)),
      list: [category(9, 'cat')],
      found: { absent: [0] },
    },
    {
      what: 'does not claim what was there before',
      mode: 'each',
      state: stateAfter({ k: 'b', ids: ['9'] }, intent(0)),
      list: [category(9, 'dog', 'Barks')],
      found: { absent: [0] },
    },
    {
      what: 'does not claim what is another row of ours',
      mode: 'each',
      rows: [row('dog'), row('dog')],
      state: stateAfter(done(0, 9), intent(1)),
      list: [category(9, 'dog')],
      found: { absent: [1] },
    },
    {
      what: 'claims one for one where several rows are alike',
      mode: 'each',
      rows: [row('dog'), row('dog'), row('dog')],
      state: stateAfter(intent(0), intent(1), intent(2)),
      list: [category(8, 'dog'), category(9, 'dog')],
      found: {
        claimed: [
          [0, 8],
          [1, 9],
        ],
        absent: [2],
      },
    },
    {
      what: 'is doubtful when only a look-alike came about',
      state: stateAfter(intent(0)),
      list: [category(9, 'Dog ')],
      found: { doubtful: [[0, [9]]] },
    },
    {
      what: 'is doubtful where every row counts and only the description is another',
      mode: 'each',
      state: stateAfter(intent(0)),
      list: [category(9, 'dog', 'barks')],
      found: { doubtful: [[0, [9]]] },
    },
    {
      what: 'is absent when the look-alike was there before',
      state: stateAfter({ k: 'b', ids: ['9'] }, intent(0)),
      list: [category(9, 'Dog')],
      found: { absent: [0] },
    },
    {
      what: 'claims a look-alike of a service that was seen to change names',
      rows: [row('dog'), row('cat')],
      state: stateAfter(intent(0), done(1, 8, 'CAT')),
      list: [category(8, 'CAT'), category(9, 'DOG')],
      found: { claimed: [[0, 9]] },
    },
    {
      what: 'claims none of another description of such a service',
      mode: 'each',
      rows: [row('Dog', 'Barks'), row('Dog', 'Bites'), row('OWL')],
      state: stateAfter(intent(0), intent(1), done(2, 8, 'owl')),
      list: [category(8, 'owl'), category(9, 'dog', 'Bites')],
      found: { claimed: [[1, 9]], absent: [0] },
    },
    {
      what: 'claims a category once that a list shows twice',
      mode: 'each',
      rows: [row('dog'), row('dog')],
      state: stateAfter(intent(0), intent(1)),
      list: [category(9, 'dog'), category(9, 'dog')],
      found: { claimed: [[0, 9]], absent: [1] },
    },
    {
      what: 'sees no description and an empty one as the same',
      mode: 'each',
      rows: [row('dog')],
      state: stateAfter(intent(0)),
      list: [category(9, 'dog', '')],
      found: { claimed: [[0, 9]] },
    },
  ])('a row $what', ({ mode = 'ensure', rows = [row('dog', 'Barks')], state, list, found }) => {
    expect(find(mode, rows, state, list)).toEqual({
      claimed: [],
      absent: [],
      doubtful: [],
      ...found,
    });
  });

  test('strangers are what looks like a row and belongs to none', () => {
    const state = stateAfter(done(0, 1), { k: 'b', ids: ['2'] });
    const list = [category(1, 'dog'), category(2, 'dog'), category(3, 'DOG'), category(4, 'cat')];

    expect(findForeign([row('dog')], state, list)).toEqual([list[2]]);
  });

  test('a list that lacks what was created is known for an old one', () => {
    const rows = [row('dog'), row('cat'), row('emu')];
    const state = stateAfter(done(0, 1), done(1, 2), done(2, 3, 'EMU!'));

    const missing = findMissing(rows, state, [category(1, 'other'), category(3, 'EMU!')]);

    expect(missing).toEqual([0, 1]);
  });
});
