import { cutTo, headOf, mostWidthOf, widthOf } from './layout.ts';
import { replaceUnsafe } from './safe-text.ts';
import type { Line } from './sink.ts';

/** A longer text is cut, in cells. */
const longestText = 200;
/** Cells that a text gets beside the names of the fields; where there are less it goes below them. */
const leastBeside = 10;

/** In two lines an id would look like two. */
const isInteger = /^-?\d{1,19}$/;

/** Each row as a block of lines, a field a line, for a terminal on which columns would be too narrow; none is wider than it. */
export function blocks(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
  width: number,
  ellipsis: string,
): Line[] {
  const cut = (text: string, most: number) => cutTo(text, ellipsis, (_, cells) => cells <= most);
  const names = titles.map((title) => cut(title, width));
  const column = Math.max(...names.map(widthOf)) + 2;
  const isBeside = width - column >= leastBeside;
  const indent = isBeside ? column : 2;
  return rows.flatMap((row, at) => [
    ...(at > 0 ? [''] : []),
    ...names.map((begin, field) => {
      const text = cut(row[field] ?? '', longestText);
      const lines = isInteger.test(text) ? [text] : broken(text, width - indent);
      const first = isBeside ? ' '.repeat(column - widthOf(begin)) : `\n${' '.repeat(indent)}`;
      const rest = lines.join(`\n${' '.repeat(indent)}`);
      return { look: 'bold', begin, rest: rest && first + rest } as const;
    }),
  ]);
}

/** A text in lines of at most `room` cells on any terminal: between words, and within one that has no room on a line. */
function broken(text: string, room: number): string[] {
  const lines: string[] = [];
  let rest = text;
  while (mostWidthOf(rest) > room) {
    const head = headOf(rest, room);
    const blank = rest[head.length] === ' ' ? head.length : head.lastIndexOf(' ');
    const end = blank > 0 ? blank : head.length;
    lines.push(rest.slice(0, end));
    rest = rest.slice(end).trimStart();
  }
  // What joined the last character of a line to the first of the next one is hidden now.
  return [...lines, rest].map((line) => replaceUnsafe(line, () => ''));
}
