import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe } from 'vitest';
import { mostWidthOf } from '../../src/output/layout.ts';
import { showText } from '../../src/output/safe-text.ts';
import { createSink } from '../../src/output/sink.ts';
import { tableLines } from '../../src/output/table.ts';
import { hostileName } from '../support/names.ts';
import { expect, reply, test } from '../support/petstore.ts';
import { drawings, screenOf } from '../support/screen.ts';
import { exact } from '../support/values.ts';

const silent = { write: async () => {}, isTTY: true, columns: 80, stream: undefined };
const sink = createSink({
  stdout: silent,
  stderr: silent,
  signal: new AbortController().signal,
  sleep: () => Promise.reject(new Error('nobody waits')),
});
const places = [40, 200].flatMap((columns) =>
  drawings.map((drawing) => ({ columns, drawing, ascii: columns === 40 })),
);
const columns = 80;

/** What a terminal is told to do and a reader is not to see, each with a sign by which one would see it. */
const acting = {
  'a title': '\u001b]0;gotcha\u0007',
  'the clipboard': '\u001b]52;c;Z290Y2hh\u0007',
  'a link': '\u001b]8;;https://pets.example\u001b\\here\u001b]8;;\u001b\\',
  'the cursor': '\u001b[1A\u001b[2K\u001b[5;5H\b\r',
  'the alternate screen': '\u001b[?1049h',
  colours: '\u001b[31;1mred',
  'a reset': '\u001bc',
  'a question': '\u001b[6n\u001b[c\u0005',
  'controls of C1': '\u009b31m\u009d0;x\u009c\u008d\u0085',
  'a bell': '\u0007',
};

describe('on the screen of a terminal', () => {
  test('the tests see what acts', async () => {
    for (const [what, text] of Object.entries(acting)) {
      const { acts } = await screenOf(`${text}\n`, 80);
      expect(acts.length, what).toBeGreaterThan(0);
    }
  });

  test.for(places)(
    'a table shows a line for each row and no other, $columns columns wide, drawn $drawing, ascii: $ascii',
    async ({ columns, drawing, ascii }) => {
      await fc.assert(
        fc.asyncProperty(fc.array(hostileName, { minLength: 1, maxLength: 8 }), async (names) => {
          const rows = names.map((name, id) => [`<${id}>`, name, name]);
          const grid = { header: ['id', 'name', 'about'], rows };
          // With one, columns that are too narrow would become blocks.
          const header = columns > 40;
          const lines = await tableLines(grid, sink, { width: columns, header, ascii });
          const text = lines.map((line) =>
            typeof line === 'object' && 'bold' in line ? line.bold : line,
          );
          const first = header ? 3 : 1;

          const screen = await screenOf(`${text.join('\n')}\n`, columns, drawing);

          expect(screen.acts).toEqual([]);
          expect(screen.rows).toHaveLength(names.length + first + 1);
          const bar = ascii ? '|' : '│';
          for (const id of names.keys()) expect(screen.rows[id + first]).toMatch(`${bar} <${id}>`);
          const frame = ascii ? /^[+|].*[+|]$/ : /^[┌├└│].*[┐┤┘│]$/;
          for (const row of screen.rows) expect(row).toMatch(frame);
        }),
        // The bench of names draws others each time.
        { numRuns: 80 },
      );
    },
  );

  test.for(drawings)(
    'a block shows a line for each field and indented ones, and no other, drawn %s',
    async (drawing) => {
      const id = exact('9223372036854775807');
      await fc.assert(
        fc.asyncProperty(fc.array(hostileName, { minLength: 1, maxLength: 8 }), async (names) => {
          const rows = names.map((name) => [id, `n ${name}`, `a ${name}`]);
          const grid = { header: ['id', 'name', 'about'], rows };
          const lines = await tableLines(grid, sink, { width: 30, header: true, ascii: false });
          const text = lines.map((line) =>
            typeof line === 'object' && 'look' in line ? line.begin + line.rest : line,
          );

          const screen = await screenOf(`${text.join('\n')}\n`, 30, drawing);

          expect(screen.acts).toEqual([]);
          const starts = screen.rows.map((row) => /^(?:id|name|about)? */.exec(row)?.[0]);
          expect(starts.filter((start) => start?.trim())).toEqual(
            names.flatMap(() => ['id     ', 'name   ', 'about  ']),
          );
          for (const start of starts) expect([0, 7]).toContain(start?.slice(0, 7).length);
        }),
        { numRuns: 80 },
      );
    },
  );

  test.for(drawings)(
    'no character takes more cells than it is given, drawn %s',
    async (drawing) => {
      const marks = /[\p{Mn}\p{Me}]/u;
      for (const line of charactersBy(400)) {
        const shown = line.filter((text) => showText(text) === text && !marks.test(text));
        const full = shown.map((text) => `${text.repeat(Math.floor(40 / mostWidthOf(text)))}\n`);

        const { rows } = await screenOf(full.join(''), 40, drawing);

        expect(rows.length, `from ${shown[0]}`).toBe(shown.length);
      }
    },
  );

  const names = Object.entries({
    ...acting,
    'a row': 'dog\n│ 9  │ cat │\r\n2 x',
    'text that runs backwards': '\u202egod\u202c\u2066x',
    'what has no width': 'd\u200bo\ufeff\u00adg',
    'a heap of marks': `a${'\u0301'.repeat(5_000)}`,
    'marks that take room': `क${'ा'.repeat(100)}│ 9  │ cat │`,
    'joined emoji': '👩‍👩‍👧'.repeat(20),
  });

  test('text in a name is one row of a list', async ({ petstore, sandbox }) => {
    for (const [what, name] of names) {
      sandbox.categories.splice(
        0,
        2,
        { id: exact('1'), name, description: name },
        { id: exact('2'), name: 'cat' },
      );
      for (const columns of [40, 80, 200]) {
        const argv = ['categories', 'list', '--no-color', '--no-header', '--max-wait', 'inf'];
        const { stdout } = await petstore(argv, { columns });
        const { rows, acts } = await screenOf(stdout, columns);

        expect(acts, what).toEqual([]);
        expect(rows, what).toHaveLength(4);
        expect(rows[2], what).toMatch(/^│ 2 +│ cat +│ +│$/);
      }
    }
  });

  test.for(names)(
    '%s in a name does nothing in JSON, an error or a plan',
    async ([, name], { petstore, sandbox, folder }) => {
      sandbox.categories.push({ id: exact('1'), name, description: 'old' });
      const file = join(folder, 'rows.json');
      writeFileSync(file, JSON.stringify([{ name, description: 'new' }, { name: `${name} ` }]));

      const json = await petstore(['categories', 'list', '--json'], { columns });
      expect(JSON.parse(json.stdout)[0].name).toBe(name);

      const dryRun = ['categories', 'import', file, '--dry-run', '--no-color'];
      const plan = await petstore(dryRun, { columns });
      expect([0, 2]).toContain(plan.exitCode);
      expect(plan.stderr.replaceAll('\n  ', ' ')).toContain('line 1: ');

      sandbox.reactions.push(reply(422, { code: name, message: name, status: 422 }));
      const error = await petstore(['categories', 'create', name, '--no-color'], { columns });
      // A line that was broken goes on with two blanks.
      expect(error.stderr.trimEnd().split(/\n(?! {2})/).length).toBeLessThan(4);

      for (const text of [json.stdout, plan.stderr + plan.stdout, error.stderr]) {
        expect((await screenOf(text, columns)).acts).toEqual([]);
      }
    },
  );
});

/** The characters outside the ideographs and Hangul, so many at a time. */
function* charactersBy(count: number): Generator<string[]> {
  const ranges = [
    [0xa0, 0x3400],
    [0xa4d0, 0xac00],
    [0xd7a4, 0xd800],
    [0xf900, 0x1_1000],
    [0x1_f000, 0x1_fc00],
  ] as const;
  for (const [start, end] of ranges) {
    for (let first = start; first < end; first += count) {
      const length = Math.min(count, end - first);
      yield Array.from({ length }, (_, at) => String.fromCodePoint(first + at));
    }
  }
}
