import { JsonError, JsonLimitError } from './json.ts';

/** One element of an array: its JSON text, not yet parsed, and where that begins, counted in characters from 0. */
export type Element = { readonly text: string; readonly offset: number };

export type ElementSplitter = {
  /** Takes the next part of the text. @throws JsonError after the last element before the fault */
  readonly split: (part: string) => void;
  /** The element that is not whole yet, as much of it as came. */
  readonly rest: () => Element | undefined;
  /** Tells that the text is over. @throws JsonError when the array is not */
  readonly end: () => void;
};

/** What comes next; `first` is an element or the array's end, `rest` the rest of an element. */
type Expected = 'array' | 'first' | 'element' | 'rest' | 'separator' | 'nothing';

/** The reason of a JsonError for a text that does not begin as an array. */
export const expectedArray = 'expected "["';

const complaints: Readonly<Record<Expected, string>> = {
  array: expectedArray,
  first: 'expected a value',
  element: 'expected a value',
  rest: 'unexpected end of input inside an element',
  separator: 'expected "," or "]"',
  nothing: 'unexpected text after the array',
};

/** Longest element, in characters. */
const maxElement = 1024 * 1024;

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];

/** An object or array of nothing but strings without escapes, numbers and words: most elements, and found in one look. */
const flat = /[[{](?:"[^"\\]*"|[^"[\]{}])*[\]}]/y;

/**
 * Cuts the text of one JSON array into its elements while it comes in, so that no more than one is held at a time.
 * Between the elements it is as strict as parseJson; the elements themselves are for parseJson to judge.
 * @param take is given each element as soon as it is whole
 */
export function createElementSplitter(take: (element: Element) => void): ElementSplitter {
  let expected: Expected = 'array';
  /** The last element, as much of it as came. */
  let begun = { text: '', offset: 0 };
  /** Within it: how many brackets are open, and whether a string is, or an escape in it. */
  let depth = 0;
  let inString = false;
  let escaped = false;
  /** How much text came before the part that is split. */
  let before = 0;

  return {
    split(part) {
      let at = 0;
      while (at < part.length) {
        if (expected === 'rest') {
          at = takeRest(part, at);
          continue;
        }
        const code = part.charCodeAt(at);
        if (!isSpace(code)) {
          const next = expectedAfter(code);
          if (!next) throw new JsonError(complaints[expected], before + at);
          expected = next;
        }
        if (expected !== 'rest') at += 1;
        else begun = { text: '', offset: before + at };
      }
      before += part.length;
    },
    rest: () => (expected === 'rest' ? begun : undefined),
    end() {
      if (expected === 'rest') throw new JsonError(complaints.rest, begun.offset);
      if (expected !== 'nothing') throw new JsonError('unexpected end of input', before);
    },
  };

  /** Between elements: what this character leads to; undefined where it does not belong. */
  function expectedAfter(code: number): Expected | undefined {
    if (expected === 'array') return code === openBracket ? 'first' : undefined;
    if (expected === 'nothing') return undefined;
    if (code === closeBracket) return expected === 'element' ? undefined : 'nothing';
    if (expected === 'separator') return code === comma ? 'element' : undefined;
    return code === comma || code === closeBrace ? undefined : 'rest';
  }

  /** Takes as much of the element as this part has; returns the index behind it. */
  function takeRest(part: string, from: number): number {
    const end = endOfElement(part, from);
    begun.text += part.slice(from, end);
    if (begun.text.length > maxElement) {
      throw new JsonLimitError('an element is longer than 1 MiB', begun.offset);
    }
    if (end === undefined) return part.length;
    expected = 'separator';
    take(begun);
    return end;
  }

  /** The index behind the element, undefined where it goes on in the next part. */
  function endOfElement(part: string, from: number): number | undefined {
    flat.lastIndex = from;
    if (depth === 0 && !inString && flat.test(part)) return flat.lastIndex;
    for (let at = from; at < part.length; at += 1) {
      const code = part.charCodeAt(at);
      if (inString || code === quote) {
        const end = endOfString(part, inString ? at : at + 1);
        if (end === undefined || depth === 0) return end;
        at = end - 1;
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
    return undefined;
  }

  /** The same of a string, of which that index is in the text or behind it. */
  function endOfString(part: string, from: number): number | undefined {
    let at = escaped ? from + 1 : from;
    inString = false;
    escaped = false;
    for (; at < part.length; at += 1) {
      const code = part.charCodeAt(at);
      if (code === quote) return at + 1;
      if (code === backslash) at += 1;
    }
    inString = true;
    escaped = at > part.length;
    return undefined;
  }
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}
