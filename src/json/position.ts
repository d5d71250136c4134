/** A position in a text, counted from 1; columns in UTF-16 units. Lines end with \n, \r\n or \r. */
export type Position = { readonly line: number; readonly column: number };

export const startOfText: Position = { line: 1, column: 1 };

const lineBreak = /\r\n?|\n/g;

/**
 * The position of `text[to]`, where `text[from]` is at `position`. A \r\n that two texts share counts as two lines.
 * A pattern finds the lines because V8 gives up its optimized code at the end of a loop over characters, call after call.
 */
export function positionAfter(
  position: Position,
  text: string,
  from = 0,
  to = text.length,
): Position {
  let { line } = position;
  let lineStart = from + 1 - position.column;
  lineBreak.lastIndex = from;
  while (lineBreak.test(text) && lineBreak.lastIndex <= to) {
    line += 1;
    lineStart = lineBreak.lastIndex;
  }
  return { line, column: to + 1 - lineStart };
}
