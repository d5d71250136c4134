import type { Context } from '../context.ts';
import { explained, Failure } from '../errors.ts';
import type { Format } from '../formats.ts';
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts';
import { escapeText } from '../json/safe-text.ts';
import { writeJson } from '../json/write.ts';
import { formatCount } from '../time.ts';
import { csvLine, jsonList, rawLine, toYaml, tsvLine } from './formats.ts';
import { checkColumns, inferColumns, pickFields, type Row, toQueryRows, toRow } from './rows.ts';
import type { Line, Sink } from './sink.ts';

/** A list that arrives in batches and can be read once. Its columns are always given. */
export type Batches = AsyncIterable<readonly Json[]>;

/** What a command prints on stdout. */
export type Result = {
  /** One value, or a list, which may come in batches. */
  readonly data: Json | Batches;
  /** In JSON and YAML a list becomes the `items` of this object. */
  readonly head?: JsonObject;
  /** Replaces `data` in a table, CSV and TSV, and wherever columns are requested. */
  readonly rows?: readonly JsonObject[];
  /** The columns of the records. Left out if the interface document does not name their fields. */
  readonly columns?: readonly string[];
  /** Replaces the table for people. */
  readonly lines?: readonly Line[];
  /** The one text that a person or a shell wants of the record: it replaces `table` and `raw`. */
  readonly text?: string;
  /** The notice that replaces a table without rows. */
  readonly empty?: string;
  /** What the list consists of: if it breaks off, the failure says how many of them were printed. */
  readonly unit?: string;
};

export type PrinterOptions = {
  readonly format: Format;
  /** The columns of --columns. */
  readonly columns: readonly string[] | undefined;
  readonly query: ((data: Json) => Json) | undefined;
  readonly header: boolean;
  readonly width: number | undefined;
  readonly framed: boolean;
};

/** Elements that are laid out at a time, so that a long list takes no more memory than a short one. */
const batchSize = 1_000;
const maxListedColumns = 20;
/** A query holds its list in memory. */
const maxQueriedElements = 1_000_000;
const tabular: readonly Format[] = ['table', 'csv', 'tsv'];

export type Printer = ReturnType<typeof createPrinter>;

/** Prints results in the chosen format. Data is redacted here, before it is laid out. */
export function createPrinter(
  { signal, turn }: Pick<Context, 'signal' | 'turn'>,
  sink: Sink,
  notice: (message: string) => void,
  options: PrinterOptions,
) {
  const { format, columns: requested, query, header } = options;
  const isTable = format === 'table';
  const isTabular = tabular.includes(format);
  let printed = 0;
  return {
    /** Refuses unknown columns before anything is sent. @throws Failure (usage) */
    checkColumns(known: readonly string[]): void {
      if (requested && !query) checkColumns(requested, known);
    },
    /** Starts to load the table code while the request is in flight: that costs no time. */
    preload(): void {
      if (isTable) import('./table.ts').catch(() => {});
    },
    /** @throws Failure (output, usage), the signal's reason, and what the batches throw */
    async print(result: Result): Promise<void> {
      const { text, lines } = result;
      if (result.columns) this.checkColumns(result.columns);
      if (!requested && !query) {
        if (text !== undefined && (isTable || format === 'raw')) {
          return sink.print([clean(text)]);
        }
        if (lines && isTable) return sink.print(lines.map(clean));
      }
      const { data: selected, head, columns, empty = 'The list is empty.' } = await select(result);
      // Names of fields that the service chose become columns, and may hold the key.
      const data = columns || isBatches(selected) ? selected : sink.redactData(selected);
      if (isTable && !columns && isJsonObject(data)) return printFields(data);
      const known = columns ?? (isBatches(data) ? undefined : inferColumns([data].flat()));
      for (const name of requested ?? []) {
        if (!known || known.includes(name)) continue;
        const more = known.length > maxListedColumns ? ', …' : '';
        const list = known.slice(0, maxListedColumns).join(', ');
        notice(`unknown column "${name}"; the response has these fields: ${list}${more}`);
      }
      // A word in the wrong place may be the key.
      const shown = requested?.map((name) => (known?.includes(name) ? name : sink.redact(name)));
      const texts = isTabular ? rowsOf(data, shown ?? known) : valuesOf(data, head);
      const isPrinted = await printAll(texts).catch((error) => {
        throw result.unit ? incomplete(error, result.unit) : error;
      });
      if (isTable && !isPrinted) notice(empty);
    },
  };

  function clean(line: Line): Line {
    if (typeof line === 'string') return escapeText(sink.redact(line));
    return { ...line, text: escapeText(sink.redact(line.text)) };
  }

  /** Returns what is printed of a result: what the query makes of it, its rows, or its data. */
  async function select({ data, head, rows, columns, empty }: Result): Promise<Result> {
    if (query) {
      const whole = isBatches(data) ? await readAll(data) : data;
      const result = query(sink.redactData(head ? { ...head, items: whole } : whole));
      const what = result === null ? 'null' : 'an empty list';
      return {
        data: isTabular ? toQueryRows(result) : result,
        empty: `The result of --query is ${what}.`,
      };
    }
    const more = { ...(columns && { columns }), ...(empty && { empty }) };
    if (rows && (requested || isTabular)) return { data: [...rows], ...more };
    return { data, ...(head && !requested && { head: sink.redactData(head) }), ...more };
  }

  /** Prints a record of unknown fields for people, one field per line. */
  async function printFields(record: JsonObject): Promise<void> {
    const fields = Object.entries(
      requested ? (pickFields(record, requested) as JsonObject) : record,
    );
    const rows = inBatches(fields.length, (index) => fields[index] ?? []);
    await printAll(layOut(rows, ['field', 'value']));
  }

  async function printAll(texts: AsyncIterable<readonly Line[]>): Promise<boolean> {
    let isPrinted = false;
    for await (const lines of texts) {
      if (lines.length > 0) await sink.print(lines);
      isPrinted ||= lines.length > 0;
    }
    return isPrinted;
  }

  /** Adds to an error that the list broke off. After a failed write nobody knows how much of it arrived. */
  function incomplete(error: unknown, unit: string): unknown {
    const failure = explained(error, signal, {});
    if (printed === 0 || !(failure instanceof Failure)) return error;
    const { kind, message } = failure;
    if (kind === 'output') return failure.with({}, `${message}; the list is incomplete`);
    return failure.with({}, `${message}; the list is incomplete: ${printed} ${unit} printed`);
  }

  /** Writes JSON, NDJSON, YAML and raw values. */
  async function* valuesOf(data: Json | Batches, head?: JsonObject): AsyncGenerator<string[]> {
    const isList = isBatches(data) || Array.isArray(data);
    const batches = batchesOf(data, (element) =>
      requested ? pickFields(element, requested) : element,
    );
    if (format === 'json' && isList) return yield* jsonList(batches, head);
    const write = {
      json: (element: Json) => writeJson(element, 0),
      ndjson: (element: Json) => writeJson(element),
      raw: rawLine,
      yaml: (element: Json) => toYaml(isList ? [element] : element),
    }[format as 'json' | 'ndjson' | 'raw' | 'yaml'];
    const title = format === 'yaml' && head ? `${toYaml(head)}\nitems:` : undefined;
    let isEmpty = true;
    for await (const batch of batches) {
      if (batch.length === 0) continue;
      if (title !== undefined && isEmpty) yield [title];
      isEmpty = false;
      yield [batch.map(write).join('\n')];
    }
    // On a line of its own `[]` would not belong to `items:`.
    if (isEmpty && format === 'yaml') yield [title === undefined ? '[]' : `${title} []`];
  }

  /** Writes a table, CSV and TSV. */
  async function* rowsOf(
    data: Json | Batches,
    columns: readonly string[] | undefined,
  ): AsyncGenerator<readonly Line[]> {
    const rows = batchesOf(data, (element) => toRow(element, columns));
    yield* layOut(rows, columns ?? ['value']);
  }

  async function* layOut(
    rows: AsyncIterable<readonly Row[]>,
    names: readonly string[],
  ): AsyncGenerator<readonly Line[]> {
    if (isTable) {
      const { tableLines } = await import('./table.ts');
      return yield* tableLines(rows, { ...options, columns: names });
    }
    const line = format === 'csv' ? csvLine : tsvLine;
    if (header) yield [line(names)];
    for await (const batch of rows) if (batch.length > 0) yield [batch.map(line).join('\n')];
  }

  /** Yields the elements of a list, or the value as the only one, redacted and changed. */
  async function* batchesOf<To>(
    data: Json | Batches,
    change: (element: Json) => To,
  ): AsyncGenerator<To[]> {
    // What is printed after an interruption is the result of a write, and is printed whole.
    const isInterrupted = signal.aborted;
    for await (const batch of isBatches(data) ? data : [[data].flat() as Json[]]) {
      for (let start = 0; start < batch.length; start += batchSize) {
        // Writes to a terminal are synchronous: without a pause no signal would be noticed before the last one.
        await turn();
        if (!isInterrupted) signal.throwIfAborted();
        const elements = sink.redactData(batch.slice(start, start + batchSize));
        yield elements.map(change);
        printed += elements.length;
      }
    }
  }
}

/** Yields elements that are made a batch at a time, so that a hundred thousand take no room. */
export async function* inBatches<Element>(
  count: number,
  elementAt: (index: number) => Element,
): AsyncGenerator<Element[]> {
  for (let start = 0; start < count; start += batchSize) {
    const length = Math.min(batchSize, count - start);
    yield Array.from({ length }, (_, index) => elementAt(start + index));
  }
}

function isBatches(data: Json | Batches): data is Batches {
  return typeof data === 'object' && data !== null && Symbol.asyncIterator in data;
}

/** @throws Failure (usage) if a query would fill the memory */
async function readAll(batches: Batches): Promise<Json[]> {
  const all: Json[] = [];
  for await (const batch of batches) {
    for (const element of batch) all.push(element);
    if (all.length > maxQueriedElements) {
      const message = `--query failed: the list has more than ${formatCount(maxQueriedElements)} elements`;
      throw new Failure('usage', message, { hint: 'Pipe it through jq: petstore ... -o ndjson' });
    }
  }
  return all;
}
