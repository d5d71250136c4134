import { JsonError } from './parse.ts';
import { type Position, positionAfter, startOfText } from './position.ts';

/** One element of an array: its JSON text, not yet judged, and where it begins. */
export type Element = { readonly text: string; readonly position: Position };

/** A text that is not one array; `offset` counts characters of the whole text from 0. */
export class ArrayError extends JsonError {
  constructor(
    reason: string,
    offset: number,
    readonly position: Position,
  ) {
    super(reason, offset);
  }
}

export type ElementSplitter = {
  /** The elements that end in this part of the text. @throws ArrayError after the last one before the fault */
  readonly split: (part: string) => Generator<Element>;
  /** Tells that the text is over. @throws ArrayError when the array is not */
  readonly end: () => void;
};

/** What comes next; `first` is an element or the array's end, `rest` the rest of an element. */
export type Expected = 'array' | 'first' | 'element' | 'rest' | 'separator' | 'nothing';

export const complaints: Readonly<Record<Expected, string>> = {
  array: 'expected "["',
  first: 'expected a value',
  element: 'expected a value',
  rest: 'the text ends inside an element',
  separator: 'expected "," or "]"',
  nothing: 'something follows the array',
};

/** Longest element, in characters. */
export const maxElement = 1024 * 1024;

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Cuts the text of one JSON array into its elements while it comes in, so that no more than one is held at a time.
 * Between the elements it is as strict as parseJson; the elements themselves are for parseJson to judge.
 */
export function createElementSplitter(): ElementSplitter {
  let expected: Expected = 'array';
  let begun = '';
  let begunAt = startOfText;
  let begunOffset = 0;
  let depth = 0;
  let inString = false;
  let escaped = false;
  /** Where the part that is being split begins. */
  let partPosition = startOfText;
  let partOffset = 0;

  return { split, end };

  function* split(part: string): Generator<Element> {
    let at = 0;
    let placed = 0;
    const positionHere = () => {
      partPosition = positionAfter(partPosition, part, placed, at);
      placed = at;
      return partPosition;
    };
    const fail = (reason: string): never => {
      throw new ArrayError(reason, partOffset + at, positionHere());
    };

    let from = 0;
    while (at < part.length) {
      if (expected === 'rest') {
        const over = endOfElement(part, at);
        if (over < 0) break;
        const text = begun + part.slice(from, over);
        if (text.length > maxElement) throw tooLong();
        begun = '';
        expected = 'separator';
        at = over;
        yield { text, position: begunAt };
        continue;
      }
      const code = part.charCodeAt(at);
      if (!isSpace(code)) expected = expectedBehind(code) ?? fail(complaints[expected]);
      if (expected === 'rest') {
        begunAt = positionHere();
        begunOffset = partOffset + at;
        from = at;
      } else {
        at += 1;
      }
    }
    if (expected === 'rest') begun += part.slice(from);
    if (begun.length > maxElement) throw tooLong();
    at = part.length;
    positionHere();
    partOffset += part.length;
  }

  /** Between elements: what this character leads to; undefined where it does not belong. */
  function expectedBehind(code: number): Expected | undefined {
    if (expected === 'array') return code === openBracket ? 'first' : undefined;
    if (expected === 'nothing') return undefined;
    if (code === closeBracket) return expected === 'element' ? undefined : 'nothing';
    if (expected === 'separator') return code === comma ? 'element' : undefined;
    return code === comma || code === closeBrace ? undefined : 'rest';
  }

  /** The index behind the element, or -1 where it goes on in the next part. */
  function endOfElement(part: string, from: number): number {
    for (let at = from; at < part.length; at += 1) {
      const code = part.charCodeAt(at);
      if (inString) {
        if (escaped) escaped = false;
        else if (code === backslash) escaped = true;
        else if (code === quote) {
          inString = false;
          if (depth === 0) return at + 1;
        }
      } else if (code === quote) {
        inString = true;
      } else if (code === openBrace || code === openBracket) {
        depth += 1;
      } else if (code === closeBrace || code === closeBracket) {
        if (depth === 0) return at;
        depth -= 1;
        if (depth === 0) return at + 1;
      } else if (depth === 0 && (code === comma || isSpace(code))) {
        return at;
      }
    }
    return -1;
  }

  function tooLong(): ArrayError {
    return new ArrayError('an element is longer than 1 MiB', begunOffset, begunAt);
  }

  function end(): void {
    if (expected === 'nothing') return;
    if (expected === 'rest') throw new ArrayError(complaints.rest, begunOffset, begunAt);
    throw new ArrayError('the text ends too early', partOffset, partPosition);
  }
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}
