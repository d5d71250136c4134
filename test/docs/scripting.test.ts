import { describe } from 'vitest';
import { Failure, type Outcome } from '../../src/errors.ts';
import type { Event, Wait } from '../../src/events.ts';
import { failureEvent } from '../../src/output/event-text.ts';
import { quotedIn, readPage, rowsOf, sectionOf } from '../support/pages.ts';
import { expect, test } from '../support/petstore.ts';
import { formats } from '../support/values.ts';

const page = readPage('scripting.md');

/** What the page says of each event: its fields, and with each what is quoted of it. */
const documented = new Map<string, Map<string, string>>();
let event = '';
for (const [name = '', fields = '', meaning = ''] of rowsOf(sectionOf(page, 'Events'))) {
  [event = event] = quotedIn(name);
  const known = documented.get(event) ?? new Map();
  for (const field of quotedIn(fields)) known.set(field, meaning);
  documented.set(event, known);
}

/** Fields of an event that only its text uses. */
type TextField = 'why' | 'next' | 'by' | 'over';
type Fields<Name> = Omit<Extract<Event, { event: Name }>, 'event' | TextField>;
/** The compiler holds these to all that there are. */
type All<Names extends PropertyKey> = Record<Names, number>;

const wait = { reason: 1, resetAt: 1, waitMs: 1, left: 1, limit: 1, remaining: 1 };
const made = {
  rate_limit: { limit: 1, remaining: 1, resetAt: 1 } satisfies All<keyof Fields<'rate_limit'>>,
  wait: { ...wait, count: 1, pid: 1 } satisfies All<keyof Fields<'wait'>>,
  progress: { done: 1, total: 1, leftMs: 1 } satisfies All<keyof Fields<'progress'>>,
  deprecation: { operation: 1, sunset: 1, daysLeft: 1 } satisfies All<keyof Fields<'deprecation'>>,
  // It may have any other field.
  notice: { message: 1, request: 1, response: 1 },
  error: withoutEvent(failureEvent(new Failure('usage', ''))),
} satisfies Record<Event['event'] | 'error', object>;

function withoutEvent({ event: _, ...fields }: ReturnType<typeof failureEvent>) {
  return fields;
}

const limitReasons = { window: 1, day: 1, '429': 1, tripped: 1, banned: 1, probe: 1 };
const reasons = { ...limitReasons, unavailable: 1, settle: 1, claimed: 1 };
const outcomes = { not_sent: 1, refused: 1, created: 1, done: 1, unknown: 1 };
// The last one is shown on terminals only.
reasons satisfies All<Exclude<Wait['reason'], 'response'>>;
outcomes satisfies All<Outcome>;

describe('the page on scripts', () => {
  test('has rows for each event, and for no other', () => {
    expect([...documented.keys()].sort()).toEqual(Object.keys(made).sort());
  });

  test.for(Object.entries(made))('lists the fields of %s events', ([event, fields]) => {
    expect([...(documented.get(event)?.keys() ?? [])].sort()).toEqual(Object.keys(fields).sort());
  });

  test('lists what --verbose adds to a notice', async ({ petstore }) => {
    const { events } = await petstore(['categories', 'create', 'ferret', '-v', '--json']);
    const traced = events().flatMap(({ request, response }) =>
      Object.entries({ request, response }).filter(([, fields]) => fields),
    );

    expect(traced).toHaveLength(2);
    for (const [name, fields] of traced) {
      const named = quotedIn(documented.get('notice')?.get(name) ?? '').filter(
        (word) => word !== '-v',
      );
      expect(named.sort()).toEqual(Object.keys(fields as object).sort());
    }
  });

  test('lists each reason of a wait and each outcome of a write', () => {
    expect(quotedIn(documented.get('wait')?.get('reason') ?? '')).toEqual(
      expect.arrayContaining(Object.keys(reasons)),
    );
    expect(quotedIn(documented.get('error')?.get('outcome') ?? '')).toEqual(
      expect.arrayContaining(Object.keys(outcomes)),
    );
  });

  test('has a row for each format', () => {
    const rows = rowsOf(sectionOf(page, 'Formats'));

    expect(rows.flatMap(([format = '']) => quotedIn(format))).toEqual([...formats]);
  });
});
