import { ExactNumber, type Json, type JsonObject } from './exact.ts';

/** Text that is not JSON as petstore accepts it; `offset` counts characters from 0. */
export class JsonError extends Error {
  constructor(
    readonly reason: string,
    readonly offset: number,
  ) {
    super(`${reason} at character ${offset + 1}`);
  }
}

const maxDepth = 32;
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: just these are forbidden (RFC 8259, section 7)
const controlCharacter = /[\u0000-\u001f]/;

/** Told of each field where its name stands, counted in characters from 0. */
export type OnField = (object: JsonObject, key: string, offset: number) => void;

/**
 * Parses one JSON text (RFC 8259) with every number exact.
 * Stricter than JSON.parse where parsers disagree: a field given twice, or nesting beyond 32, is refused.
 * @throws JsonError
 */
export function parseJson(text: string, onField?: OnField): Json {
  let at = 0;
  let nextBackslash = -1;

  const value = readValue(0);
  skipSpace();
  if (at < text.length) fail('something follows the JSON value');
  return value;

  function readValue(depth: number): Json {
    if (depth > maxDepth) fail(`nested deeper than ${maxDepth}`);
    skipSpace();
    switch (text[at]) {
      case '{':
        return readObject(depth);
      case '[':
        return readArray(depth);
      case '"':
        return readString();
      case 't':
        return readWord('true', true);
      case 'f':
        return readWord('false', false);
      case 'n':
        return readWord('null', null);
      default:
        return readNumber();
    }
  }

  function readObject(depth: number): JsonObject {
    const object: JsonObject = {};
    at += 1;
    skipSpace();
    if (skip('}')) return object;
    do {
      skipSpace();
      if (text[at] !== '"') fail('expected a field name');
      const keyAt = at;
      const key = readString();
      if (Object.hasOwn(object, key)) fail(`field "${key}" given twice`, keyAt);
      onField?.(object, key, keyAt);
      skipSpace();
      if (!skip(':')) fail('expected ":"');
      set(object, key, readValue(depth + 1));
      skipSpace();
    } while (skip(','));
    if (!skip('}')) fail('expected "," or "}"');
    return object;
  }

  function readArray(depth: number): Json[] {
    const array: Json[] = [];
    at += 1;
    skipSpace();
    if (skip(']')) return array;
    do {
      array.push(readValue(depth + 1));
      skipSpace();
    } while (skip(','));
    if (!skip(']')) fail('expected "," or "]"');
    return array;
  }

  function readString(): string {
    const start = at;
    let end = text.indexOf('"', start + 1);
    // Remembered between strings: looking ahead from each one would take quadratic time.
    if (nextBackslash !== text.length && nextBackslash <= start)
      nextBackslash = findBackslash(start);
    const escaped = end >= 0 && nextBackslash < end;
    if (escaped) end = closingQuote(nextBackslash);
    if (end < 0) fail('the text ends inside a string');
    at = end + 1;
    const content = text.slice(start + 1, end);
    if (controlCharacter.test(content)) fail('raw control character in a string', start);
    return escaped ? decodeEscapes(start, at) : content;
  }

  function findBackslash(from: number): number {
    const found = text.indexOf('\\', from);
    return found < 0 ? text.length : found;
  }

  function closingQuote(from: number): number {
    for (let i = from; i < text.length; i += 1) {
      if (text[i] === '\\') i += 1;
      else if (text[i] === '"') return i;
    }
    return -1;
  }

  function decodeEscapes(start: number, end: number): string {
    try {
      return JSON.parse(text.slice(start, end));
    } catch {
      return fail('bad escape in a string', start);
    }
  }

  function readNumber(): ExactNumber {
    number.lastIndex = at;
    const match = number.exec(text);
    if (!match) return fail(at < text.length ? 'expected a value' : 'the text ends too early');
    at = number.lastIndex;
    return new ExactNumber(match[0]);
  }

  function readWord<T>(word: string, value: T): T {
    if (!text.startsWith(word, at)) fail('expected a value');
    at += word.length;
    return value;
  }

  function skipSpace(): void {
    for (;;) {
      const code = text.charCodeAt(at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      at += 1;
    }
  }

  function skip(character: string): boolean {
    if (text[at] !== character) return false;
    at += 1;
    return true;
  }

  function fail(reason: string, offset = at): never {
    throw new JsonError(reason, offset);
  }
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
