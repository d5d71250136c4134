/** Counted from 1; columns in UTF-16 units. Lines end with \n, \r\n or \r. */
export type Position = { readonly line: number; readonly column: number };

/** Finds the positions of offsets in a text. They must not go back to an earlier line, so that the text is searched once. */
export function createLocator(text: string): (offset: number) => Position {
  const lineBreak = /\r\n?|\n/g;
  let line = 1;
  let start = 0;
  let next = endOfLine();
  return (offset) => {
    for (; next <= offset; next = endOfLine()) {
      line += 1;
      start = next;
    }
    return { line, column: offset - start + 1 };
  };

  function endOfLine(): number {
    return lineBreak.test(text) ? lineBreak.lastIndex : Number.POSITIVE_INFINITY;
  }
}
