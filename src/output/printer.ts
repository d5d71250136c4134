import type { Context } from '../context.ts';
import type { Format } from '../formats.ts';
import type { Json, JsonObject } from '../json/exact.ts';
import { type Grid, gridOf, gridOfAnything } from './columns.ts';
import type { Sink, Style } from './sink.ts';

/** Prints results on stdout, whole and validated, in the chosen format. */
export type Printer = {
  /** Records with known columns; JSON has every field that came. */
  readonly records: (records: readonly JsonObject[], columns: readonly string[]) => Promise<void>;
  /** One such record: an object in JSON, a table of one row. */
  readonly record: (record: JsonObject, columns: readonly string[]) => Promise<void>;
  /** One text of it that scripts want as it is: bare on a line; the record in JSON. */
  readonly bare: (text: string, record: JsonObject) => Promise<void>;
  /** Settings of a shell: lines that it can read; an object in JSON. */
  readonly exports: (variables: Readonly<Record<string, string>>) => Promise<void>;
  /** An overview: an object in JSON, these rows as a table. */
  readonly overview: (
    data: JsonObject,
    rows: readonly JsonObject[],
    columns: readonly string[],
  ) => Promise<void>;
  /**
   * A report on many things: `summary` as a table; in JSON `head` with all of them as its `items`; in NDJSON only those, one a
   * line. Each is made when its turn comes, so that a hundred thousand take no room.
   */
  readonly report: (
    head: JsonObject,
    summary: readonly JsonObject[],
    count: number,
    item: (index: number) => JsonObject,
  ) => Promise<void>;
  /** Data whose fields are not known beforehand, just as it came. */
  readonly anything: (data: Json) => Promise<void>;
};

export type PrinterOptions = { readonly format: Format; readonly color: boolean };

/** Items that are printed at a time. */
const piece = 1_000;

export function createPrinter(
  context: Context,
  sink: Sink,
  { format, color }: PrinterOptions,
): Printer {
  return {
    records: (records, columns) => print([...records], () => gridOf(records, columns)),
    record: (record, columns) => print(record, () => gridOf([record], columns)),
    overview: (data, rows, columns) => print(data, () => gridOf(rows, columns)),
    bare: (text, record) =>
      format === 'table' ? sink.print([text]) : print(record, () => gridOfAnything(null)),
    async exports(variables) {
      if (format !== 'table') return print({ ...variables }, () => gridOfAnything(null));
      const lines = Object.entries(variables).map(([name, value]) => `export ${name}=${value}`);
      return sink.print(lines);
    },
    async report(head, summary, count, item) {
      if (format === 'table') {
        return print(head, () => gridOf(summary, Object.keys(summary[0] ?? {})));
      }
      for (const lines of itemLines(head, count, item)) await sink.print(lines);
    },
    anything: (data) => print(data, () => gridOfAnything(data)),
  };

  /** The report in pieces of a thousand items. */
  function* itemLines(
    head: JsonObject,
    count: number,
    item: (index: number) => JsonObject,
  ): Generator<string[]> {
    const nested = format === 'json';
    // The head without its closing brace, so that the items can follow in it.
    if (nested) yield [`${sink.json(head, 2).slice(0, -2)},`, '  "items": ['];
    for (let start = 0; start < count; start += piece) {
      const length = Math.min(piece, count - start);
      yield Array.from({ length }, (_, n) => {
        const data = item(start + n);
        if (!nested) return sink.json(data);
        const comma = start + n === count - 1 ? '' : ',';
        return `    ${sink.json(data, 2).replaceAll('\n', '\n    ')}${comma}`;
      });
    }
    if (nested) yield ['  ]', '}'];
  }

  async function print(data: Json, grid: () => Grid): Promise<void> {
    if (format === 'json') return sink.print([sink.json(data, 2)]);
    if (format === 'ndjson') {
      const items = Array.isArray(data) ? data : [data];
      return items.length > 0 ? sink.print(items.map((item) => sink.json(item))) : undefined;
    }
    const { tableLines } = await import('./table.ts');
    const lines = await tableLines(grid(), sink, context.stdout.columns);
    return sink.print(lines, color ? await bold() : undefined);
  }
}

async function bold(): Promise<Style> {
  const { Chalk } = await import('chalk');
  return new Chalk({ level: 1 }).bold;
}
