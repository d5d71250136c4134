import type { Context } from '../context.ts';
import { notice, type Report } from '../events.ts';
import type { Format } from '../formats.ts';
import { isJsonObject, type Json, type JsonObject } from '../json/exact.ts';
import { unloadable } from '../text/unloadable.ts';
import { choose, refuseUnknown } from './columns.ts';
import { columnsOf, fieldList, type Grid, gridOf, recordsOf } from './grid.ts';
import { type Items, nestedInJson, nestedInYaml, piecesOf } from './items.ts';
import type { Line, Sink } from './sink.ts';
import type { Pieces } from './stream.ts';

/**
 * Prints results on stdout, whole and validated, in the chosen format. Where columns are asked for, each format has these alone.
 * All but `anything` throw a Failure (usage) when a column is asked for that there is not.
 */
export type Printer = {
  /**
   * Loads what printing needs: in this format at all, or a record like `expected` alone. Where something is changed it comes
   * first, so that the result can be printed whatever becomes of the installed program meanwhile. @throws Failure (output)
   */
  readonly load: (expected?: JsonObject) => Promise<void>;
  /** Begins to load what most results need: a request has left, and until its answer comes that costs no time. */
  readonly preload: () => void;
  /** Refuses such a column before anything is sent. */
  readonly checkColumns: (columns: readonly string[]) => void;
  /** Records with known columns; JSON and YAML have every field that came. */
  readonly records: (records: readonly JsonObject[], columns: readonly string[]) => Promise<void>;
  /**
   * The same records as they come; `what` they are called in a message.
   * @throws what the pieces throw; a Failure then says how many were printed
   */
  readonly stream: (pieces: Pieces, columns: readonly string[], what: string) => Promise<void>;
  /** One such record: an object in JSON and YAML, elsewhere one row. */
  readonly record: (record: JsonObject, columns: readonly string[]) => Promise<void>;
  /** One text of it that scripts want as it is: bare on a line; the record in other formats, or where columns are asked for. */
  readonly bare: (text: string, record: JsonObject) => Promise<void>;
  /** Settings of a shell: lines that it can read; a record in other formats. */
  readonly exports: (variables: Readonly<Record<string, string>>) => Promise<void>;
  /** An overview: an object in JSON and YAML, elsewhere these rows, and everywhere where columns are asked for. */
  readonly overview: (
    data: JsonObject,
    rows: readonly JsonObject[],
    columns: readonly string[],
  ) => Promise<void>;
  /**
   * A report on many things: `summary` as a table; in JSON and YAML `head` with all of them as its `items`; elsewhere, and
   * everywhere where columns are asked for, they alone.
   */
  readonly report: (
    head: JsonObject,
    summary: readonly JsonObject[],
    items: Items,
  ) => Promise<void>;
  /**
   * Data whose fields are not known beforehand, just as it came, or a list of it in pieces, which can be had more than once; a
   * column that it does not have is empty, and said.
   */
  readonly anything: (data: Json | AsyncIterable<Json | undefined>) => Promise<void>;
};

export type PrinterOptions = {
  readonly format: Format;
  readonly color: boolean;
  readonly ascii: boolean;
  /** The columns that are asked for, in that order; undefined where none are. */
  readonly columns: readonly string[] | undefined;
  readonly header: boolean;
};

/** More records than that are laid out and printed piece by piece: as text they take many times the room. */
const mostAtOnce = 100_000;
/** Fields that a notice names; an answer may have thousands. */
const mostNamed = 20;

export function createPrinter(
  context: Pick<Context, 'stdout' | 'signal' | 'turn'>,
  sink: Sink,
  report: Report,
  { format, color, ascii, columns: asked, header }: PrinterOptions,
): Printer {
  const printer: Printer = {
    async load(expected) {
      if (expected)
        await linesOf(
          chosen(expected),
          () => gridOf([expected], asked ?? Object.keys(expected)),
          header,
        );
      else await loadFormat(format);
      if (color) await boldStyle();
    },
    preload() {
      // What cannot be loaded is loaded once more when it is needed, and said then.
      if (format === 'table') loadTable().catch(() => {});
    },
    checkColumns(columns) {
      if (asked) refuseUnknown(asked, columns);
    },
    async records(records, columns) {
      printer.checkColumns(columns);
      if (records.length > mostAtOnce) {
        const { slicesOf } = await import('./stream.ts').catch(unloadable);
        return printer.stream(slicesOf(records), columns, 'rows');
      }
      await print(chosen([...records]), () => gridOf(records, asked ?? columns));
    },
    async stream(pieces, columns, what) {
      printer.checkColumns(columns);
      await printPieces(pieces, (records) => gridOf(records, asked ?? columns), what);
    },
    async record(record, columns) {
      printer.checkColumns(columns);
      await print(chosen(record), () => gridOf([record], asked ?? columns));
    },
    overview: (data, rows, columns) =>
      asked ? printer.records(rows, columns) : print(data, () => gridOf(rows, columns)),
    bare: (text, record) =>
      format === 'table' && !asked
        ? sink.print([text])
        : printer.record(record, Object.keys(record)),
    async exports(variables) {
      const names = Object.keys(variables);
      if (format !== 'table') return printer.record({ ...variables }, names);
      printer.checkColumns(names);
      await sink.print((asked ?? names).map((name) => `export ${name}=${variables[name]}`));
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
    async anything(data) {
      if (arePieces(data)) return printList(data as AsyncIterable<Json[]>);
      const records = recordsOf(data, asked?.length);
      const there = columnsOf(records);
      noticeUnknown(there);
      await print(chosen(data), () =>
        format === 'table' && isJsonObject(data)
          ? fieldList(data, asked ?? Object.keys(data))
          : gridOf(records, asked ?? (there.length > 0 ? there : ['value'])),
      );
    },
  };
  return printer;

  /** The columns that are asked for of each record. */
  function chosen(data: Json): Json {
    return asked ? choose(data, asked) : data;
  }

  async function printList(pieces: AsyncIterable<readonly Json[]>): Promise<void> {
    const { survey } = await import('./survey.ts').catch(unloadable);
    const { there, toRecords } = await survey(pieces, asked?.length);
    noticeUnknown(there);
    const columns = asked ?? there;
    await printPieces(pieces, (elements) => gridOf(toRecords(elements), columns), 'elements');
  }

  async function printPieces<Element extends Json>(
    pieces: Pieces<Element>,
    grid: (elements: readonly Element[]) => Grid,
    what: string,
  ): Promise<void> {
    const { brokenOff, layStream } = await import('./stream.ts').catch(unloadable);
    const options = { format, asked, header, ascii, width: context.stdout.columns };
    let printed = 0;
    try {
      for await (const { lines, count } of layStream(pieces, grid, sink, options)) {
        // Where each write is done at once, as on a terminal, no signal would be heard before the last one.
        await context.turn();
        context.signal.throwIfAborted();
        await write([lines]);
        printed += count;
      }
    } catch (error) {
      throw brokenOff(error, printed, what, context.signal);
    }
  }

  /** Says which of the columns that are asked for are not among those that there are, if there are any. */
  function noticeUnknown(there: readonly string[]): void {
    const known = new Set(there);
    for (const column of asked ?? []) {
      if (known.size === 0 || known.has(column)) continue;
      const named = there.slice(0, mostNamed).join(', ');
      const more = there.length > mostNamed ? ` and ${there.length - mostNamed} more` : '';
      const message = `nothing has a field "${column}"; there are: ${named}${more}`;
      notice(report, message);
    }
  }

  async function print(data: Json, grid: () => Grid, titled = header): Promise<void> {
    await write([await linesOf(data, grid, titled)]);
  }

  async function linesOf(data: Json, grid: () => Grid, titled: boolean): Promise<readonly Line[]> {
    switch (format) {
      case 'json':
        return [sink.json(data, 2)];
      case 'ndjson':
        return (Array.isArray(data) ? data : [data]).map((item) => sink.json(item));
      case 'yaml':
        return (await import('./yaml.ts').catch(unloadable)).yamlLines(data);
      case 'csv':
        return (await import('./csv.ts').catch(unloadable)).csvLines(grid(), sink, titled);
      case 'tsv':
        return (await import('./tsv.ts').catch(unloadable)).tsvLines(grid(), titled);
      case 'table': {
        const { tableLines } = await import('./table.ts').catch(unloadable);
        return tableLines(grid(), sink, { width: context.stdout.columns, header: titled, ascii });
      }
    }
  }

  async function write(
    pieces: Iterable<readonly Line[]> | AsyncIterable<readonly Line[]>,
  ): Promise<void> {
    const bold = color ? await boldStyle() : undefined;
    for await (const lines of pieces) if (lines.length > 0) await sink.print(lines, bold);
  }
}

/** Whether data comes in pieces. */
export function arePieces(
  data: Json | AsyncIterable<Json | undefined>,
): data is AsyncIterable<Json | undefined> {
  return typeof data === 'object' && data !== null && Symbol.asyncIterator in data;
}

async function loadFormat(format: Format): Promise<void> {
  await import('./stream.ts').catch(unloadable);
  if (format === 'yaml') await import('./yaml.ts').catch(unloadable);
  if (format === 'csv') await import('./csv.ts').catch(unloadable);
  if (format === 'tsv') await import('./tsv.ts').catch(unloadable);
  if (format === 'table') await Promise.all([loadTable(), import('./fit.ts').catch(unloadable)]);
}

async function loadTable(): Promise<void> {
  await import('./table.ts').catch(unloadable);
  await import('./frame.ts').catch(unloadable);
}

async function boldStyle() {
  const { Chalk } = await import('chalk').catch(unloadable);
  return new Chalk({ level: 1 }).bold;
}
