import stringWidth from 'string-width';

const narrowestColumn = 6;
const ascii = /^[\x20-\x7e]*$/;

/** Cells of the terminal that a line of text takes: two for CJK and emoji, none for combining marks. */
export function widthOf(text: string): number {
  return ascii.test(text) ? text.length : stringWidth(text);
}

export function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}

/** The text, or as much of it as fits with an ellipsis; never half a character. */
export function cutTo(width: number, text: string): string {
  if (widthOf(text) <= width) return text;
  let kept = '';
  let used = 1;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    used += widthOf(segment);
    if (used > width) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** Column widths that together take at most `available` cells: the widest columns give way first. */
export function fitWidths(natural: readonly number[], available: number): number[] {
  const widths = [...natural];
  let excess = widths.reduce((sum, width) => sum + width, 0) - available;
  while (excess > 0) {
    const widest = Math.max(...widths);
    if (widest <= narrowestColumn) break;
    widths[widths.indexOf(widest)] = widest - 1;
    excess -= 1;
  }
  return widths;
}
