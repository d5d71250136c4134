import type { Format } from '../formats.ts';
import { isJsonObject, type Json, type JsonObject } from '../json/exact.ts';
import { createQuery } from '../query/query.ts';
import { createRoom } from '../query/work.ts';
import { type Items, mapPieces, type Pieces, piecesOf } from './items.ts';
import { arePieces, type Printer } from './results.ts';

type Layout = {
  readonly format: Format;
  /** The columns that are asked for; undefined where none are. */
  readonly columns: readonly string[] | undefined;
};

/** In rows and cells. */
const tabular: readonly Format[] = ['table', 'csv', 'tsv'];
/** Longer lists are laid out piece by piece. */
const mostAtOnce = 100_000;

const isEmpty = 'The result of --query is an empty list.';
const isNull = 'The result of --query is null.';

/**
 * A printer that prints what an expression of JMESPath makes of each result, which it is given as JSON has it.
 * @throws Failure (usage) for an invalid expression, and for columns that its result surely does not have
 */
export function queried(
  printer: Printer,
  expression: string,
  { format, columns: asked }: Layout,
): Printer {
  const query = createQuery(expression);
  const { columns } = query;
  if (columns) printer.checkColumns(columns);
  const isTabular = tabular.includes(format);

  return {
    load: () => printer.load(),
    preload: printer.preload,
    checkColumns() {
      // They are those of the expression's result.
    },
    records: (records) => show(records as readonly Json[] as Json[]),
    record: show,
    overview: show,
    bare: (_, record) => show(record),
    exports: (variables) => show({ ...variables }),
    report: (head, _, items) => nested(head, items),
    differences: nested,
    anything: (data) => (arePieces(data) ? again(data as AsyncIterable<Json[]>) : show(data)),
    async stream(pieces) {
      // Which columns there are is seen by the last piece, and these cannot be had twice.
      const isLaidOutAtOnce = columns || !(isTabular || asked);
      if (query.isPiecewise && isLaidOutAtOnce) {
        return printer.stream(each(pieces), columns ?? [], { what: 'elements', empty: isEmpty });
      }
      if (query.isPiecewise) return showList(await gathered(each(pieces)));
      await show(await gathered(pieces));
    },
  };

  function nested(head: JsonObject, items: Items): Promise<void> {
    return show({ ...head, items: [...piecesOf(items)].flat() });
  }

  async function show(data: Json): Promise<void> {
    const result = query.apply(data);
    if (Array.isArray(result)) return showList(isTabular ? result.map(toRow) : result);
    if (result === null && isTabular) return showList([], isNull);
    return printer.anything(toRow(result));
  }

  /** A list in pieces that can be had more than once. */
  async function again(pieces: AsyncIterable<Json[]>): Promise<void> {
    if (!query.isPiecewise) return show(await gathered(pieces));
    const results = { [Symbol.asyncIterator]: () => each(pieces) };
    if (!columns) return printer.anything(results, isEmpty);
    await printer.stream(results, columns, { what: 'elements', empty: isEmpty });
  }

  function showList(list: Json[], empty = isEmpty): Promise<void> {
    if (columns) return printer.records(list as JsonObject[], columns, empty);
    return printer.anything(list.length > mostAtOnce ? inSlices(list) : list, empty);
  }

  /** What the expression makes of each piece: where it is piecewise a list, and of a list of objects where it has columns. */
  function each(pieces: Pieces<Json>): AsyncGenerator<JsonObject[]> {
    return mapPieces(pieces, (piece) => {
      const results = query.apply(piece as Json[]) as Json[];
      return (isTabular ? results.map(toRow) : results) as JsonObject[];
    });
  }

  /**
   * A list in a list is a row, its places are the columns. In a cell nothing is nothing: `null` would come back as a text where a
   * CSV file is imported.
   */
  function toRow(value: Json): Json {
    if (!isTabular) return value;
    if (columns && Array.isArray(value)) {
      return Object.fromEntries(value.map((item, at) => [String(at + 1), item ?? undefined]));
    }
    if (!isJsonObject(value) || !Object.values(value).includes(null)) return value;
    const fields = Object.entries(value).map(([name, field]) => [name, field ?? undefined]);
    return Object.fromEntries(fields) as JsonObject;
  }
}

/** All elements of a list that comes in pieces. @throws Failure (usage) for more than there is room for */
async function gathered(pieces: Pieces<Json>): Promise<Json[]> {
  const room = createRoom();
  const all: Json[] = [];
  for await (const piece of pieces) {
    room.take(piece);
    for (const element of piece) all.push(element);
  }
  return all;
}

function inSlices(list: readonly Json[]): AsyncIterable<Json[]> {
  return {
    async *[Symbol.asyncIterator]() {
      const { slicesOf } = await import('./stream.ts');
      for (const slice of slicesOf(list)) yield slice as Json[];
    },
  };
}
