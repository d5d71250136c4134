/** Escapes as in JSON what would end a cell of TSV, and a quote at its beginning: spreadsheets quote their cells. */
export function escapeTsv(cell: string): string {
  return cell.replace(/[\\\t\n\r]|^"/g, (found) => JSON.stringify(found).slice(1, -1));
}

/** Takes back what we escape in a cell. In CSV that is `\u{1b}`, since quotes do the rest. */
export function unescapeCell(cell: string, format: 'csv' | 'tsv'): string {
  if (!cell.includes('\\')) return cell;
  const escapes =
    format === 'csv' ? /\\()u\{([0-9a-f]{1,6})\}/g : /\\(?:([\\"tnr])|u\{([0-9a-f]{1,6})\})/g;
  return cell.replace(escapes, (found, letter: string, digits: string) => {
    if (letter) return JSON.parse(`"${found}"`);
    const code = Number.parseInt(digits, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : found;
  });
}
