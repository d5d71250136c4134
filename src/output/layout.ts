import stringWidth from 'string-width';
import { isPlain } from './safe-text.ts';

/** Those of plain text that take two cells: kana, CJK, and two that are emoji too. */
const wide = /[\u00a9\u00ae\u3041-\u9fff]/g;

/** Cells of the terminal that a line of text takes: two for CJK and emoji, none for combining marks. */
export function widthOf(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  return isPlain(text) ? text.length + (text.match(wide)?.length ?? 0) : stringWidth(text);
}

/** Cells that it takes at most: many terminals join no characters, and draw each on its own. */
export function mostWidthOf(text: string): number {
  if (isPlain(text)) return widthOf(text);
  let sum = 0;
  for (const { most } of clusters(text)) sum += most;
  return sum;
}

/** The text, or as much of it as fits on every terminal with the sign that it was cut; never half a character. */
export function cutTo(width: number, text: string, ellipsis: string): string {
  // Each takes a cell at least, and to measure a megabyte of them takes minutes.
  if (isPlain(text) && text.length <= width && widthOf(text) <= width) return text;
  let kept = '';
  let used = 0;
  for (const cluster of clusters(text)) {
    used += cluster.most;
    if (used > width) return kept + ellipsis.slice(0, width);
    if (used <= width - ellipsis.length) kept += cluster.text;
  }
  return text;
}

/** The text up to the first character that takes more cells on one terminal than on another. */
export function cutDisputed(text: string, ellipsis: string): string {
  if (isPlain(text)) return text;
  let kept = '';
  for (const cluster of clusters(text)) {
    if (cluster.most > cluster.width) return kept + ellipsis;
    kept += cluster.text;
  }
  return text;
}

type Cluster = { readonly text: string; readonly width: number; readonly most: number };

/** More marks heaped on one character than any language has: they would be drawn across other lines. */
const longestCluster = 30;

/** What a reader takes for one character each. */
function* clusters(text: string): Generator<Cluster> {
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    const width = widthOf(segment);
    const characters = segment.length > 2 * longestCluster ? [] : [...segment];
    const alone = characters.reduce((sum, character) => sum + widthAlone(character), 0);
    const heaped = characters.length === 0 || characters.length > longestCluster;
    yield {
      text: segment,
      width,
      most: heaped ? Number.POSITIVE_INFINITY : Math.max(width, alone),
    };
  }
}

/** Takes a cell, or two, on terminals that do not agree with string-width: old ones know few marks that combine. */
const marksWithRoom = /(?![\u0300-\u036f])\p{M}/u;
const circledTens = /[\u3248-\u324f]/;

function widthAlone(character: string): number {
  if (circledTens.test(character)) return 2;
  return marksWithRoom.test(character) ? 1 : widthOf(character);
}
