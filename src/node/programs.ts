import { spawn, spawnSync } from 'node:child_process';
import { constants } from 'node:os';
import { win32 } from 'node:path';
import type { Captured, CaptureOptions, Environment } from '../context.ts';
import { Interruption } from '../errors.ts';
import { forChild } from './environment.ts';

const signalNames = { 129: 'SIGHUP', 130: 'SIGINT', 143: 'SIGTERM' } as const;

type Console = { readonly platform: string; readonly stdin: { readonly isTTY: boolean } };

/** Runs a program on our own streams; `signal` is passed on to it. @throws the system's error when it cannot run */
export async function launch(
  [file = '', ...args]: readonly string[],
  env: Environment,
  signal: AbortSignal,
  { platform, stdin }: Console,
): Promise<number> {
  const onWindows = platform === 'win32';
  const start = onWindows ? (await import('./windows-program.ts')).startOnWindows : spawn;
  const child = start(file, args, { env: forChild(env, platform), stdio: 'inherit' });
  signal.addEventListener('abort', () => {
    const name =
      signal.reason instanceof Interruption ? signalNames[signal.reason.exitCode] : 'SIGTERM';
    // The terminal sends Ctrl-C to both of us; a second one would end the child without a word. On Windows the console
    // sends it every signal that there is, and child.kill would terminate it.
    if (!onWindows && (name !== 'SIGINT' || !stdin.isTTY)) child.kill(name);
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, killedBy) => resolve(exitCode(code, killedBy)));
  });
}

/** What Windows ends a program with that does nothing about Ctrl-C or Ctrl-Break: STATUS_CONTROL_C_EXIT. */
const endedByCtrlC = 0xc000013a;

/** As a shell reports it. */
function exitCode(code: number | null, killedBy: NodeJS.Signals | null): number {
  if (code === endedByCtrlC) return 128 + constants.signals.SIGINT;
  return code ?? 128 + (killedBy ? constants.signals[killedBy] : 0);
}

type System = {
  readonly platform: string;
  /** Kills a process, or a group of them by its negative number. @throws the system's error */
  readonly kill: (pid: number, signal: 'SIGKILL') => unknown;
  readonly env: Environment;
};

/** Waits for a program to end. */
type RunSync = (
  file: string,
  args: readonly string[],
  options: { readonly stdio: 'ignore'; readonly windowsHide: true; readonly timeout: number },
) => { readonly status: number | null };

/**
 * Runs a command line in the system's shell and collects what it prints; its stderr is our terminal's, or dropped. When
 * `signal` is aborted, or it prints more than `limit` characters, it is killed; with all that it started, where it does not
 * ask on our terminal.
 * @throws the signal's reason, the system's error when there is no shell
 */
export function capture(
  command: string,
  { env, folder, terminal, limit, signal }: CaptureOptions,
  { platform, kill, env: { SystemRoot } }: System,
  runSync: RunSync = spawnSync,
): Promise<Captured> {
  const onWindows = platform === 'win32';
  // A group of its own would have no terminal; Windows has no groups.
  const group = !terminal && !onWindows;
  const child = spawn(command, {
    shell: true,
    cwd: folder,
    env: forChild(env, platform),
    detached: group,
    windowsHide: true,
    stdio: terminal ? ['inherit', 'pipe', 'inherit'] : ['ignore', 'pipe', 'ignore'],
  });
  let stdout = '';
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    stdout += text;
    if (stdout.length > limit) end();
  });
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => {
      const { reason } = signal;
      // The terminal has sent Ctrl-C to it as well, and it may have to put the terminal in order.
      if (!(terminal && reason instanceof Interruption && reason.exitCode === 130)) end();
      reject(reason);
    });
    child.once('error', reject);
    child.once('close', (code, killedBy) =>
      resolve({ exitCode: exitCode(code, killedBy), stdout }),
    );
  });

  function end(): void {
    const { pid } = child;
    try {
      if (pid !== undefined && !(onWindows && endTree(pid))) kill(group ? -pid : pid, 'SIGKILL');
    } catch {
      // It has ended meanwhile.
    }
    // What else it started may hold it open.
    child.stdout?.destroy();
  }

  /** Whether taskkill ended it. It is waited for: it would end with us, and cannot find the children of a process that has ended. */
  function endTree(pid: number): boolean {
    const taskkill = win32.join(SystemRoot ?? 'C:\\Windows', 'System32', 'taskkill.exe');
    const args = ['/T', '/F', '/PID', String(pid)];
    const options = { stdio: 'ignore', windowsHide: true, timeout: 5_000 } as const;
    return runSync(taskkill, args, options).status === 0;
  }
}
