import { complaints, createElementSplitter, type Expected, maxElement } from './elements.ts';
import type { Json } from './exact.ts';
import { createReader, JsonError, JsonLimitError } from './reader.ts';
import { keepText } from './verbatim.ts';

export type ArrayParser = {
  /** The elements that are whole by now and were not before, in batches unless they are wanted `now`. @throws JsonError */
  readonly parse: (part: string, now?: boolean) => Json[];
  /** The last ones. @throws JsonError when the array does not end where the text does */
  readonly end: () => Json[];
};

/** Most values in an element: what one leaves behind is still in memory when the next one comes. */
const mostValues = 20_000;

const [comma, openBracket, closeBracket] = [0x2c, 0x5b, 0x5d];

/**
 * Parses the text of one JSON array while it comes in, as strictly as parseJson, and holds no more of it than a batch and
 * an element. An element is at most 1 MiB long and has 20,000 values, and whitespace without one is as long.
 * @param batch least text that is parsed at a time, in characters
 */
export function createArrayParser(batch = 64 * 1024): ArrayParser {
  let expected: Exclude<Expected, 'rest'> = 'array';
  /** What is not parsed yet, and how much text was before it. */
  let text = '';
  let before = 0;
  let wanted = batch;
  /** How much text came since the last element that is no part of the next one. */
  let blank = 0;

  return {
    parse(part, now = false) {
      text += part;
      return text.length < wanted && !now ? [] : take(false);
    },
    end() {
      const elements = take(true);
      if (expected !== 'nothing') throw new JsonError('the text ends too early', before);
      return elements;
    },
  };

  function take(isLast: boolean): Json[] {
    const reader = createReader(text, undefined, mostValues);
    const elements: Json[] = [];
    let lines: string | undefined = '';
    let used = 0;
    for (;;) {
      const code = reader.peek();
      used = reader.offset();
      if (Number.isNaN(code)) break;
      if (expected === 'element' || (expected === 'first' && code !== closeBracket)) {
        const variants = reader.variants();
        const element = readElement(used);
        if (element === undefined) break;
        const line = reader.variants() === variants ? text.slice(used, reader.offset()) : undefined;
        // Of a number the rest may yet come.
        const next = reader.peek();
        if (next !== comma && next !== closeBracket && !isWhole(used)) break;
        lines = join(lines, line);
        elements.push(element);
        expected = 'separator';
      } else {
        expected = expectedBehind(code) ?? fail(complaints[expected], used);
        reader.skip();
      }
    }
    before += used;
    text = text.slice(used);
    blank = elements.length > 0 ? 0 : blank + used;
    if (blank > maxElement) {
      throw new JsonLimitError('more than 1 MiB of whitespace between elements', before);
    }
    if (text.length > maxElement) throw tooLong(0);
    // An element that is not whole is parsed anew: not at each part of it, which would take quadratic time.
    wanted = Math.max(batch, 2 * text.length);
    if (lines !== undefined) keepText(elements, lines);
    return elements;

    /** The element that begins here; undefined where it is not whole. */
    function readElement(start: number): Json | undefined {
      let element: Json;
      try {
        element = reader.value(1);
      } catch (error) {
        if (!(error instanceof JsonError)) throw error;
        if (error instanceof JsonLimitError) {
          throw new JsonLimitError(`an element has ${error.reason}`, before + start);
        }
        if (!isWhole(start)) return undefined;
        return fail(error.reason, error.offset);
      }
      if (reader.offset() - start > maxElement) throw tooLong(start);
      return element;
    }

    /** Whether the element that begins here ends in this text, for better or worse. */
    function isWhole(start: number): boolean {
      return isLast || endsElement(text.slice(start, start + maxElement));
    }
  }

  /** Between elements: what this character leads to; undefined where it does not belong. */
  function expectedBehind(code: number): 'first' | 'element' | 'nothing' | undefined {
    if (expected === 'array') return code === openBracket ? 'first' : undefined;
    if (expected === 'nothing') return undefined;
    if (code === closeBracket) return 'nothing';
    return code === comma ? 'element' : undefined;
  }

  function fail(reason: string, at: number): never {
    throw new JsonError(reason, before + at);
  }

  function tooLong(at: number): JsonError {
    return new JsonLimitError('an element is longer than 1 MiB', before + at);
  }
}

/** Lines with one more; nothing where one of them is unknown. */
function join(lines: string | undefined, line: string | undefined): string | undefined {
  if (lines === undefined || line === undefined) return undefined;
  return lines === '' ? line : `${lines}\n${line}`;
}

/** Whether the text has a whole element at its beginning, right or wrong. */
function endsElement(text: string): boolean {
  try {
    return !createElementSplitter().split(`[${text}`).next().done;
  } catch (error) {
    if (error instanceof JsonError) return true;
    throw error;
  }
}
