import fc from 'fast-check';
import { describe } from 'vitest';
import { frame } from '../../../src/output/frame.ts';
import { widthOf } from '../../../src/output/layout.ts';
import type { Line } from '../../../src/output/sink.ts';
import { createSink } from '../../../src/output/sink.ts';
import { tableLines } from '../../../src/output/table.ts';
import { expect, test } from '../../support/petstore.ts';
import { trials } from '../../support/trials.ts';

const silent = { write: async () => {}, isTTY: true, columns: 80, stream: undefined };
const sink = createSink({
  stdout: silent,
  stderr: silent,
  signal: new AbortController().signal,
  sleep: () => Promise.reject(new Error('nobody waits')),
});

const pieces = [
  'dog',
  ' ',
  '犬と猫',
  'नमस्ते',
  '👩\u200d👩\u200d👧',
  '❤️',
  '🇩🇪',
  'a\u0301',
  '…',
  '|',
  '│',
  'می\u200cخواهم',
];
const cell = fc.array(fc.constantFrom(...pieces), { maxLength: 5 }).map((parts) => parts.join(''));
const tables = fc.integer({ min: 1, max: 5 }).chain((count) =>
  fc.array(fc.array(cell, { minLength: count, maxLength: count }), {
    minLength: 1,
    maxLength: 6,
  }),
);

/** Signs of a frame: the line itself, and its corners and crossings from above to below. */
const signs = {
  lines: { rule: '─', bar: '│', corners: ['┌┬┐', '├┼┤', '└┴┘'] },
  ascii: { rule: '-', bar: '|', corners: ['+++', '+++', '+++'] },
};

/** The same frame, drawn by hand. */
function drawn(rows: readonly string[][], header: boolean, ascii: boolean): Line[] {
  const { rule, bar, corners } = signs[ascii ? 'ascii' : 'lines'];
  const widths = (rows[0] ?? []).map((_, at) =>
    Math.max(...rows.map((row) => widthOf(row[at] ?? ''))),
  );
  const [top = '', middle = '', bottom = ''] = corners.map((signs) => {
    const [left, between, right] = signs;
    return left + widths.map((width) => rule.repeat(width + 2)).join(between) + right;
  });
  const lines: Line[] = rows.map((row) => {
    const cells = row.map((text, at) => text + ' '.repeat((widths[at] ?? 0) - widthOf(text)));
    return `${bar} ${cells.join(` ${bar} `)} ${bar}`;
  });
  if (!header) return [top, ...lines, bottom];
  const [head, ...others] = lines;
  return [top, { bold: String(head) }, ...(others.length > 0 ? [middle] : []), ...others, bottom];
}

describe('A frame', () => {
  test('stands where terminals end each cell, whatever is in it', () => {
    fc.assert(
      fc.property(tables, fc.boolean(), fc.boolean(), (rows, header, ascii) => {
        expect(frame(rows, { header, ascii, widthOf })).toEqual(drawn(rows, header, ascii));
      }),
      trials(1_000),
    );
  });

  const grid = (rows: number, columns: number, text = 'dog') => ({
    header: Array.from({ length: columns }, (_, at) => `${at}`),
    rows: Array.from({ length: rows }, () => Array.from({ length: columns }, () => text)),
  });
  const long = 'x'.repeat(201);

  test.for([
    { what: '1,000 cells', table: grid(500, 2), width: 80, framed: true },
    { what: 'more cells', table: grid(501, 2), width: 80, framed: false },
    { what: 'more cells in a pipe', table: grid(501, 2), width: undefined, framed: false },
    { what: '100 columns', table: grid(1, 100), width: 800, framed: true },
    { what: 'more columns', table: grid(1, 101), width: 800, framed: false },
    {
      what: 'a cell of 200 columns in a pipe',
      table: grid(2, 1, long.slice(1)),
      width: undefined,
      framed: true,
    },
    { what: 'a longer cell in a pipe', table: grid(2, 1, long), width: undefined, framed: false },
    {
      what: 'a wider cell in a pipe',
      table: grid(2, 1, '犬'.repeat(101)),
      width: undefined,
      framed: false,
    },
    { what: 'the same cut on a terminal', table: grid(2, 1, long), width: 300, framed: true },
  ])('is around a table of $what: $framed', async ({ table, width, framed }) => {
    const lines = await tableLines(table, sink, { width, header: true, ascii: false });

    expect(String(lines[0]).startsWith('┌')).toBe(framed);
    expect(lines).toHaveLength(table.rows.length + (framed ? 4 : 1));
  });
});
