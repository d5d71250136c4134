import { createKillable } from './killable.ts';
import { test as base, silence } from './petstore.ts';
import { interrupted, type Send, type WireAnswer, type WireRequest } from './values.ts';

/** What becomes of a create. */
export type Create = (
  request: WireRequest,
  forward: () => Promise<WireAnswer>,
) => Promise<WireAnswer>;

type Options = {
  /** What becomes of a create of cat. */
  readonly create?: Create | undefined;
  /** Kills the process ten seconds after it sent that. */
  readonly isKilled?: boolean;
  /** Kills it at that step. */
  readonly diesAt?: number;
  /** Its disk is full at that step. */
  readonly fullAt?: number;
  /** Presses Ctrl-C so long after its start. */
  readonly interruptedAt?: number | undefined;
  readonly host?: string;
};

export type ImportRun = {
  /** Undefined for a process that was killed. */
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  /** The lists and the names that it sent, and how long after its start. */
  readonly sent: readonly string[];
  readonly firstSentMs: number;
  readonly lastedMs: number;
};

const killed = { exitCode: undefined, stdout: '', stderr: '' };

export type ImportRuns = {
  /** Runs a command as a process of its own, which may be killed. Those before it have ended; those of other hosts seem to run. */
  runProcess: (argv: readonly string[], options?: Options) => Promise<ImportRun>;
};

export const test = base.extend<ImportRuns>({
  runProcess: async ({ petstore, clock, forward }, use) => {
    let pid = 0;
    await use(async (argv, { create, isKilled, interruptedAt, host = 'here', ...plan } = {}) => {
      pid += 1;
      const owner = { pid, host };
      const isRunning = (of: typeof owner) => (of.host === host ? of.pid === owner.pid : undefined);
      const start = clock.uptime();
      const sent: string[] = [];
      let firstSentMs = Number.NaN;
      const send: Send = (request) => {
        const { name = 'list' } = JSON.parse(request.body ?? '{}');
        if (sent.push(name) === 1) firstSentMs = clock.uptime() - start;
        if (name !== 'cat') return forward(request);
        if (isKilled) void clock.sleep(10_000, new AbortController().signal).then(() => kill());
        return create ? create(request, () => forward(request)) : forward(request);
      };
      const { context, death, kill } = createKillable(clock, send, { ...plan, fullFor: 1 });
      const ctrlC = new AbortController();
      const { signal } = ctrlC;
      if (interruptedAt !== undefined) {
        void clock.sleep(interruptedAt, signal).then(() => ctrlC.abort(interrupted(130)));
      }
      const run = petstore(argv, { signal, context: { ...context, owner, isRunning } });
      const ended = await Promise.race([run, death]);
      const { exitCode, stdout, stderr } = ended === 'dead' ? killed : ended;
      return { exitCode, stdout, stderr, sent, firstSentMs, lastedMs: clock.uptime() - start };
    });
  },
});

/** Never arrives, and nothing comes back. */
export function vanish(request: WireRequest): Promise<never> {
  request.onSent();
  return silence;
}

/** Is carried out, and nothing comes back. */
export async function createSilently(
  _request: WireRequest,
  forward: () => Promise<WireAnswer>,
): Promise<never> {
  for await (const _ of (await forward()).body);
  return silence;
}
