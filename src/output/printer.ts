import type { Context } from '../context.ts';
import { asFailure, usageFailure } from '../errors.ts';
import { notice, type Report } from '../events.ts';
import { type Format, isTabular } from '../formats.ts';
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts';
import { escapeText } from '../json/safe-text.ts';
import type { Query } from '../query/query.ts';
import { quoted, quoteSome } from '../text/quote.ts';
import { inferColumns, pickFields, pickOnly, toQueryRows, toRow } from './columns.ts';
import { listWriters, rowWriters, valueWriters } from './render.ts';
import type { Line, Sink } from './sink.ts';

type Batches<Element = Json> = AsyncIterable<readonly Element[]> | Iterable<readonly Element[]>;

export type Result = {
  /** What a person wants of the result: it replaces a table, and `raw` of a record. */
  readonly text?: readonly string[];
  readonly empty?: string;
} & (
  | {
      readonly record: Json;
      /** Left out if the interface document does not name the fields. */
      readonly columns?: readonly string[];
    }
  | {
      /** Its batches, which may arrive one by one and are read once. */
      readonly list: Batches;
      readonly columns: readonly string[];
      /** Fields around the list in JSON, YAML and --query, which then have the list as `items`. */
      readonly head?: JsonObject;
    }
);

/** A result as it is printed: what --query and --columns leave of it. */
type View = {
  readonly batches: Batches;
  readonly isList: boolean;
  readonly head?: JsonObject | undefined;
  /** undefined if the elements are no records. */
  readonly columns: readonly string[] | undefined;
  readonly empty: string;
};

type PrinterOptions = {
  readonly context: Pick<Context, 'signal' | 'stdout' | 'yieldToIo'>;
  readonly sink: Sink;
  readonly report: Report;
  readonly format: Format;
  readonly columns?: readonly string[];
  readonly query: Query | undefined;
  readonly header?: boolean;
};

const emptyList = 'The list is empty.';
/** Elements that are laid out at a time, so that a long list takes no more memory than a short one. */
const batchSize = 1_000;

/** Prints results in the chosen format. Data is redacted here, before it is rendered. */
export class Printer {
  readonly #options: PrinterOptions;
  #printed = 0;

  constructor(options: PrinterOptions) {
    this.#options = options;
  }

  checkColumns(known: readonly string[]): void {
    const { columns = [], query } = this.#options;
    const unknown = columns.find((name) => !known.includes(name));
    if (unknown === undefined || query) return;
    const hint = `Write names of these: ${known.join(', ')}.`;
    throw usageFailure(`unknown column ${quoted(unknown)}`, hint);
  }

  async print(result: Result): Promise<void> {
    const { sink, report, format, columns, query } = this.#options;
    const { text } = result;
    if (result.columns) this.checkColumns(result.columns);
    const isForPeople = format === 'table' || (format === 'raw' && 'record' in result);
    if (text && isForPeople && !columns && !query) {
      return sink.print(text.map((line) => escapeText(sink.redact(line))));
    }
    const view = await this.#choose(this.#redact(result));
    let isPrinted = false;
    try {
      for await (const lines of this.#render(view)) {
        await sink.print(lines);
        isPrinted ||= lines.length > 0;
      }
    } catch (error) {
      throw 'list' in result ? this.#incomplete(error) : error;
    }
    if (format === 'table' && !isPrinted) notice(report, view.empty);
  }

  #redact(result: Result): Result {
    const { redactData } = this.#options.sink;
    if ('record' in result) return { ...result, record: redactData(result.record) };
    const { head, list } = result;
    return {
      ...result,
      ...(head && { head: redactData(head) }),
      list: mapBatches(list, redactData),
    };
  }

  async #choose(result: Result): Promise<View> {
    const { format, columns: requested, query } = this.#options;
    if (query) {
      const found = query(await readWhole(result));
      const what = found === null ? 'null' : 'an empty list';
      const shown = isTabular(format) ? toQueryRows(found) : found;
      return this.#chooseValue(shown, undefined, `The result of --query is ${what}.`);
    }
    if ('record' in result) return this.#chooseValue(result.record, result.columns, result.empty);
    const columns = requested ?? result.columns;
    const head = requested ? undefined : result.head;
    const { list: batches, empty = emptyList } = result;
    return { batches, isList: true, head, columns, empty };
  }

  #chooseValue(
    value: Json,
    columns: readonly string[] | undefined,
    empty = Array.isArray(value) ? emptyList : 'There is no field to show.',
  ): View {
    const { sink, format, columns: requested } = this.#options;
    const isList = Array.isArray(value);
    const elements = isList ? value : [value];
    const known = columns ?? inferColumns(elements);
    if (known) this.#reportUnknown(known);
    const shown = requested?.map(sink.redact) ?? known;
    if (format !== 'table' || columns || !isJsonObject(value)) {
      return { batches: [elements], isList, columns: shown, empty };
    }
    const names = (shown ?? []).filter((name) => Object.hasOwn(value, name));
    const fields = names.map((field) => ({ field, value: value[field] }));
    return { batches: [fields], isList: true, columns: ['field', 'value'], empty };
  }

  #reportUnknown(known: readonly string[]): void {
    const { columns = [], report } = this.#options;
    for (const name of columns.filter((name) => !known.includes(name))) {
      notice(report, `unknown column ${quoted(name)}; the response has ${quoteSome(known)}`);
    }
  }

  async *#render(view: View): AsyncGenerator<readonly Line[]> {
    const { context, format, header = true, columns: requested } = this.#options;
    const { isList, head, columns } = view;
    const batches = this.#divide(view.batches);
    if (isTabular(format)) {
      const names = columns ?? ['value'];
      const rows = mapBatches(batches, (batch) => batch.map((item) => toRow(item, columns)));
      const width = context.stdout.columns;
      return yield* rowWriters[format](rows, { columns: names, header, width });
    }
    const isBare = format === 'raw' && requested?.length === 1;
    const pick = isBare ? pickOnly : pickFields;
    const values = requested
      ? mapBatches(batches, (batch) => batch.map((item) => pick(item, requested)))
      : batches;
    const writeList = isList ? listWriters[format] : undefined;
    if (writeList) return yield* writeList(values, head);
    const write = valueWriters[format];
    yield* mapBatches(values, (batch) => batch.map(write));
  }

  async *#divide(batches: Batches): AsyncGenerator<readonly Json[]> {
    const { signal, yieldToIo } = this.#options.context;
    // What is printed after an interruption is the result of a write, and is printed whole.
    const isInterrupted = signal.aborted;
    for await (const batch of batches) {
      for (let start = 0; start < batch.length; start += batchSize) {
        // Writes to a terminal are synchronous: without a pause no signal would be noticed before the last one.
        await yieldToIo();
        if (!isInterrupted) signal.throwIfAborted();
        const part = batch.slice(start, start + batchSize);
        yield part;
        this.#printed += part.length;
      }
    }
  }

  /** Adds to an error that the list broke off. After a failed write nobody knows how much of it arrived. */
  #incomplete(error: unknown): unknown {
    const failure = asFailure(error);
    if (this.#printed === 0 || !failure) return error;
    const { kind, message } = failure;
    if (kind === 'output') return failure.with({}, `${message}; the list is incomplete`);
    return failure.with({}, `${message}; the list is incomplete: ${this.#printed} printed`);
  }
}

async function* mapBatches<From, To>(
  batches: Batches<From>,
  change: (batch: readonly From[]) => readonly To[],
): AsyncGenerator<readonly To[]> {
  for await (const batch of batches) yield change(batch);
}

/** Returns what --query asks: the result as JSON has it. */
async function readWhole(result: Result): Promise<Json> {
  if ('record' in result) return result.record;
  const items: Json[] = [];
  for await (const batch of result.list) for (const element of batch) items.push(element);
  return result.head ? { ...result.head, items } : items;
}
