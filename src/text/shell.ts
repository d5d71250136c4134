export function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", `'"'"'`)}'`;
}

export function quoteIfNeeded(word: string): string {
  return /^[\w:/.@%+-]+$/.test(word) ? word : quoteForShell(word);
}

/** Returns a command on an absolute path. If escaping would change the path, it says to type it: no shell runs a line with a bracket. */
export function commandOn(program: string, path: string): string {
  return isShownAsItIs(path)
    ? `${program} ${quoteForShell(path)}`
    : `${program} (type the path by hand: it cannot be pasted as shown): ${path}`;
}

const maxWordLength = 250;

// As json/safe-text.ts escapes. V8 takes 4 ms to parse a literal of these.
const shownAsItIs = String.raw`^[\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}]*$`;
const hiddenOrEscaped = String.raw`\\u\{|\p{Default_Ignorable_Code_Point}`;

function isShownAsItIs(text: string): boolean {
  if (text.length > maxWordLength) return false;
  return new RegExp(shownAsItIs, 'u').test(text) && !new RegExp(hiddenOrEscaped, 'u').test(text);
}
