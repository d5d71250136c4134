import { JsonError, JsonLimitError } from './cursor.ts';
import { createElementSplitter, type Element, maxElement } from './elements.ts';
import type { Json } from './exact.ts';
import { createJsonParser } from './parse.ts';
import { keepText } from './verbatim.ts';

export type ArrayParser = {
  /** The elements that are whole by now and were not before, in batches unless they are wanted `now`. @throws JsonError */
  readonly parse: (part: string, now?: boolean) => Json[];
  /** The last ones. @throws JsonError when the array does not end where the text does */
  readonly end: () => Json[];
};

/** Most values in an element: what one leaves behind is still in memory when the next one comes. */
const maxValues = 20_000;

/**
 * Parses the text of one JSON array while it comes in, as strictly as parseJson, and holds no more of it than a batch and
 * an element. An element is at most 1 MiB long and has 20,000 values, and whitespace without one is as long.
 * @param batch least text whose elements are handed on, in characters
 */
export function createArrayParser(batch = 64 * 1024): ArrayParser {
  const parser = createJsonParser({ maxValues });
  const splitter = createElementSplitter(take);
  let elements: Json[] = [];
  /** Their text, one a line, while it is as they would be written. */
  let lines: string | undefined = '';
  /** How much text came, how much of that when elements were last handed on, and where the last element ended. */
  let length = 0;
  let handedOn = 0;
  let lastEnd = 0;

  return {
    parse(part, now = false) {
      splitter.split(part);
      length += part.length;
      // Of so much text without an element half may be one that has begun.
      limitBlank(length - maxElement);
      return now || length - handedOn >= batch ? handOn() : [];
    },
    end() {
      const cut = splitter.rest();
      if (cut) {
        take(cut);
        throw new JsonError('unexpected end of input', length);
      }
      splitter.end();
      limitBlank(length);
      return handOn();
    },
  };

  function take({ text, offset }: Element): void {
    limitBlank(offset);
    lastEnd = offset + text.length;
    try {
      elements.push(parser.parse(text, 1));
    } catch (error) {
      if (!(error instanceof JsonError)) throw error;
      if (!(error instanceof JsonLimitError))
        throw new JsonError(error.reason, offset + error.offset);
      throw new JsonLimitError(`an element has ${error.reason}`, offset);
    }
    if (!parser.isAsWritten()) lines = undefined;
    else if (lines !== undefined) lines = lines === '' ? text : `${lines}\n${text}`;
  }

  function handOn(): Json[] {
    const whole = elements;
    if (lines !== undefined) keepText(whole, lines);
    elements = [];
    lines = '';
    handedOn = length;
    return whole;
  }

  /** @param offset how far it is sure that nothing but whitespace came since the last element */
  function limitBlank(offset: number): void {
    if (offset - lastEnd <= maxElement) return;
    throw new JsonLimitError('more than 1 MiB of whitespace between elements', offset);
  }
}
