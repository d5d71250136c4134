import { ExactNumber } from './exact.ts';

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

const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: just these are forbidden (RFC 8259, section 7)
const plainString = /"[^"\\\u0000-\u001f]*"/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the same
const controlCharacter = /[\u0000-\u001f]/;
const [quote, backslash] = [0x22, 0x5c];

export function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

/** Goes through a JSON text token by token. A class, since one is made for each of a million elements. */
export class Cursor {
  /** Where it stands, counted in characters from 0. */
  at = 0;
  /** Whether all up to there would be written as it is: without spaces or escapes. */
  isAsWritten = true;

  constructor(readonly text: string) {}

  /** The code of the next character that is no space, NaN at the end of the text. */
  peek(): number {
    let code = this.text.charCodeAt(this.at);
    while (isSpace(code)) {
      this.isAsWritten = false;
      this.at += 1;
      code = this.text.charCodeAt(this.at);
    }
    return code;
  }

  /** Whether that character is the wanted one, which it then is behind. */
  passed(wanted: number): boolean {
    if (this.peek() !== wanted) return false;
    this.at += 1;
    return true;
  }

  /** The string that begins here. @throws JsonError */
  string(): string {
    const start = this.at;
    plainString.lastIndex = start;
    if (!plainString.test(this.text)) return this.#escapedString();
    this.at = plainString.lastIndex;
    return this.text.slice(start + 1, this.at - 1);
  }

  #escapedString(): string {
    const { text, at: start } = this;
    this.isAsWritten = false;
    let end = start + 1;
    while (text.charCodeAt(end) !== quote) {
      if (end >= text.length) this.fail('unterminated string');
      end += text.charCodeAt(end) === backslash ? 2 : 1;
    }
    this.at = end + 1;
    const string = text.slice(start, this.at);
    if (controlCharacter.test(string)) this.fail('unescaped control character in a string', start);
    try {
      return JSON.parse(string);
    } catch {
      return this.fail('invalid escape sequence in a string', start);
    }
  }

  /** The number that begins here. @throws JsonError */
  number(): ExactNumber {
    const { text, at: start } = this;
    number.lastIndex = start;
    if (!number.test(text)) {
      this.fail(start < text.length ? 'expected a value' : 'unexpected end of input');
    }
    this.at = number.lastIndex;
    return new ExactNumber(text.slice(start, this.at));
  }

  /** The value that this word stands for. @throws JsonError */
  word<T>(word: string, value: T): T {
    if (!this.text.startsWith(word, this.at)) this.fail('expected a value');
    this.at += word.length;
    return value;
  }

  fail(reason: string, offset = this.at): never {
    throw new JsonError(reason, offset);
  }
}
