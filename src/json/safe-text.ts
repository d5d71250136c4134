/**
 * What a terminal may act on or a reader cannot see: controls, bidirectional and zero-width marks, line separators, lone
 * surrogates, unassigned and private code points, fillers, variation selectors, tags, and more than ten marks on one letter.
 */
const unsafe = String.raw`[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\u{e0000}-\u{e0fff}]|(?<=\p{M}{10})\p{M}`;
/** Emoji with the selector that some keyboards add, and one joiner after a letter of Arabic, Indic scripts, Khmer, Mongolian. */
const allowed = String.raw`\p{RGI_Emoji}(?:(?<!\ufe0f)\ufe0f)?|(?<=[[\u0600-\u0dff\u1780-\u17b3\u17b6-\u180a\u1810-\u18af]&&[\p{L}\p{M}]])(?<!\p{M}{11})[\u200c\u200d\u180b-\u180f]`;

const maxParts = 1_000;

/** Compiled on first use, because V8 needs some milliseconds for their tables. The second one searches 20 times as long. */
let anyUnsafe: RegExp | undefined;
let allowedOrUnsafe: RegExp | undefined;

export function escapeUnsafe(text: string, replace: (character: string) => string): string {
  if (/^[ -~]*$/.test(text)) return text;
  anyUnsafe ??= new RegExp(unsafe, 'v');
  if (!anyUnsafe.test(text)) return text;
  allowedOrUnsafe ??= new RegExp(`${allowed}|(${unsafe})`, 'gv');
  // `text.replace` would keep all replacements at once: 500 MB for a text of 8 MiB.
  let escaped = '';
  let parts: string[] = [];
  let end = 0;
  allowedOrUnsafe.lastIndex = 0;
  for (let match = allowedOrUnsafe.exec(text); match; match = allowedOrUnsafe.exec(text)) {
    const [, found] = match;
    if (!found) continue;
    parts.push(text.slice(end, match.index), replace(found));
    end = match.index + found.length;
    if (parts.length < maxParts) continue;
    escaped += parts.join('');
    parts = [];
  }
  return escaped + parts.join('') + text.slice(end);
}

/** Escapes finished lines. Each format has escaped its cells before; this stops what was missed. */
export function escapeLines(text: string): string {
  if (/^[\n\t -~]*$/.test(text)) return text;
  return escapeUnsafe(text, (found) =>
    found === '\n' || found === '\t' ? found : visibleEscape(found),
  );
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
