import type { Context } from '../context.ts';
import { asFailure, Failure, usageFailure } from '../errors.ts';
import { type Format, isTabular, type TabularFormat, type ValueFormat } from '../formats.ts';
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts';
import { escapeText } from '../json/safe-text.ts';
import { writeJson } from '../json/write.ts';
import type { Query } from '../query/query.ts';
import { quoted } from '../text/quote.ts';
import { formatCount } from '../time.ts';
import { inferColumns, pickFields, type Row, toQueryRows, toRow } from './columns.ts';
import { csvLine, jsonList, rawLine, toYaml, tsvLine, yamlList } from './render.ts';
import type { Line, Sink } from './sink.ts';

/** A list that arrives in batches and can be read once. */
export type Batches = AsyncIterable<readonly Json[]>;

export type Result = {
  readonly data: Json | Batches;
  /** Fields around the list in JSON, YAML and --query, which then have the list as `items`. */
  readonly head?: JsonObject;
  /** Replaces `data` in a table, CSV and TSV, and wherever columns are requested. */
  readonly rows?: readonly JsonObject[];
  /** The columns of the records. Left out if the interface document does not name their fields. */
  readonly columns?: readonly string[];
  readonly lines?: readonly Line[];
  /** The one text that a person or a shell wants of the record: it replaces `table` and `raw`. */
  readonly text?: string;
  readonly empty?: string;
  readonly unit?: string;
};

type PrinterOptions = {
  readonly context: Pick<Context, 'signal' | 'turn'>;
  readonly sink: Sink;
  readonly notice: (message: string) => void;
  readonly format: Format;
  readonly columns: readonly string[] | undefined;
  readonly query: Query | undefined;
  readonly header: boolean;
  readonly width: number | undefined;
  readonly framed: boolean;
};

/** Elements that are laid out at a time, so that a long list takes no more memory than a short one. */
const batchSize = 1_000;
const maxListedColumns = 20;
/** A query holds its list in memory. */
const maxQueriedElements = 1_000_000;

const lineWriters: Readonly<Record<Exclude<TabularFormat, 'table'>, (row: Row) => string>> = {
  csv: csvLine,
  tsv: tsvLine,
};

const valueWriters: Readonly<Record<ValueFormat, (value: Json) => string>> = {
  json: (value) => writeJson(value, 0),
  ndjson: (value) => writeJson(value),
  raw: rawLine,
  yaml: (value) => toYaml(value),
};

/** Prints results in the chosen format. Data is redacted here, before it is rendered. */
export class Printer {
  readonly #options: PrinterOptions;
  readonly #isTable: boolean;
  #printed = 0;

  constructor(options: PrinterOptions) {
    this.#options = options;
    this.#isTable = options.format === 'table';
  }

  checkColumns(known: readonly string[]): void {
    const { columns = [], query } = this.#options;
    const unknown = columns.find((name) => !known.includes(name));
    if (unknown === undefined || query) return;
    const hint = `Write names of these: ${known.join(', ')}.`;
    throw usageFailure(`unknown column ${quoted(unknown)}`, hint);
  }

  async print(result: Result): Promise<void> {
    const { sink, format, columns: requested, query } = this.#options;
    const { text, lines, unit } = result;
    if (result.columns) this.checkColumns(result.columns);
    if (!requested && !query) {
      if (text !== undefined && (this.#isTable || format === 'raw')) {
        return sink.print([this.#clean(text)]);
      }
      if (lines && this.#isTable) return sink.print(lines.map((line) => this.#clean(line)));
    }
    const selected = await this.#select(result);
    const { head, columns, empty = 'The list is empty.' } = selected;
    // Names of fields that the service chose become columns, and may hold the key.
    const data =
      columns || isBatches(selected.data) ? selected.data : sink.redactData(selected.data);
    const known = columns ?? (isBatches(data) ? undefined : inferColumns([data].flat()));
    if (known) this.#reportUnknown(known);
    // A requested name that is no column may be the key, typed in the wrong place.
    const shown = requested?.map((name) => (known?.includes(name) ? name : sink.redact(name)));
    let texts: AsyncIterable<readonly Line[]> = isTabular(format)
      ? this.#rows(format, data, shown ?? known)
      : this.#values(format, data, head);
    if (this.#isTable && !columns && isJsonObject(data)) {
      const names = (shown ?? Object.keys(data)).filter((name) => Object.hasOwn(data, name));
      const rows = inBatches(names, (name) => [name, data[name]]);
      texts = this.#table(rows, ['field', 'value']);
    }
    let isPrinted = false;
    try {
      for await (const batch of texts) {
        if (batch.length === 0) continue;
        await sink.print(batch);
        isPrinted = true;
      }
    } catch (error) {
      throw unit ? this.#incomplete(error, unit) : error;
    }
    if (this.#isTable && !isPrinted) this.#options.notice(empty);
  }

  #clean(line: Line): Line {
    const clean = (text: string) => escapeText(this.#options.sink.redact(text));
    return typeof line === 'string' ? clean(line) : { ...line, text: clean(line.text) };
  }

  async #select({ head, rows, ...result }: Result): Promise<Result> {
    const { sink, format, columns: requested, query } = this.#options;
    if (query) {
      const whole = isBatches(result.data) ? await readAll(result.data) : result.data;
      const found = query(sink.redactData(head ? { ...head, items: whole } : whole));
      const what = found === null ? 'null' : 'an empty list';
      return {
        data: isTabular(format) ? toQueryRows(found) : found,
        empty: `The result of --query is ${what}.`,
      };
    }
    if (rows && (requested || isTabular(format))) return { ...result, data: [...rows] };
    return head && !requested ? { ...result, head: sink.redactData(head) } : result;
  }

  #reportUnknown(known: readonly string[]): void {
    const { columns = [], notice } = this.#options;
    const more = known.length > maxListedColumns ? ', …' : '';
    const list = known.slice(0, maxListedColumns).join(', ');
    for (const name of columns) {
      if (known.includes(name)) continue;
      notice(`unknown column ${quoted(name)}; the response has these fields: ${list}${more}`);
    }
  }

  /** Adds to an error that the list broke off. After a failed write nobody knows how much of it arrived. */
  #incomplete(error: unknown, unit: string): unknown {
    const failure = asFailure(error);
    if (this.#printed === 0 || !failure) return error;
    const { kind, message } = failure;
    if (kind === 'output') return failure.with({}, `${message}; the list is incomplete`);
    return failure.with({}, `${message}; the list is incomplete: ${this.#printed} ${unit} printed`);
  }

  async *#values(
    format: ValueFormat,
    data: Json | Batches,
    head?: JsonObject,
  ): AsyncGenerator<string[]> {
    const { columns } = this.#options;
    const isList = isBatches(data) || Array.isArray(data);
    const batches = this.#toBatches(data, (element) =>
      columns ? pickFields(element, columns) : element,
    );
    if (isList && format === 'json') return yield* jsonList(batches, head);
    if (isList && format === 'yaml') return yield* yamlList(batches, head);
    const write = valueWriters[format];
    for await (const batch of batches) {
      if (batch.length > 0) yield [batch.map((value) => write(value)).join('\n')];
    }
  }

  async *#rows(
    format: TabularFormat,
    data: Json | Batches,
    columns: readonly string[] | undefined,
  ): AsyncGenerator<readonly Line[]> {
    const names = columns ?? ['value'];
    const rows = this.#toBatches(data, (element) => toRow(element, columns));
    if (format === 'table') return yield* this.#table(rows, names);
    const line = lineWriters[format];
    if (this.#options.header) yield [line(names)];
    for await (const batch of rows) if (batch.length > 0) yield [batch.map(line).join('\n')];
  }

  async *#table(
    rows: AsyncIterable<readonly Row[]>,
    columns: readonly string[],
  ): AsyncGenerator<readonly Line[]> {
    const { tableLines } = await import('./table.ts');
    yield* tableLines(rows, { ...this.#options, columns });
  }

  /** Yields the elements of a list, or the value as the only one, redacted and changed. */
  async *#toBatches<To>(data: Json | Batches, change: (element: Json) => To): AsyncGenerator<To[]> {
    const { sink, context } = this.#options;
    const { signal, turn } = context;
    // What is printed after an interruption is the result of a write, and is printed whole.
    const isInterrupted = signal.aborted;
    for await (const batch of isBatches(data) ? data : [[data].flat() as Json[]]) {
      for (let start = 0; start < batch.length; start += batchSize) {
        // Writes to a terminal are synchronous: without a pause no signal would be noticed before the last one.
        await turn();
        if (!isInterrupted) signal.throwIfAborted();
        const elements = sink.redactData(batch.slice(start, start + batchSize));
        yield elements.map(change);
        this.#printed += elements.length;
      }
    }
  }
}

export async function* inBatches<From, To>(
  items: readonly From[],
  change: (item: From) => To,
): AsyncGenerator<To[]> {
  for (let start = 0; start < items.length; start += batchSize) {
    yield items.slice(start, start + batchSize).map(change);
  }
}

function isBatches(data: Json | Batches): data is Batches {
  return typeof data === 'object' && data !== null && Symbol.asyncIterator in data;
}

async function readAll(batches: Batches): Promise<Json[]> {
  const all: Json[] = [];
  for await (const batch of batches) {
    for (const element of batch) all.push(element);
    if (all.length > maxQueriedElements) {
      const message = `--query failed: the list has more than ${formatCount(maxQueriedElements)} elements`;
      throw new Failure('usage', message, { hint: 'Print -o ndjson, and filter it with jq.' });
    }
  }
  return all;
}
