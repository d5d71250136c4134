import { readFileSync } from 'node:fs';
import { describe } from 'vitest';
import { Failure, type Outcome } from '../../src/errors.ts';
import { failureEvent } from '../../src/output/event-text.ts';
import { quotedIn, readPage, rowsOf, sectionOf } from '../support/pages.ts';
import { expect, test } from '../support/petstore.ts';
import { formats } from '../support/values.ts';

const page = readPage('scripting.md');
const events = sectionOf(page, 'Events');

/** Only the text of an event uses these, and the wait for a response is only shown on a terminal. */
const textOnly = ['event', 'why', 'next', 'by', 'over', 'isWarning', 'lines', 'response'];

/** The names of all events, of their fields and of the reasons for a wait. */
const declared = [...readFileSync('src/events.ts', 'utf8').matchAll(/'(\w+)'|readonly (\w+)\??:/g)]
  .map(([, word = '', field = '']) => word || field)
  .filter((name) => !textOnly.includes(name));
const ofErrors = Object.keys(failureEvent(new Failure('usage', '')));
const outcomes: Outcome[] = ['not_sent', 'refused', 'created', 'done', 'unknown'];

describe('the page on scripts', () => {
  test('names each event, field and reason that there is', () => {
    const named = quotedIn(events);

    expect(declared).toContain('claimed');
    expect([...declared, ...ofErrors, ...outcomes].filter((name) => !named.includes(name))).toEqual(
      [],
    );
  });

  test('has rows for these events and fields alone', () => {
    const known = [...declared, ...ofErrors, 'error', 'request', 'response'];
    const rows = rowsOf(events).flatMap(([event = '', field = '']) => quotedIn(event + field));

    expect(rows.filter((name) => !known.includes(name))).toEqual([]);
  });

  test('lists what --verbose adds to a notice', async ({ petstore }) => {
    const traced = await petstore(['categories', 'create', 'ferret', '-v', '--json']);
    const fields = traced.events().flatMap(({ request, response }) => request ?? response ?? []);

    const rows = rowsOf(events).filter(([, field]) => /^`(request|response)`/.test(field ?? ''));
    const named = rows.map(([, , meaning = '']) => quotedIn(meaning).slice(1).sort());
    expect(named).toEqual(fields.map((object) => Object.keys(object).sort()));
  });

  test('has a row for each format', () => {
    const rows = rowsOf(sectionOf(page, 'Formats'));

    expect(rows.flatMap(([format = '']) => quotedIn(format))).toEqual([...formats]);
  });
});
