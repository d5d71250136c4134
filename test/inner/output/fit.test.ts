import fc from 'fast-check';
import { describe } from 'vitest';
import { ExactNumber, type JsonObject } from '../../../src/json/exact.ts';
import { mostWidthOf, widthOf } from '../../../src/output/layout.ts';
import { createLongTable } from '../../../src/output/long-table.ts';
import { createSink } from '../../../src/output/sink.ts';
import { tableLines } from '../../../src/output/table.ts';
import { expect, test } from '../../support/petstore.ts';
import { drawings, screenOf } from '../../support/screen.ts';
import { trials } from '../../support/trials.ts';

const silent = { write: async () => {}, isTTY: true, columns: 80, stream: undefined };
const sink = createSink({
  stdout: silent,
  stderr: silent,
  signal: new AbortController().signal,
  sleep: () => Promise.reject(new Error('nobody waits')),
});

/** Each takes more cells on one terminal than on another, but for the last ones. */
const disputed = {
  'a skin tone': '👍🏽 thumbs',
  'joined emoji': '👩\u200d👩\u200d👧 family',
  'a heart': '❤️ heart',
  'a star': '⭐\ufe0f star',
  Hindi: 'नमस्ते',
  'Hindi joined': 'क्\u200dष नमस्ते',
  Thai: 'สวัสดีครับ',
  Bengali: 'র\u200d\u09cdযাব',
  Persian: 'می\u200cخواهم',
  'a flag': '🇩🇪 dog',
  Korean: '\u1112\u1161\u11ab',
  Japanese: '犬と猫',
};
const pieces = [
  ...Object.values(disputed),
  'dog',
  ' ',
  'x'.repeat(30),
  'का',
  '🏴\u200d☠\ufe0f',
  'a\u0301',
];
const cell = fc.array(fc.constantFrom(...pieces), { maxLength: 6 }).map((parts) => parts.join(''));
const rows = fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 8 });

type Texts = readonly (readonly string[])[];

const grid = (texts: Texts) => ({
  header: ['id', 'name', 'about'].slice(0, (texts[0]?.length ?? 0) + 1),
  rows: texts.map((row, at) => [new ExactNumber(String(at)), ...row]),
});

async function boxed(texts: Texts, width: number, ascii = false): Promise<string[]> {
  const lines = await tableLines(grid(texts), sink, { width, header: false, ascii });
  return lines.map(String);
}

/** As a list that is printed while it comes, and without ids, which take 20 cells there. */
async function streamed(
  texts: Texts,
  width: number,
  ascii = false,
  known = texts.length,
): Promise<string[]> {
  const header = ['name', 'about'];
  const sample = { header, rows: texts.slice(0, known).map((row) => [...row]) };
  const { lay } = await createLongTable(sample, sink, { width, header: false, ascii });
  return String(lay({ header, rows: texts.map((row) => [...row]) })).split('\n');
}

const unforeseen = (texts: Texts, width: number, ascii = false) => streamed(texts, width, ascii, 1);

const ways = { boxed, streamed, unforeseen };

describe('A table on a terminal', () => {
  test.for(Object.entries(ways))(
    'is no wider than it on any terminal, however that draws disputed characters: %s',
    async ([, lay]) => {
      await fc.assert(
        fc.asyncProperty(
          rows,
          fc.integer({ min: 15, max: 120 }),
          fc.boolean(),
          async (texts, width, ascii) => {
            for (const line of await lay(texts, width, ascii)) {
              expect(widthOf(line)).toBeLessThanOrEqual(width);
              // The lines themselves are a cell each.
              expect(mostWidthOf(line)).toBeLessThanOrEqual(width);
            }
          },
        ),
        trials(1_000),
      );
    },
  );

  test('has its lines under each other, whatever is cut', async () => {
    await fc.assert(
      fc.asyncProperty(rows, fc.integer({ min: 15, max: 120 }), async (texts, width) => {
        const lines = await boxed(texts, width);

        expect(new Set(lines.map(widthOf)).size).toBe(1);
      }),
      trials(500),
    );
  });

  test('cuts nothing where the longest row fits on every terminal', async () => {
    await fc.assert(
      fc.asyncProperty(rows, async (texts) => {
        const short = texts.map((row) => row.map((text) => text.slice(0, 200)));
        const widths = [0, 1].map((at) => Math.max(...short.map((row) => widthOf(row[at] ?? ''))));
        fc.pre(Math.max(...widths) <= 200);
        const beside = short.map((row) =>
          row.reduce((sum, text) => sum + mostWidthOf(text) - widthOf(text), 0),
        );
        const width = 10 + 1 + (widths[0] ?? 0) + (widths[1] ?? 0) + Math.max(...beside);

        const text = (await boxed(short, width)).join('\n');

        expect(text).not.toContain('…');
      }),
      trials(500),
    );
  });

  test.for([40, 80])(
    'cuts a long text for the sake of disputed ones, which stay whole, %i columns wide',
    async (width) => {
      const names = Object.values(disputed);
      const about = 'Sleeps all day, eats all night. '.repeat(5);
      const texts = [['dog', about], ...names.map((name) => [name, 'x'])];

      for (const lay of [boxed, streamed]) {
        const lines = await lay(texts, width);

        expect(lines.join('\n')).toContain('Sleeps');
        for (const name of names) expect(lines.join('\n')).toContain(`${name} `);
      }
    },
  );

  test.for([20, 40, 80])(
    'cuts none of them where all have room, %i columns wide',
    async (width) => {
      const long = ['x'.repeat(100), ...Object.values(disputed)];

      const lines = await boxed(
        long.map((name) => [name]),
        width,
      );

      const shown = lines.join('\n');
      expect(shown).toContain('xx…');
      for (const name of Object.values(disputed)) {
        if (mostWidthOf(name) <= ((width - 8) * 2) / 3) expect(shown).toContain(`${name} `);
      }
    },
  );

  test('keeps of a cut cell as many whole characters as surely fit', async () => {
    const one = fc.constantFrom('👍🏽', '❤️', 'नि', 'ที่', 'x', '犬', '👩\u200d👩\u200d👧', 'क्\u200d');
    const characters = fc.array(one, { minLength: 20, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(characters, fc.integer({ min: 15, max: 60 }), async (all, width) => {
        const [, line = ''] = await boxed([[all.join('')]], width);

        const shown = /^│ 0 │ (.*)… *│$/.exec(line)?.[1] ?? '';
        const room = width - 8;
        const count = [...new Intl.Segmenter().segment(shown)].length;
        const kept = [...new Intl.Segmenter().segment(all.join(''))].map(({ segment }) => segment);
        expect(shown).toBe(kept.slice(0, count).join(''));
        const more = kept.slice(0, count + 1).join('');
        expect(mostWidthOf(`${more}…`)).toBeGreaterThan(room);
      }),
      trials(300),
    );
  });

  test.for(drawings.flatMap((drawing) => [20, 40, 80].map((width) => ({ drawing, width }))))(
    'is a line for each row on a terminal of $width columns that draws emoji $drawing',
    async ({ drawing, width }) => {
      const texts = Object.values(disputed).map((name) => [name, `${name} ${'x'.repeat(30)}`]);

      for (const lay of [boxed, streamed]) {
        const lines = await lay(texts, width);

        expect((await screenOf(`${lines.join('\n')}\n`, width, drawing)).rows).toHaveLength(
          lines.length,
        );
      }
    },
  );

  test('never cuts an id, at the end of a disputed row of a long list either', async () => {
    const id = new ExactNumber('-9223372036854775808');
    const records: JsonObject[] = [{ name: '👩\u200d👩\u200d👧'.repeat(20), id }];
    const whole = { header: ['name', 'id'], rows: records.map(({ name, id }) => [name, id]) };
    const options = { width: 40, header: false, ascii: false };
    const { lay } = await createLongTable(whole, sink, options);

    expect(String(lay(whole))).toMatch(/👧… +-9223372036854775808$/);
  });

  test('leaves no half of a joined word that would be escaped', async () => {
    for (let width = 15; width < 40; width += 1) {
      const texts = ['می\u200cخواهم', 'র\u200d\u09cdযাব', 'ᠬᠠᠷ\u180eᠠ', 'ශ්\u200dරී'].map((word) => [
        word.repeat(9),
      ]);

      const lines = await boxed(texts, width);

      for (const line of lines) expect(sink.show(line)).toBe(line);
    }
  });
});
