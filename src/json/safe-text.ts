/**
 * What a terminal may act on or a reader cannot see: controls, bidirectional and zero-width marks, line separators, lone
 * surrogates, unassigned and private code points, fillers, variation selectors, tags, and more than ten marks on one letter.
 */
const unsafe = String.raw`[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\u{e0000}-\u{e0fff}]|(?<=\p{M}{10})\p{M}`;
/** One joiner after a letter of Arabic, Indic scripts, Khmer, Mongolian. */
const joiner = String.raw`(?<=[[\u0600-\u0dff\u1780-\u17b3\u17b6-\u180a\u1810-\u18af]&&[\p{L}\p{M}]])(?<!\p{M}{11})[\u200c\u200d\u180b-\u180f]`;
/** Emoji with the selector that some keyboards add. Without the lookahead V8 tries 3,600 of them at each character: 15 times as long. */
const emoji = String.raw`(?=\p{Emoji})\p{RGI_Emoji}(?:(?<!\ufe0f)\ufe0f)?`;

/** Only these runs can be unsafe. A keycap such as 1️⃣ begins with a character of ASCII. */
const runs = /[#*0-9]?[^ -~]+/g;
const runsInLines = /[#*0-9]?[^\n\t -~]+/g;

const maxParts = 1_000;

/** Compiled on first use, because V8 needs some milliseconds for their tables, and 20 for that of emoji. */
let anyUnsafe: RegExp | undefined;
let joinerOrUnsafe: RegExp | undefined;
let emojiOrUnsafe: RegExp | undefined;

export function escapeUnsafe(
  text: string,
  replace: (character: string) => string,
  pattern = runs,
): string {
  if (/^[ -~]*$/.test(text)) return text;
  return replaceEach(text, pattern, (run) => {
    anyUnsafe ??= new RegExp(unsafe, 'v');
    if (!anyUnsafe.test(run)) return run;
    return replaceEach(run, unsafeButIn(run), (found, character) =>
      character === undefined ? found : replace(character),
    );
  });
}

/** Returns what finds the unsafe characters of a run as its group, and what may contain them beside it. */
function unsafeButIn(run: string): RegExp {
  if (/\p{Emoji}/u.test(run)) {
    emojiOrUnsafe ??= new RegExp(`${emoji}|${joiner}|(${unsafe})`, 'gv');
    return emojiOrUnsafe;
  }
  joinerOrUnsafe ??= new RegExp(`${joiner}|(${unsafe})`, 'gv');
  return joinerOrUnsafe;
}

/** Escapes finished lines. Each format has escaped its cells before; this stops what was missed. */
export function escapeLines(text: string): string {
  return escapeUnsafe(text, visibleEscape, runsInLines);
}

/** Escapes foreign text inside a line, and backslashes that would read like an escape: no two texts look alike. */
export function escapeText(text: string): string {
  return escapeUnsafe(text.replace(/\\(?=u\{[0-9a-f]{1,6}\})/g, '\\u{5c}'), visibleEscape);
}

export function jsonString(text: string): string {
  return /^[ !#-[\]-~]*$/.test(text) ? `"${text}"` : escapeJson(JSON.stringify(text));
}

export function escapeJson(json: string): string {
  return escapeUnsafe(json, (found) =>
    found.replace(/./gs, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  );
}

function visibleEscape(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}

/** Replaces as `text.replace` does, which would keep all replacements at once: 500 MB for a text of 8 MiB. */
function replaceEach(
  text: string,
  pattern: RegExp,
  replace: (found: string, group?: string) => string,
): string {
  let replaced = '';
  let parts: string[] = [];
  let end = 0;
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const [found, group] = match;
    const replacement = replace(found, group);
    if (replacement === found) continue;
    parts.push(text.slice(end, match.index), replacement);
    end = match.index + found.length;
    if (parts.length < maxParts) continue;
    replaced += parts.join('');
    parts = [];
  }
  return replaced + parts.join('') + text.slice(end);
}
