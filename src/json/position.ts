/** A place in a text, counted from 1; columns in UTF-16 units. Lines end with \n, \r\n or \r. */
export type Place = { readonly line: number; readonly column: number };

export const startOfText: Place = { line: 1, column: 1 };

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** The place of `text[to]`, where `text[from]` is at `place`. A \r\n that two texts share counts as two lines. */
export function placeAfter(place: Place, text: string, from = 0, to = text.length): Place {
  let { line } = place;
  let lineStart = from + 1 - place.column;
  for (let at = from; at < to; at += 1) {
    const code = text.charCodeAt(at);
    if (code > carriageReturn) continue;
    const alone = code === carriageReturn && text.charCodeAt(at + 1) !== lineFeed;
    if (code !== lineFeed && !alone) continue;
    line += 1;
    lineStart = at + 1;
  }
  return { line, column: to + 1 - lineStart };
}
