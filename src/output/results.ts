import type { Json, JsonObject } from '../json/exact.ts';
import type { Items, Pieces } from './items.ts';
import type { Look } from './paint.ts';

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
  /** Records with known columns; JSON and YAML have every field that came. In place of a table without rows `empty` is said. */
  readonly records: (
    records: readonly JsonObject[],
    columns: readonly string[],
    empty?: string,
  ) => Promise<void>;
  /**
   * The same records as they come; what they are called in a message, and what is said in place of a table without rows.
   * @throws what the pieces throw; a Failure then says how many were printed
   */
  readonly stream: (
    pieces: Pieces,
    columns: readonly string[],
    words: StreamWords,
  ) => Promise<void>;
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
   * What differs between two things: a line for each item, as `describe` has it, and then `total`. In JSON and YAML `head` with
   * all items; elsewhere, and everywhere where columns are asked for, they alone.
   */
  readonly differences: (
    head: JsonObject,
    items: Items,
    describe: (item: JsonObject) => Difference,
    total: string,
  ) => Promise<void>;
  /**
   * Data whose fields are not known beforehand, just as it came, or a list of it in pieces, which can be had more than once; a
   * column that it does not have is empty, and said. In place of a table without rows `empty` is said.
   */
  readonly anything: (
    data: Json | AsyncIterable<Json | undefined>,
    empty?: string,
  ) => Promise<void>;
};

/** One line, and the colour that it has on a terminal. */
export type Difference = { readonly look: Look; readonly text: string };

/** `what` undefined: nothing of it is kept when it breaks off, and then an error says itself what that means. */
export type StreamWords = { readonly what?: string; readonly empty?: string | undefined };

/** Whether data comes in pieces. */
export function arePieces(
  data: Json | AsyncIterable<Json | undefined>,
): data is AsyncIterable<Json | undefined> {
  return typeof data === 'object' && data !== null && Symbol.asyncIterator in data;
}
