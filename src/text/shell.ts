/** A word that a POSIX shell takes as this very text. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", `'"'"'`)}'`;
}

/** The same in PowerShell, which takes typographic quotes for quotes. */
function quoteInPowerShell(text: string): string {
  return `'${text.replace(/['‘’‚‛]/g, '$&$&')}'`;
}

/** What PowerShell or cmd expands in double quotes, or takes for their end. */
const expanded = /["“”„$`%!]/;

/** The same in the shells of messages: on Windows PowerShell, and cmd too where the text allows it; else any POSIX shell. */
export function quoteFor(platform: string, text: string): string {
  if (platform !== 'win32') return quote(text);
  return expanded.test(text) ? quoteInPowerShell(text) : `"${text}"`;
}

/** A command of messages that sets a variable for all that is run in the shell after it. */
export function setVariable(platform: string, name: string, value: string): string {
  return platform === 'win32'
    ? `$env:${name} = ${quoteInPowerShell(value)}`
    : `export ${name}=${value}`;
}

/** Encodings that files are in by mistake, as iconv calls them. */
export type Encoding = `UTF-16${'' | 'LE' | 'BE'}` | 'WINDOWS-1252';
type ToUtf8 = `iconv -f ${Encoding} -t UTF-8`;

/** What PowerShell 5 does not hand on as it is, in whatever quotes: nothing, quotes, a backslash at the end. */
const notHandedOn = /^$|"|\\$/;

/** A word for a command in a message: in quotes where a shell needs them, undefined where it would not be shown or taken as it is. */
export function shellWord(platform: string, text: string): string | undefined {
  if (!canBeWord(text)) return undefined;
  if (platform === 'win32' && notHandedOn.test(text)) return undefined;
  return /^[\w./:+-]+$/.test(text) ? text : quoteFor(platform, text);
}

/** Whether a text can be given in the command of a message, in most shells. */
export function canBeWord(text: string): boolean {
  // With a dash in front it would be an option, also in quotes.
  return isShownAsItIs(text) && (!text.startsWith('-') || /^-\d+$/.test(text));
}

/** What is done to a file or folder in the commands of messages. */
type Program =
  | 'rm'
  | 'rm -r'
  | 'mv'
  | 'sudo rm'
  | ToUtf8
  | `chmod ${'600' | '700' | 'go-w' | 'u+rwX'}`
  | `sudo chown -R ${number}`;

/** The same in PowerShell; modes are never changed where there are none. */
const inPowerShell: Partial<Record<Program, string>> = {
  rm: 'Remove-Item -LiteralPath',
  'rm -r': 'Remove-Item -Recurse -LiteralPath',
  mv: 'Move-Item -LiteralPath',
};

/** A longer one may be cut off at the end of a message. In characters. */
const longestWord = 250;

/** What is shown just as it is (output/safe-text.ts), on a terminal and in JSON. V8 takes 4 ms to parse a literal of it. */
const shownAsItIs = String.raw`^[\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}]*$`;
const hiddenOrEscaped = String.raw`\\u\{|\p{Default_Ignorable_Code_Point}`;

/**
 * A command for a message, to be pasted into a shell: PowerShell for a path of Windows, which begins with a drive or two
 * backslashes, else any POSIX shell. Paths are absolute. Where one would not be shown as it is, no command is given that would
 * do something else, but the path to look at.
 */
export function commandOn(program: Program, ...paths: readonly string[]): string {
  const isWindows = paths.every((path) => /^([a-z]:[\\/]|\\\\)/i.test(path));
  if (!paths.every(isShownAsItIs)) {
    return `${program} (type the path by hand: it cannot be pasted as shown): ${paths[0]}`;
  }
  if (!isWindows) return [program, ...paths.map(quote)].join(' ');
  return [inPowerShell[program] ?? program, ...paths.map(quoteInPowerShell)].join(' ');
}

/** A command, for any POSIX shell, that writes a file in this encoding as UTF-8 to another one; without a file it is for a pipe. */
export function commandToUtf8(encoding: Encoding, path: string | undefined): string {
  const toUtf8: ToUtf8 = `iconv -f ${encoding} -t UTF-8`;
  if (path === undefined) return toUtf8;
  const command = commandOn(toUtf8, path);
  const copy = path.replace(/(\.[^./\\]*)?$/, '.utf8$1');
  return isShownAsItIs(path) ? `${command} > ${quote(copy)}` : command;
}

function isShownAsItIs(text: string): boolean {
  if (text.length > longestWord) return false;
  return new RegExp(shownAsItIs, 'u').test(text) && !new RegExp(hiddenOrEscaped, 'u').test(text);
}
