/** The words of a command line, or the line, in which words may stand in single quotes. */
export type Line = string | readonly string[];

export function wordsOf(line: Line): readonly string[] {
  if (typeof line !== 'string') return line;
  return (line.match(/'[^']*'|\S+/g) ?? []).map((word) => word.replace(/^'|'$/g, ''));
}
