import stringWidth from 'string-width';
import { isPlain, replaceUnsafe } from './safe-text.ts';

/** Those of plain text that take two cells: kana, CJK, and two that are emoji too. */
const wide = /[\u00a9\u00ae\u3041-\u9fff]/g;

/** Scripts from Devanagari to Myanmar and their kin: terminals put their letters and vowel signs beside each other. */
const brahmic = /[\u0900-\u109f\u1700-\u1cff\ua800-\uabff]+\u200d?/g;
const marksAbove = /[\p{Mn}\p{Me}\p{Cf}]/gu;

/** Cells of most terminals that a line of text takes: two for CJK and emoji, none for combining marks. */
export function widthOf(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  if (isPlain(text)) return text.length + (text.match(wide)?.length ?? 0);
  // A blank for each, so that what is between them is not joined.
  return stringWidth(
    text.replace(brahmic, (found) => ' '.repeat(found.replace(marksAbove, '').length)),
  );
}

/** Cells that it takes at most: many terminals join no characters, and draw each on its own. */
export function mostWidthOf(text: string): number {
  if (isPlain(text)) return widthOf(text);
  let sum = 0;
  for (const { most } of clusters(text)) sum += most;
  return sum;
}

/** Whether a text may take `width` cells, and `most` where a terminal joins no characters. */
type Fits = (width: number, most: number) => boolean;

/** The text, or as many of its first characters as fit with the sign that it was cut; never half a one. */
export function cutTo(text: string, ellipsis: string, fits: Fits): string {
  // To measure a megabyte of clusters takes minutes.
  if (isPlain(text) && fits(widthOf(text), widthOf(text))) return text;
  let sign = ellipsis;
  while (sign && !fits(sign.length, sign.length)) sign = sign.slice(1);
  let kept = '';
  let width = 0;
  let most = 0;
  for (const cluster of clusters(text)) {
    width += cluster.width;
    most += cluster.most;
    // What joined the last character to the next one is hidden now.
    if (!fits(width, most)) return replaceUnsafe(kept + sign, () => '');
    if (fits(width + sign.length, most + sign.length)) kept += cluster.text;
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
const marksWithRoom = /(?![\u0300-\u036f])\p{M}|\u180e/u;
const circledTens = /[\u3248-\u324f]/;

function widthAlone(character: string): number {
  if (circledTens.test(character)) return 2;
  return marksWithRoom.test(character) ? 1 : widthOf(character);
}
