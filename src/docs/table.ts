/** A table of Markdown. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows].map((row) =>
    `|${row.map((cell) => ` ${cell.replaceAll('|', '\\|')} `).join('|')}|`.replaceAll('  |', ' |'),
  );
  return lines.join('\n').replaceAll('| --- ', '|---');
}

/** A page with that part between its markers of that name. @throws Error when a marker is missing */
export function between(page: string, text: string, name: string, part: string): string {
  const [begin, end] = [`<!-- ${name}: npm run docs -->\n`, `<!-- end of ${name} -->`];
  const [before, rest] = text.split(begin);
  const [, after] = rest?.split(end) ?? [];
  if (after === undefined) throw new Error(`${page} has no place for ${name}`);
  return `${before}${begin}\n${part}\n\n${end}${after}`;
}
