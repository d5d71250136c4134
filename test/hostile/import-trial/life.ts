import { spawn } from 'node:child_process';
import type { Random } from '../../support/random.ts';

/** A process is to die that many ms after that many writes of this round have reached the service. */
type Doom = { readonly writes: number; readonly ms: number };

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

type Life = {
  readonly program: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly doom: Doom | undefined;
  /** Returns how many requests, and how many writes among them, reached the service so far. */
  readonly reached: () => { readonly requests: number; readonly writes: number };
};

export type Death = {
  readonly code: number | null;
  readonly cause: 'itself' | 'killed' | 'hung';
  readonly stderr: string;
};

/** The longest time without a request. */
const maxSilenceMs = 60_000;

/** Starts a process and waits for its end, or brings it about. */
export function live({ program, env, doom, reached }: Life): Promise<Death> {
  const [file = '', ...args] = program;
  const child = spawn(file, args, { stdio: ['ignore', 'ignore', 'pipe'], env });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });

  let cause: Death['cause'] = 'itself';
  const goal = reached().writes + (doom?.writes ?? Number.POSITIVE_INFINITY);
  let dueAt = Number.POSITIVE_INFINITY;
  let last = { requests: -1, at: performance.now() };
  const watching = setInterval(() => {
    const { requests, writes } = reached();
    const now = performance.now();
    if (requests !== last.requests) last = { requests, at: now };
    if (writes >= goal) dueAt = Math.min(dueAt, now + (doom?.ms ?? 0));
    if (cause !== 'itself' || child.exitCode !== null) return;
    if (now >= dueAt) cause = 'killed';
    else if (now > last.at + maxSilenceMs) cause = 'hung';
    else return;
    child.kill('SIGKILL');
  }, 1);

  return new Promise((resolve) => {
    child.once('exit', () => clearInterval(watching));
    child.once('close', (code) => resolve({ code, cause, stderr }));
  });
}
