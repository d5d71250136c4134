import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { describe } from 'vitest';
import { exitCodes as meanings } from '../../src/commands/topics.ts';
import { Failure, type FailureKind, type Outcome } from '../../src/errors.ts';
import type { Wait } from '../../src/events.ts';
import { failureEvent } from '../../src/output/event-text.ts';
import { expect, reply, test } from '../support/petstore.ts';
import { quotedIn, readPage, rowsOf, sectionOf, sectionsOf } from '../support/sections.ts';
import { formats } from '../support/values.ts';

const page = readPage('scripting.md');
const events = sectionsOf(sectionOf(page, 'Events'), 3);

/** What the page says of an event: its fields, and with each what is quoted of it. */
function documented(event: string): Map<string, string> {
  const { text } = events.find(({ title }) => title === event) ?? { text: '' };
  return new Map(
    rowsOf(text).flatMap(([names = '', , meaning = '']) =>
      quotedIn(names).map((name) => [name, meaning] as const),
    ),
  );
}

/** Fields of an event that only its text uses. */
const textFields = ['why', 'next', 'by', 'isWarning', 'lines', 'over'];

/** The fields of each event as the source declares them. */
function madeFields(): Map<string, readonly string[]> {
  const path = 'src/events.ts';
  const file = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
  const made = new Map<string, readonly string[]>();
  const visit = (node: ts.Node): void => {
    if (!ts.isTypeLiteralNode(node)) {
      ts.forEachChild(node, visit);
      return;
    }
    const fields = node.members.filter(ts.isPropertySignature);
    const event = fields.find(({ name }) => name.getText() === 'event');
    if (!event?.type) throw new Error(`no event: ${node.getText()}`);
    const names = fields.filter((field) => field !== event).map(({ name }) => name.getText());
    const shown = names.filter((name) => !textFields.includes(name));
    made.set(event.type.getText().slice(1, -1), shown);
  };
  visit(file);
  const { event, ...error } = failureEvent(new Failure('usage', ''));
  return made.set(event, Object.keys(error));
}

const made = madeFields();

/** The compiler holds these to all that there are. */
const reasons = Object.keys({
  window: true,
  day: true,
  '429': true,
  tripped: true,
  banned: true,
  probe: true,
  unavailable: true,
  settle: true,
  claimed: true,
} satisfies Record<Wait['reason'], true>);
const outcomes = Object.keys({
  not_sent: true,
  refused: true,
  created: true,
  done: true,
  unknown: true,
} satisfies Record<Outcome, true>);

describe('the page on scripts', () => {
  test('has a section for each event, and no other', () => {
    expect(events.map(({ title }) => title).sort()).toEqual([...made.keys()].sort());
  });

  test.for([...made.keys()])('lists the fields of %s events, and no others', (event) => {
    // A notice may have any other field.
    const added = event === 'notice' ? ['request', 'response'] : [];

    expect([...documented(event).keys()].sort()).toEqual(
      [...(made.get(event) ?? []), ...added].sort(),
    );
  });

  test('lists what --verbose adds to a notice', async ({ petstore }) => {
    const { events } = await petstore(['categories', 'create', 'ferret', '-v', '--json']);
    const traced = events().flatMap(({ request, response }) =>
      Object.entries({ request, response }).filter(([, fields]) => fields),
    );

    expect(traced).toHaveLength(2);
    for (const [name, fields] of traced) {
      const named = quotedIn(documented('notice').get(name) ?? '').filter((word) => word !== '-v');
      expect(named.sort()).toEqual(Object.keys(fields as object).sort());
    }
  });

  test('lists each reason of a wait and each outcome of a write', () => {
    expect(quotedIn(documented('wait').get('reason') ?? '')).toEqual(
      expect.arrayContaining(reasons),
    );
    expect(quotedIn(documented('error').get('outcome') ?? '')).toEqual(
      expect.arrayContaining(outcomes),
    );
  });

  test('knows each field that is printed when a create is refused', async ({
    petstore,
    sandbox,
  }) => {
    const error = { code: 'invalid_name', message: 'taken', status: 409 };
    sandbox.reactions.push(reply(409, error));

    const { events } = await petstore(['categories', 'create', 'ferret', '--json']);

    const [printed = {}] = events().filter(({ event }) => event === 'error');
    const { event: _, ...fields } = printed;
    expect(printed.kind).toBe('refused' satisfies FailureKind);
    expect([...documented('error').keys()]).toEqual(expect.arrayContaining(Object.keys(fields)));
  });

  test('gives each exit code the meaning that help has', () => {
    const rows = rowsOf(sectionOf(page, 'Exit codes'));

    expect(rows.map(([code]) => code)).toEqual(meanings.map(([code]) => code));
    for (const [row, [, meaning]] of meanings.entries()) {
      expect(meaning).toContain(rows[row]?.[1]);
    }
  });

  test('has a row for each format', () => {
    const rows = rowsOf(sectionOf(page, 'Formats'));

    expect(rows.flatMap(([format = '']) => quotedIn(format))).toEqual([...formats]);
  });
});
