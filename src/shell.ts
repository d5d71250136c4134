/** A word that a POSIX shell takes as this very text. No backslash is needed for it, which would be doubled where text is shown. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", `'"'"'`)}'`;
}

/** What is done to a file or folder in the commands of messages. */
type Program = 'rm' | 'rm -r' | 'chmod 600' | 'chmod 700' | 'chmod go-w';

/** The same in PowerShell; modes are never changed where there are none. */
const inPowerShell: Partial<Record<Program, string>> = {
  rm: 'Remove-Item -LiteralPath',
  'rm -r': 'Remove-Item -Recurse -LiteralPath',
};

/** A longer one may be cut off at the end of a message. In characters. */
const longestPath = 250;

/** What is shown just as it is (output/safe-text.ts), on a terminal and in JSON. */
const shownAsItIs = /^[\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}]*$/u;
const hiddenOrDoubled = /[\\\p{Default_Ignorable_Code_Point}]/u;

/**
 * A command for a message, to be pasted into a shell: PowerShell for a path of Windows, which begins with a drive or two
 * backslashes, else any POSIX shell. `path` is absolute. Where it would not be shown as it is, no command is given that would
 * do something else, but the path to look at.
 */
export function commandOn(program: Program, path: string): string {
  const isWindows = /^([a-z]:[\\/]|\\\\)/i.test(path);
  // Windows takes both, and a slash is shown as it is.
  const plain = isWindows ? path.replaceAll('\\', '/') : path;
  if (plain.length > longestPath || !shownAsItIs.test(plain) || hiddenOrDoubled.test(plain)) {
    return `${program} (type the path yourself: it cannot be pasted as it is shown): ${path}`;
  }
  if (!isWindows) return `${program} ${quote(plain)}`;
  return `${inPowerShell[program] ?? program} '${plain.replace(/['‘’‚‛]/g, '$&$&')}'`;
}
