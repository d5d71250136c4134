/** Quotes a text as one word for a POSIX shell. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", `'"'"'`)}'`;
}

/** Characters that end a quoted word in PowerShell (typographic quotes too), or act in cmd, where single quotes mean nothing. */
const acting = /['"\u2018-\u201f&|<>^%!()\\]/;

/** Returns a word for a command in a message; undefined if it would not be shown as it is, or some shell would not take it so. */
export function shellWord(text: string): string | undefined {
  // With a dash in front it would be an option, also in quotes.
  const isOption = text.startsWith('-') && !/^-\d+$/.test(text);
  if (isOption || acting.test(text) || !isShownAsItIs(text)) return undefined;
  return /^[\w./:+-]+$/.test(text) ? text : quote(text);
}

/** Returns a command on an absolute path. A path that would not be shown as it is stands behind a bracket, which no shell runs. */
export function commandOn(program: string, path: string): string {
  return isShownAsItIs(path)
    ? `${program} ${quote(path)}`
    : `${program} (type the path by hand: it cannot be pasted as shown): ${path}`;
}

/** A longer one may be cut off at the end of a message. */
const maxWordLength = 250;

// As json/safe-text.ts escapes. V8 takes 4 ms to parse a literal of these.
const shownAsItIs = String.raw`^[\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}]*$`;
const hiddenOrEscaped = String.raw`\\u\{|\p{Default_Ignorable_Code_Point}`;

function isShownAsItIs(text: string): boolean {
  if (text.length > maxWordLength) return false;
  return new RegExp(shownAsItIs, 'u').test(text) && !new RegExp(hiddenOrEscaped, 'u').test(text);
}
