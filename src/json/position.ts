/** A position in a text, counted from 1; columns in UTF-16 units. Lines end with \n, \r\n or \r. */
export type Position = { readonly line: number; readonly column: number };

export const startOfText: Position = { line: 1, column: 1 };

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** The position of `text[to]`, where `text[from]` is at `position`. A \r\n that two texts share counts as two lines. */
export function positionAfter(
  position: Position,
  text: string,
  from = 0,
  to = text.length,
): Position {
  let { line } = position;
  let lineStart = from + 1 - position.column;
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
