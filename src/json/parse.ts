import { thousands } from '../text/number.ts';
import { Cursor, JsonError, JsonLimitError } from './cursor.ts';
import type { Json, JsonObject } from './exact.ts';

export { JsonError, JsonLimitError };

type ParseOptions = {
  /** Called with each field and where its name begins, counted in characters from 0. */
  readonly onField?: (object: JsonObject, key: string, offset: number) => void;
  /** Most values in a text; as many as there are when undefined. */
  readonly maxValues?: number;
};

const maxDepth = 32;
/** Most values in one value that is held in memory; each takes up to 1,000 bytes there and while it is printed, and 3 in the text. */
export const mostValues = 150_000;
const [quote, comma, colon] = [0x22, 0x2c, 0x3a];
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Parses one JSON text (RFC 8259) with every number exact.
 * Stricter than JSON.parse where parsers disagree: a field given twice, or nesting beyond 32, is refused.
 * @throws JsonError
 */
export function parseJson(text: string, options?: ParseOptions): Json {
  return createJsonParser(options).parse(text);
}

export type JsonParser = {
  /** The value of a text, nested in so many others already. @throws JsonError */
  readonly parse: (text: string, depth?: number) => Json;
  /** Whether writeJson gives that very text. */
  readonly isAsWritten: () => boolean;
};

/** Parses one text after another. */
export function createJsonParser({
  onField,
  maxValues = Number.MAX_SAFE_INTEGER,
}: ParseOptions = {}): JsonParser {
  let cursor = new Cursor('');
  /** How many values the text may still have in it. */
  let left = 0;
  /** The names of the last object at each depth: records that follow one another have the same ones in the same order. */
  const lastNames: string[][] = [];
  /** The elements of arrays that have not ended: an array that grows by itself takes three times the room of a small one. */
  const begun: Json[] = [];
  let top = 0;

  return {
    parse(text, depth = 0) {
      cursor = new Cursor(text);
      left = maxValues - 1;
      top = 0;
      const value = readValue(depth);
      if (!Number.isNaN(cursor.peek())) cursor.fail('unexpected text after the JSON value');
      return value;
    },
    isAsWritten: () => cursor.isAsWritten,
  };

  function readValue(depth: number): Json {
    if (depth > maxDepth) cursor.fail(`nested more than ${maxDepth} levels deep`);
    switch (cursor.peek()) {
      case openBrace:
        return readObject(depth);
      case openBracket:
        return readArray(depth);
      case quote:
        return cursor.string();
      case 0x74:
        return cursor.word('true', true);
      case 0x66:
        return cursor.word('false', false);
      case 0x6e:
        return cursor.word('null', null);
      default:
        return cursor.number();
    }
  }

  function readObject(depth: number): JsonObject {
    const object: JsonObject = {};
    cursor.at += 1;
    if (cursor.passed(closeBrace)) return object;
    lastNames[depth] ??= [];
    const names = lastNames[depth];
    let count = 0;
    do {
      if (cursor.peek() !== quote) cursor.fail('expected a field name in double quotes');
      const nameAt = cursor.at;
      const found = cursor.string();
      // An object finds the very same string faster than an equal one.
      const last = names[count];
      const name = found === last ? last : found;
      names[count] = name;
      // An object has names that look like numbers first, whatever the order they came in.
      if (isDigit(name.charCodeAt(0))) cursor.isAsWritten = false;
      if (Object.hasOwn(object, name)) cursor.fail(`duplicate field "${name}"`, nameAt);
      count += 1;
      onField?.(object, name, nameAt);
      if (!cursor.passed(colon)) cursor.fail('expected ":"');
      set(object, name, readValue(depth + 1));
    } while (cursor.passed(comma));
    if (!cursor.passed(closeBrace)) cursor.fail('expected "," or "}"');
    take(count);
    return object;
  }

  function readArray(depth: number): Json[] {
    cursor.at += 1;
    if (cursor.passed(closeBracket)) return [];
    const start = top;
    do {
      take(1);
      const value = readValue(depth + 1);
      begun[top] = value;
      top += 1;
    } while (cursor.passed(comma));
    if (!cursor.passed(closeBracket)) cursor.fail('expected "," or "]"');
    const array = begun.slice(start, top);
    top = start;
    return array;
  }

  /** Counts values: of an object all at once, since each of a list's elements is one. */
  function take(count: number): void {
    left -= count;
    if (left < 0) {
      throw new JsonLimitError(`more than ${thousands(maxValues)} values`, cursor.at);
    }
  }
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** Like object[key] = value, except that `__proto__` becomes a field like any other. */
function set(object: JsonObject, key: string, value: Json): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  } else {
    object[key] = value;
  }
}
