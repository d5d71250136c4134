export function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", `'"'"'`)}'`;
}

export function quoteIfNeeded(word: string): string {
  return /^[\w:/.@%+-]+$/.test(word) ? word : quoteForShell(word);
}

/** As json/safe-text.ts escapes, and no longer than a hint has room for. V8 takes 4 ms to parse a literal of this. */
const shownAsItIs = String.raw`^(?!.*(?:\\u\{|\p{Default_Ignorable_Code_Point}))[\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}]{0,250}$`;

/** Returns a command on an absolute path. If escaping would change the path, it says to type it: no shell runs a line with a bracket. */
export function commandOn(program: string, path: string): string {
  return new RegExp(shownAsItIs, 'u').test(path)
    ? `${program} ${quoteForShell(path)}`
    : `${program} (type the path by hand: it cannot be pasted as shown): ${path}`;
}
