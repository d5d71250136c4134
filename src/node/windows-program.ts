import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import crossSpawn from 'cross-spawn';

type Call = {
  readonly command: string;
  readonly args: readonly string[];
  readonly options: SpawnOptions;
};

/** Starts a program on Windows by the name that its shells know it by: npm is npm.cmd there. @throws the system's error */
export function startOnWindows(
  command: string,
  args: readonly string[],
  options: SpawnOptions,
): ChildProcess {
  const call = chooseCall({ command, args, options }, crossSpawn._parse(command, args, options));
  return spawn(call.command, call.args, call.options);
}

const batch = /\.(cmd|bat)$/i;

/**
 * Windows itself runs .exe and .com, and cmd.exe runs .cmd and .bat. cmd.exe would take over anything else as well: it complains on
 * stderr about what does not exist, and opens a document, without waiting, in the program that it belongs to. Those are left to
 * the system, which refuses them with an error, or finds a link to an app that cannot be read.
 * @throws an error with the code ENOENT for a batch file that does not exist, which Node would reject without looking
 */
function chooseCall(
  plain: Call,
  { file = '', ...parsed }: Call & { readonly file: string | undefined },
): Call {
  const needsShell = parsed.options.windowsVerbatimArguments === true;
  if (!needsShell || batch.test(file)) return parsed;
  if (batch.test(plain.command) && file === '') {
    throw Object.assign(new Error(`${plain.command} not found`), { code: 'ENOENT' });
  }
  return plain;
}
