import stringWidth from 'string-width';
import { isPlain, replaceUnsafe } from './safe-text.ts';

/** Those of plain text that take two cells: kana, CJK, and two that are emoji too. */
const wide = /[\u00a9\u00ae\u3041-\u9fff]/g;

/** Cells of most terminals that a line of text takes: two for CJK and emoji, none for combining marks. */
export function widthOf(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  if (isPlain(text)) return text.length + (text.match(wide)?.length ?? 0);
  let sum = 0;
  for (const { width } of clusters(text)) sum += width;
  return sum;
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

/** As many of the first characters as surely fit, but at least one. */
export function headOf(text: string, room: number): string {
  let head = '';
  let sum = 0;
  for (const { text: character, most } of clusters(text)) {
    sum += most;
    if (head !== '' && sum > room) break;
    head += character;
  }
  return head;
}

type Cluster = { readonly text: string; readonly width: number; readonly most: number };

const segmenter = new Intl.Segmenter();
/** Clusters that were measured, which takes a hundred times as long as to find them. */
const measured = new Map<string, Cluster>();
const mostMeasured = 10_000;
/** In UTF-16 units: a longer one could keep the whole text that it was found in from being freed. */
const longestMeasured = 12;

/** What a reader takes for one character each. */
function* clusters(text: string): Generator<Cluster> {
  for (const { segment } of segmenter.segment(text)) {
    const known = measured.get(segment);
    const cluster = known ?? measure(segment);
    if (!known && segment.length <= longestMeasured) {
      if (measured.size >= mostMeasured) measured.clear();
      measured.set(segment, cluster);
    }
    yield cluster;
  }
}

/** More marks heaped on one character than any language has: they would be drawn across other lines. */
const longestCluster = 30;
/** Scripts from Devanagari to Myanmar and their kin: terminals put their letters and vowel signs beside each other. */
const brahmic = /[\u0900-\u109f\u1700-\u1cff\ua800-\uabff]/;
const marksAbove = /[\p{Mn}\p{Me}\p{Cf}]/gu;

function measure(text: string): Cluster {
  const characters = text.length > 2 * longestCluster ? [] : [...text];
  const width = brahmic.test(text) ? text.replace(marksAbove, '').length : stringWidth(text);
  const alone = characters.reduce((sum, character) => sum + widthAlone(character), 0);
  const heaped = characters.length === 0 || characters.length > longestCluster;
  return { text, width, most: heaped ? Number.POSITIVE_INFINITY : Math.max(width, alone) };
}

/** Takes a cell, or two, on terminals that do not agree with string-width: old ones know few marks that combine. */
const marksWithRoom = /(?![\u0300-\u036f])\p{M}|\u180e/u;
const circledTens = /[\u3248-\u324f]/;

function widthAlone(character: string): number {
  if (circledTens.test(character)) return 2;
  return marksWithRoom.test(character) ? 1 : stringWidth(character);
}
