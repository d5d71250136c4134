import { constants } from 'node:os';
import spawn from 'cross-spawn';
import type { Captured, CaptureOptions, Environment } from '../context.ts';
import { Interruption } from '../errors.ts';

export function launch(
  [file = '', ...args]: readonly string[],
  env: Environment,
  signal: AbortSignal,
  { platform, stdin }: Pick<NodeJS.Process, 'platform' | 'stdin'>,
): Promise<number> {
  const child = spawn(file, args, { env, stdio: 'inherit' });
  signal.addEventListener('abort', () => {
    const number = signal.reason.exitCode - 128;
    // A terminal sends Ctrl-C to the child too, and the console of Windows every signal. A second one would kill it.
    const isSentAlready = number === constants.signals.SIGINT && stdin.isTTY;
    if (platform !== 'win32' && !isSentAlready) child.kill(number);
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, killedBy) => resolve(toExitCode(code, killedBy)));
  });
}

export function capture(
  command: string,
  { env, folder, terminal, limit, signal }: CaptureOptions,
  { platform, kill }: Pick<NodeJS.Process, 'platform' | 'kill'>,
): Promise<Captured> {
  // A process group can be killed with all that it started. In one of its own it could not ask on the terminal.
  const detached = !terminal && platform !== 'win32';
  const child = spawn(command, [], {
    ...{ shell: true, cwd: folder, env, detached, windowsHide: true },
    stdio: terminal ? ['inherit', 'pipe', 'inherit'] : ['ignore', 'pipe', 'ignore'],
  });
  let stdout = '';
  let onAbort = () => {};
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    stdout += text;
    if (stdout.length > limit) end();
  });
  return new Promise<Captured>((resolve, reject) => {
    onAbort = () => {
      const { reason } = signal;
      // The terminal has sent Ctrl-C to the program too, which may have to turn the echo on again.
      if (!(terminal && reason instanceof Interruption && reason.exitCode === 130)) end();
      reject(reason);
    };
    signal.addEventListener('abort', onAbort);
    child.once('error', reject);
    child.once('close', (code, killedBy) =>
      resolve({ exitCode: toExitCode(code, killedBy), stdout }),
    );
    // Later its process id may belong to another program.
  }).finally(() => signal.removeEventListener('abort', onAbort));

  function end(): void {
    try {
      if (detached && child.pid) kill(-child.pid, 'SIGKILL');
      else child.kill('SIGKILL');
    } catch {
      // It has ended already.
    }
    // Programs that it started may hold the pipe open.
    child.stdout?.destroy();
  }
}

/** The exit code on Windows of a program that Ctrl-C ended: STATUS_CONTROL_C_EXIT. */
const endedByCtrlC = 0xc000013a;

function toExitCode(code: number | null, killedBy: NodeJS.Signals | null): number {
  if (code === endedByCtrlC) return 128 + constants.signals.SIGINT;
  return code ?? 128 + (killedBy ? constants.signals[killedBy] : 0);
}
