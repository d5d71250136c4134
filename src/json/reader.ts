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

/** Text that may well be JSON, but takes more memory than petstore gives it. */
export class JsonLimitError extends JsonError {}

/** Told of each field where its name stands, counted in characters from 0. */
export type OnField = (object: JsonObject, key: string, offset: number) => void;

export type JsonReader = {
  /** The value that comes next, nested in so many others; it has no more than `maxValues` values in it. @throws JsonError */
  readonly value: (depth: number) => Json;
  /** The code of the next character that is no space, NaN at the end of the text. */
  readonly peek: () => number;
  /** Passes over that character. */
  readonly skip: () => void;
  /** Where the reader stands, counted in characters from 0. */
  readonly offset: () => number;
  /** How often it met something so far that would be written in another way than it stands there. */
  readonly variants: () => number;
};

const maxDepth = 32;
/** Most values in one value that is held in memory; each takes up to 1,000 bytes there and while it is printed, and 3 in the text. */
export const mostValues = 150_000;
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: just these are forbidden (RFC 8259, section 7)
const controlCharacter = /[\u0000-\u001f]/;
const [quote, backslash, comma, colon, dot] = [0x22, 0x5c, 0x2c, 0x3a, 0x2e];
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];
const [one, nine, letterE] = [0x31, 0x39, 0x65];

/** More than any text has; infinity would make each count a number of its own in memory. */
const unlimited = 2 ** 30 - 1;

/** Reads JSON values out of a text, each as strictly as parseJson does. */
export function createReader(text: string, onField?: OnField, maxValues = unlimited): JsonReader {
  let at = 0;
  /** How many values the one that is read may still have in it. */
  let left = maxValues;
  let variants = 0;
  let nextBackslash = findBackslash(0);
  /** Between values they may stand, as line ends mostly. */
  const hasControls = controlCharacter.test(text);
  /** The names of the last object at each depth: records that follow one another have the same ones in the same order. */
  const lastNames: string[][] = [];
  /** The elements of arrays that have not ended: an array that grows by itself takes three times the room of a small one. */
  const begun: Json[] = [];
  let top = 0;

  return {
    value(depth) {
      left = maxValues - 1;
      top = 0;
      return readValue(depth);
    },
    peek,
    skip() {
      at += 1;
    },
    offset: () => at,
    variants: () => variants,
  };

  function readValue(depth: number): Json {
    if (depth > maxDepth) fail(`nested deeper than ${maxDepth}`);
    switch (peek()) {
      case openBrace:
        return readObject(depth);
      case openBracket:
        return readArray(depth);
      case quote:
        return readString();
      case 0x74:
        return readWord('true', true);
      case 0x66:
        return readWord('false', false);
      case 0x6e:
        return readWord('null', null);
      default:
        return readNumber();
    }
  }

  function readObject(depth: number): JsonObject {
    const object: JsonObject = {};
    at += 1;
    if (passed(closeBrace)) return object;
    lastNames[depth] ??= [];
    const names = lastNames[depth];
    let known = true;
    let count = 0;
    do {
      if (peek() !== quote) fail('expected a field name');
      const nameAt = at;
      const guess = known ? names[count] : undefined;
      let name: string;
      if (guess !== undefined && isNext(guess)) {
        name = guess;
        at += guess.length + 2;
      } else {
        name = readString();
        if (Object.hasOwn(object, name)) fail(`field "${name}" given twice`, nameAt);
        // An object has those that look like numbers first, whatever the order they came in.
        const isMoved = isDigit(name.charCodeAt(0));
        if (isMoved) variants += 1;
        if (known) names.length = count;
        known &&= at - nameAt === name.length + 2 && name !== '__proto__' && !isMoved;
        if (known) names.push(name);
      }
      count += 1;
      onField?.(object, name, nameAt);
      if (!passed(colon)) fail('expected ":"');
      const value = readValue(depth + 1);
      if (known) object[name] = value;
      else set(object, name, value);
    } while (passed(comma));
    if (!passed(closeBrace)) fail('expected "," or "}"');
    take(count);
    return object;
  }

  /** Whether this very name stands here in quotes. */
  function isNext(name: string): boolean {
    const start = at + 1;
    for (let i = 0; i < name.length; i += 1) {
      if (text.charCodeAt(start + i) !== name.charCodeAt(i)) return false;
    }
    return text.charCodeAt(start + name.length) === quote;
  }

  function readArray(depth: number): Json[] {
    at += 1;
    if (passed(closeBracket)) return [];
    const start = top;
    do {
      take(1);
      const value = readValue(depth + 1);
      begun[top] = value;
      top += 1;
    } while (passed(comma));
    if (!passed(closeBracket)) fail('expected "," or "]"');
    const array = begun.slice(start, top);
    top = start;
    return array;
  }

  /** Counts values: of an object all at once, since each of a list's elements is one. */
  function take(count: number): void {
    left -= count;
    if (left < 0) throw new JsonLimitError(`more than ${grouped(maxValues)} values`, at);
  }

  function readString(): string {
    const start = at;
    let end = text.indexOf('"', start + 1);
    // Remembered between strings: looking ahead from each one would take quadratic time.
    if (nextBackslash <= start) nextBackslash = findBackslash(start);
    const escaped = nextBackslash < end;
    if (escaped) end = closingQuote(nextBackslash);
    if (end < 0) fail('the text ends inside a string');
    at = end + 1;
    const content = text.slice(start + 1, end);
    if (hasControls && controlCharacter.test(content)) {
      fail('raw control character in a string', start);
    }
    if (!escaped) return content;
    variants += 1;
    return decodeEscapes(start, at);
  }

  function findBackslash(from: number): number {
    const found = text.indexOf('\\', from);
    return found < 0 ? text.length : found;
  }

  function closingQuote(from: number): number {
    for (let i = from; i < text.length; i += 1) {
      const code = text.charCodeAt(i);
      if (code === backslash) i += 1;
      else if (code === quote) return i;
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
    let end = at;
    const first = text.charCodeAt(at);
    if (first >= one && first <= nine) while (isDigit(text.charCodeAt(end))) end += 1;
    const next = text.charCodeAt(end);
    // All but the plainest integers.
    if (end === at || next === dot || (next | 0x20) === letterE) {
      number.lastIndex = at;
      if (!number.test(text)) {
        return fail(at < text.length ? 'expected a value' : 'the text ends too early');
      }
      end = number.lastIndex;
    }
    const digits = text.slice(at, end);
    at = end;
    return new ExactNumber(digits);
  }

  function readWord<T>(word: string, value: T): T {
    if (!text.startsWith(word, at)) fail('expected a value');
    at += word.length;
    return value;
  }

  function peek(): number {
    for (;;) {
      const code = text.charCodeAt(at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return code;
      at += 1;
      variants += 1;
    }
  }

  function passed(wanted: number): boolean {
    if (peek() !== wanted) return false;
    at += 1;
    return true;
  }

  function fail(reason: string, offset = at): never {
    throw new JsonError(reason, offset);
  }
}

/** "150,000". */
function grouped(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= nine;
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
