import type { Context } from '../context.ts';
import { type Report, warn } from '../events.ts';
import { isJsonObject, type Json } from '../json/exact.ts';
import { choose, noticesOfUnknown, refuseUnknown } from './columns.ts';
import { fieldList, type Grid, gridOf, survey } from './grid.ts';
import { nestedInJson, nestedInYaml, type Pieces, piecesOf } from './items.ts';
import { type LayOptions, lay, loadFormat, loadWhole } from './lay.ts';
import { loadPaint } from './paint.ts';
import { arePieces, type Printer, type StreamWords } from './results.ts';
import type { Line, Sink } from './sink.ts';

export type PrinterOptions = Omit<LayOptions, 'width'> & {
  /** Whether a table is as wide as it needs to be on a terminal, too. */
  readonly wide: boolean;
  readonly color: boolean;
  /** The columns that are asked for, in that order; undefined where none are. */
  readonly columns: readonly string[] | undefined;
};

/** More records than that are laid out and printed piece by piece: as text they take many times the room. */
const mostAtOnce = 100_000;

export function createPrinter(
  context: Pick<Context, 'stdout' | 'signal' | 'turn' | 'platform'>,
  sink: Sink,
  report: Report,
  { format, color, ascii, columns: asked, header, wide }: PrinterOptions,
): Printer {
  const printer: Printer = {
    async load(expected) {
      if (expected)
        await lay(
          () => chosen(expected),
          () => gridOf([expected], asked ?? Object.keys(expected)),
          sink,
          layOptions(),
        );
      else await Promise.all([loadWhole(format), import('./stream.ts')]);
      if (color) await loadPaint();
    },
    preload() {
      // What cannot be loaded is loaded once more when it is needed, and said then.
      if (format === 'table') loadFormat(format).catch(() => {});
    },
    checkColumns(columns) {
      if (asked) refuseUnknown(asked, columns);
    },
    async records(records, columns, empty) {
      printer.checkColumns(columns);
      if (records.length === 0 && isSaid(empty)) return;
      if (records.length > mostAtOnce) {
        const { slicesOf } = await import('./stream.ts');
        return printer.stream(slicesOf(records), columns, { what: 'rows' });
      }
      await print(chosen([...records]), () => gridOf(records, asked ?? columns));
    },
    async stream(pieces, columns, words) {
      printer.checkColumns(columns);
      await printPieces(pieces, (records) => gridOf(records, asked ?? columns), words);
    },
    async record(record, columns) {
      printer.checkColumns(columns);
      await print(chosen(record), () => gridOf([record], asked ?? columns));
    },
    overview: (data, rows, columns) =>
      asked ? printer.records(rows, columns) : print(data, () => gridOf(rows, columns)),
    async bare(text, record) {
      if (asked || !(format === 'table' || format === 'raw')) {
        return printer.record(record, Object.keys(record));
      }
      if (format === 'table') return sink.print([text]);
      await print(text, () => gridOf([record], Object.keys(record)));
    },
    async exports(variables) {
      const names = Object.keys(variables);
      if (format !== 'table') return printer.record({ ...variables }, names);
      printer.checkColumns(names);
      const isWindows = context.platform === 'win32';
      const lines = (asked ?? names).map((name) =>
        isWindows ? `$env:${name} = '${variables[name]}'` : `export ${name}=${variables[name]}`,
      );
      await sink.print(lines);
    },
    async report(head, summary, items) {
      if (asked) return printer.records([...piecesOf(items)].flat(), items.columns);
      if (format === 'table') {
        return print(head, () => gridOf(summary, Object.keys(summary[0] ?? {})));
      }
      if (format === 'json') return write(nestedInJson(head, items, sink));
      if (format === 'yaml') return write(nestedInYaml(head, items));
      let titled = header;
      for (const records of piecesOf(items)) {
        await print(records, () => gridOf(records, items.columns), titled);
        titled = false;
      }
    },
    async differences(head, items, describe, total) {
      if (format !== 'table' || asked) return printer.report(head, [], items);
      for (const records of piecesOf(items)) {
        const lines = records.map((record) => {
          const { look, text } = describe(record);
          return { look, begin: sink.show(text), rest: '' };
        });
        await write([lines]);
      }
      await write([[total]]);
    },
    async anything(data, empty = 'The list is empty.') {
      const whole = arePieces(data) ? undefined : data;
      const all = Array.isArray(whole) ? whole : [data as Json];
      const pieces = arePieces(data) ? (data as AsyncIterable<Json[]>) : [all];
      const { there, toRecords } = await survey(pieces, asked?.length);
      for (const message of noticesOfUnknown(asked ?? [], there)) warn(report, message);
      const columns = asked ?? (there.length > 0 ? there : ['value']);
      const grid = (elements: readonly Json[]) => gridOf(toRecords(elements), columns);
      if (whole === undefined) return printPieces(pieces, grid, { what: 'elements', empty });
      if (all.length === 0 && isSaid(empty)) return;
      await print(chosen(whole), () =>
        format === 'table' && isJsonObject(whole)
          ? fieldList(whole, asked ?? Object.keys(whole))
          : grid(all),
      );
    },
  };
  return printer;

  /** Says what there is instead of rows: a table without any is no result that a person can read. */
  function isSaid(empty: string | undefined): boolean {
    if (format !== 'table' || empty === undefined) return false;
    report({ event: 'empty', message: empty });
    return true;
  }

  /** The columns that are asked for of each record. */
  function chosen(data: Json): Json {
    return asked ? choose(data, asked) : data;
  }

  async function printPieces<Element extends Json>(
    pieces: Pieces<Element>,
    grid: (elements: readonly Element[]) => Grid,
    { what, empty }: StreamWords,
  ): Promise<void> {
    const { brokenOff, layStream } = await import('./stream.ts');
    const options = { ...layOptions(), asked };
    let printed = 0;
    try {
      for await (const { lines, count } of layStream(pieces, grid, sink, options)) {
        if (count === 0 && isSaid(empty)) break;
        // Where each write is done at once, as on a terminal, no signal would be heard before the last one.
        await context.turn();
        context.signal.throwIfAborted();
        await write([lines]);
        printed += count;
      }
    } catch (error) {
      throw what === undefined ? error : brokenOff(error, printed, what, context.signal);
    }
  }

  function layOptions(titled = header): LayOptions {
    return { format, header: titled, ascii, width: wide ? undefined : context.stdout.columns };
  }

  async function print(data: Json, grid: () => Grid, titled?: boolean): Promise<void> {
    await write([await lay(() => data, grid, sink, layOptions(titled))]);
  }

  async function write(
    pieces: Iterable<readonly Line[]> | AsyncIterable<readonly Line[]>,
  ): Promise<void> {
    const paint = color ? await loadPaint() : undefined;
    for await (const lines of pieces) if (lines.length > 0) await sink.print(lines, paint);
  }
}
