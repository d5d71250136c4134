import { formatCount } from '../time.ts';

/** A JSON value. An integer is a number up to 2^53, and a bigint beyond. A field that is undefined is not there. */
export type Json = null | boolean | string | number | bigint | Json[] | JsonObject;
export type JsonObject = { [field: string]: Json | undefined };

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isNumber(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

/** Returns the one form in which we keep an integer. */
export function toInteger(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** Returns a value with each text in it changed, and the names of fields too if there is a function for them. */
export function mapTexts(
  value: Json,
  change: (text: string) => string,
  changeName = (name: string) => name,
): Json {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change, changeName));
  if (!isJsonObject(value)) return value;
  const fields = Object.entries(value).map(([name, field]) => [
    changeName(name),
    field === undefined ? undefined : mapTexts(field, change, changeName),
  ]);
  return Object.fromEntries(fields);
}

export function isInt64(value: unknown): value is number | bigint {
  return typeof value === 'bigint'
    ? BigInt.asIntN(64, value) === value
    : Number.isSafeInteger(value);
}

export class JsonError extends Error {
  constructor(
    readonly reason: string,
    readonly offset: number,
    unit: 'character' | 'byte' = 'character',
  ) {
    super(`${reason} at ${unit} ${offset + 1}`);
  }
}

export class JsonLimitError extends JsonError {}

const endOfInput = 'unexpected end of input';
export const maxElementLength = 1024 * 1024;
const maxElementValues = 20_000;
/** Parsing starts after so many new characters: an element is read at most 16 times, and most are read once. */
const minNewText = 64 * 1024;
const maxDepth = 32;
const maxDigits = 1_000;
const byteOrderMark = '\xef\xbb\xbf';
const space = /[ \n\r\t]*/y;
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: RFC 8259, section 7, forbids exactly these
const plainString = /"[^"\\\u0000-\u001f]*"/y;
const asciiString = /"[ !#-[\]-~]*"/y;
const literal = /true|false|null/y;
const literals: Readonly<Record<string, boolean | null>> = { true: true, false: false, null: null };

/**
 * Constructs objects that inherit nothing: `__proto__` is a field like any other, and `name in object` finds duplicates. V8 gives
 * them shapes: a list is read a quarter faster than with `Object.create(null)`, and takes a third less memory.
 */
const Fields = emptyConstructor as unknown as new () => JsonObject;
// A declaration, because Biome turns a function expression into an arrow function, which constructs nothing.
function emptyConstructor() {}
Fields.prototype = Object.create(null);

/** Reads JSON values (RFC 8259). `maxValues` bounds the memory: the text of a value may be two bytes long, the value takes a hundred. */
export class JsonReader {
  offset = 0;
  #values = 0;

  constructor(
    readonly text: string,
    readonly maxValues = Number.POSITIVE_INFINITY,
    /** Given if each character of the text is a byte. */
    readonly decode = (text: string) => text,
  ) {}

  readValue(depth = 0): Json {
    if (depth > maxDepth) this.fail(`nested more than ${maxDepth} levels deep`);
    this.#values += 1;
    if (this.#values > this.maxValues) {
      throw new JsonLimitError(`more than ${formatCount(this.maxValues)} values`, this.offset);
    }
    const next = this.peek();
    if (next === '{') return this.#readObject(depth);
    if (next === '[') return this.#readArray(depth);
    if (next === '"') return this.#readString();
    const digits = this.#match(number);
    if (digits !== undefined) return this.#toNumber(digits);
    const word = this.#match(literal);
    return word === undefined ? this.fail('expected a value') : (literals[word] ?? null);
  }

  readElement(): Json {
    this.#values = 0;
    return this.readValue(1);
  }

  peek(): string {
    if (this.text.charCodeAt(this.offset) <= 0x20) this.#match(space);
    return this.text.charAt(this.offset);
  }

  accept(expected: string): boolean {
    if (this.peek() !== expected) return false;
    this.offset += 1;
    return true;
  }

  fail(reason: string, offset = this.offset): never {
    throw new JsonError(this.offset < this.text.length ? reason : endOfInput, offset);
  }

  #toNumber(digits: string): number | bigint {
    // Beyond 2^53. Number() would take a fifth of the time in which a list with such ids is parsed.
    if (digits.length > 16 && /^-?\d{17,19}$/.test(digits)) return BigInt(digits);
    const value = Number(digits);
    if (Number.isSafeInteger(value)) return value;
    if (digits.length > maxDigits || !Number.isFinite(value)) {
      throw new JsonError('a number is too large', this.offset - digits.length);
    }
    return /^-?\d+$/.test(digits) ? BigInt(digits) : value;
  }

  #readObject(depth: number): JsonObject {
    const object: JsonObject = new Fields();
    this.offset += 1;
    if (this.accept('}')) return object;
    do {
      if (this.peek() !== '"') this.fail('expected a field name in double quotes');
      const start = this.offset;
      const name = this.#readString();
      if (name in object) this.fail(`duplicate field "${name}"`, start);
      if (!this.accept(':')) this.fail('expected ":"');
      object[name] = this.readValue(depth + 1);
    } while (this.accept(','));
    if (!this.accept('}')) this.fail('expected "," or "}"');
    return object;
  }

  #readArray(depth: number): Json[] {
    const array: Json[] = [];
    this.offset += 1;
    if (this.accept(']')) return array;
    do array.push(this.readValue(depth + 1));
    while (this.accept(','));
    if (!this.accept(']')) this.fail('expected "," or "]"');
    return array;
  }

  #readString(): string {
    const ascii = this.#match(asciiString);
    if (ascii !== undefined) return ascii.slice(1, -1);
    const plain = this.#match(plainString);
    if (plain !== undefined) return this.decode(plain.slice(1, -1));
    // A loop: one regular expression for strings with escapes overflows V8's stack at a million of them.
    const start = this.offset;
    let end = start + 1;
    while (end < this.text.length && this.text[end] !== '"') end += this.text[end] === '\\' ? 2 : 1;
    this.offset = end;
    if (end >= this.text.length) this.fail(endOfInput, start);
    const json = this.decode(this.text.slice(start, end + 1));
    try {
      const string: string = JSON.parse(json);
      this.offset = end + 1;
      return string;
    } catch {
      return this.fail('invalid string', start);
    }
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.offset;
    if (!pattern.test(this.text)) return undefined;
    const start = this.offset;
    this.offset = pattern.lastIndex;
    return this.text.slice(start, this.offset);
  }
}

export function parseJson(text: string, maxValues?: number): Json {
  const reader = new JsonReader(text, maxValues);
  const value = reader.readValue();
  if (reader.peek() !== '') reader.fail('unexpected text after the JSON value');
  return value;
}

/**
 * Reads the elements of a JSON array in UTF-8 while its bytes arrive. Keeps only those of the element that is not complete. They are read
 * as they are, one a character, and only strings are decoded: one character beyond Latin-1 would make all the text around it twice as slow.
 */
export function createArrayReader() {
  const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const decode = (bytes: string) => utf8.decode(Buffer.from(bytes, 'latin1'));
  let text = '';
  let knownLength = 0;
  let consumed = 0;
  let state: 'start' | 'first' | 'next' | 'end' = 'start';
  return {
    /** Returns the elements that are complete by now, or none while there are less than 64 KiB of new text. The end is no part. */
    read(part?: Uint8Array): Json[] {
      const isLast = part === undefined;
      if (part) text += Buffer.from(part.buffer, part.byteOffset, part.length).toString('latin1');
      if (!isLast && text.length - knownLength < minNewText) return [];
      const reader = new JsonReader(text, maxElementValues, decode);
      const elements: Json[] = [];
      let end = 0;
      try {
        if (state === 'start') {
          if (text.startsWith(byteOrderMark)) reader.offset = byteOrderMark.length;
          if (!reader.accept('[')) reader.fail('expected "["');
          state = 'first';
          end = reader.offset;
        }
        if (state === 'first' && reader.accept(']')) state = 'end';
        while (state !== 'end') {
          const element = reader.readElement();
          if (reader.accept(']')) state = 'end';
          else if (reader.accept(',')) state = 'next';
          else reader.fail('expected "," or "]"');
          elements.push(element);
          end = reader.offset;
        }
        end = reader.offset;
        if (reader.peek() !== '') reader.fail('unexpected text after the array');
      } catch (error) {
        if (!(error instanceof JsonError)) throw error;
        const isTooLong = text.length - end > maxElementLength;
        if (isTooLong && error.reason === endOfInput) {
          throw new JsonLimitError('an element is longer than 1 MiB', consumed + end, 'byte');
        }
        // Text that does not parse yet may be the beginning of an element.
        if (isLast || state === 'end' || isTooLong) {
          throw new JsonError(error.reason, consumed + error.offset, 'byte');
        }
      }
      consumed += end;
      text = text.slice(end);
      knownLength = text.length;
      return elements;
    },
  };
}
