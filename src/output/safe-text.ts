import { textMarks } from './text-marks.ts';

/** Most text: ASCII, Latin, Cyrillic, kana, CJK, the lines of a table. All of it is safe, and needs no closer look. */
const mostLetters = String.raw`#-\[\]-~ !\u00a1-\u00ac\u00ae-\u02ff\u0400-\u0482\u048a-\u052f\u2026\u2500-\u257f\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff`;
const bare = new RegExp(`^[${mostLetters}]*$`);
const plain = new RegExp(`^["\\\\${mostLetters}]*$`);
const plainLines = new RegExp(`^[\n"\\\\${mostLetters}]*$`);
const plainRecords = new RegExp(`^[\n\t"\\\\${mostLetters}]*$`);
const plainRecord = new RegExp(`^[\t"\\\\${mostLetters}]*$`);

/**
 * What a terminal may act on or a reader cannot see: controls, bidirectional and zero-width marks, line
 * separators, lone surrogates, unassigned and private code points, fillers, variation selectors, tags.
 */
const unsafeSource = String.raw`[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\u{e0000}-\u{e0fff}]`;

/** Made when first needed, since their tables take time. */
let unsafe: RegExp | undefined;
let textOrUnsafe: RegExp | undefined;

/** So many parts of a text are joined at a time: a part takes ten times the room of its one character. */
const mostParts = 10_000;

/** Whether each character of it stands alone: none of them acts, hides, or joins another one. */
export function isPlain(text: string): boolean {
  return plain.test(text);
}

/** Whether it is plain and JSON has it between quotes just as it is. */
export function isBare(text: string): boolean {
  return bare.test(text);
}

/** Whether whole lines are plain, but for the tabs between their fields. */
export function arePlainRecords(text: string): boolean {
  return plainRecords.test(text);
}

/** The text with each unsafe character in a harmless form; selectors and joiners that are text stay (`textMarks`). */
export function replaceUnsafe(text: string, harmless: (character: string) => string): string {
  if (isPlain(text)) return text;
  unsafe ??= new RegExp(unsafeSource, 'v');
  // To look for what is text takes ten times as long.
  if (!unsafe.test(text)) return text;
  textOrUnsafe ??= new RegExp(`${textMarks}|(?<unsafe>${unsafeSource})`, 'gv');
  let replaced = '';
  let parts: string[] = [];
  let at = 0;
  for (const { 0: found, index, groups } of text.matchAll(textOrUnsafe)) {
    if (groups?.unsafe === undefined) continue;
    parts.push(text.slice(at, index), harmless(found));
    at = index + found.length;
    if (parts.length < mostParts) continue;
    replaced += parts.join('');
    parts = [];
  }
  return replaced + parts.join('') + text.slice(at);
}

/** `\u{1b}`: readable; the same letters in the text itself differ in their backslash (escapeLookalikes). */
function visibleEscape(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}

/**
 * One piece of foreign text on one line, with nothing in it that could act or hide. Reversible: no two texts are shown in the same
 * characters, though a font may draw `⭐` and `⭐️` alike.
 */
export function showText(text: string): string {
  if (isBare(text)) return text;
  return replaceUnsafe(escapeLookalikes(text), visibleEscape);
}

/**
 * The backslash of what reads like an escape of the sink becomes `\u{5c}`, so that no two texts look alike, and all come back as
 * they were; any other backslash stays, so that a path can be pasted.
 */
export function escapeLookalikes(text: string): string {
  return text.replace(/\\(?=u\{[0-9a-f]{1,6}\})/g, '\\u{5c}');
}

/** Whole lines on their way out: changes nothing that went through showText, and stops what did not. */
export function sealLines(text: string): string {
  if (plainLines.test(text)) return text;
  return text
    .split('\n')
    .map((line) => replaceUnsafe(line, visibleEscape))
    .join('\n');
}

/** A line of CSV or TSV on its way out: its tabs are what they are, and so is the line end of which it has the first half. */
export function sealRecord(line: string): string {
  if (plainRecord.test(line)) return line;
  const parts = line.split(/(\t|\r$)/);
  return parts.map((part, at) => (at % 2 ? part : replaceUnsafe(part, visibleEscape))).join('');
}

/** The JSON form of a string: exact for every parser, and harmless on a terminal. */
export function jsonString(text: string): string {
  return replaceUnsafe(JSON.stringify(text), (character) =>
    [...Array(character.length).keys()]
      .map((unit) => `\\u${character.charCodeAt(unit).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}
