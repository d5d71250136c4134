import { spawn } from 'node:child_process';
import type { Random } from '../../support/random.ts';

/** When a process is to die: so many ms after that many writes of this round have reached the service. */
export type Doom = { readonly writes: number; readonly ms: number };

/**
 * Some die before they have begun, some while they look up what their predecessors left, most when about `writes` more
 * have been sent.
 */
export function drawDoom(random: Random, writes: number): Doom {
  const kind = random();
  if (kind < 0.15) return { writes: 0, ms: random() * 20 };
  if (kind < 0.3) return { writes: 0, ms: random() * 1_500 };
  return { writes: 1 + random() * 2 * writes, ms: random() * 20 };
}

export type Life = {
  readonly program: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly doom: Doom | undefined;
  /** How many requests, and how many writes among them, reached the service so far. */
  readonly reached: () => { readonly requests: number; readonly writes: number };
  readonly onStart: (sender: string) => void;
  /** Called when it can send no more. */
  readonly onEnd: (sender: string) => void;
};

export type Death = {
  readonly code: number | null;
  readonly cause: 'itself' | 'killed' | 'hung';
  readonly stderr: string;
};

/** Longest time without a request, in ms. */
const patience = 60_000;

/** Starts a process and waits for its end, or brings it about. */
export function live({ program, env, doom, reached, onStart, onEnd }: Life): Promise<Death> {
  const [file = '', ...args] = program;
  const child = spawn(file, args, { stdio: ['ignore', 'ignore', 'pipe'], env });
  const sender = String(child.pid);
  onStart(sender);
  let stderr = '';
  let cause: Death['cause'] = 'itself';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });

  const goal = reached().writes + (doom?.writes ?? Number.POSITIVE_INFINITY);
  let dueAt = Number.POSITIVE_INFINITY;
  let heard = { requests: -1, at: performance.now() };
  const watch = () => {
    const { requests, writes } = reached();
    const now = performance.now();
    if (requests !== heard.requests) heard = { requests, at: now };
    if (writes >= goal && dueAt === Number.POSITIVE_INFINITY) dueAt = now + (doom?.ms ?? 0);
    if (now >= dueAt) kill('killed');
    else if (now > heard.at + patience) kill('hung');
  };
  const watching = setInterval(watch, 1);

  return new Promise((resolve) => {
    child.once('exit', () => {
      clearInterval(watching);
      onEnd(sender);
    });
    child.once('close', (code) => resolve({ code, cause, stderr }));
  });

  function kill(why: 'killed' | 'hung'): void {
    if (child.exitCode !== null || cause !== 'itself') return;
    cause = why;
    child.kill('SIGKILL');
    onEnd(sender);
  }
}
