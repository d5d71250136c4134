/**
 * What a terminal may act on or a reader cannot see: controls, bidirectional and zero-width marks, line
 * separators, lone surrogates, unassigned and private code points, fillers, variation selectors, tags.
 * A well-formed emoji sequence is matched first and stays whole, joiners included.
 */
const emojiOrUnsafe =
  /\p{RGI_Emoji}|(?<unsafe>[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\u{e0000}-\u{e0fff}])/gv;
/** Most text; it needs no closer look, and the emoji tables stay unbuilt. */
const plain = /^[\x20-\x7e]*$/;

function replaceUnsafe(text: string, harmless: (character: string) => string): string {
  if (plain.test(text)) return text;
  return text.replace(emojiOrUnsafe, (found, unsafe) => (unsafe ? harmless(found) : found));
}

/** `\u{1b}`: readable, and told apart from the same letters by doubled backslashes. */
function visibleEscape(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}

/** One piece of foreign text on one line, with nothing in it that could act or hide. Reversible, so no two texts look the same. */
export function showText(text: string): string {
  return replaceUnsafe(text.replaceAll('\\', '\\\\'), visibleEscape);
}

/** Whole lines on their way out: changes nothing that went through showText, and stops what did not. */
export function sealLines(text: string): string {
  return text
    .split('\n')
    .map((line) => replaceUnsafe(line, visibleEscape))
    .join('\n');
}

/** The JSON form of a string: exact for every parser, and harmless on a terminal. */
export function jsonString(text: string): string {
  return replaceUnsafe(JSON.stringify(text), (character) =>
    [...Array(character.length).keys()]
      .map((unit) => `\\u${character.charCodeAt(unit).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}
