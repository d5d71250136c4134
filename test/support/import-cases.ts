import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { createKillable, type KillPlan } from './killable.ts';
import type { Line } from './line.ts';
import {
  test as base,
  type Fixtures,
  networkError,
  type Reaction,
  type RunOptions,
  silence,
} from './petstore.ts';
import { stateFiles } from './state-files.ts';
import { never } from './told.ts';
import { interrupted, type Send, type WireAnswer, type WireRequest } from './values.ts';

/** A file of three new categories. */
export const three = 'name,description\ndog,Barks\ncat,\nemu,Runs\n';
export const apply = ['--yes', '--json'];
export const patient = ['--max-wait', 'inf'];

export type Run = ReturnType<Fixtures['petstore']>;
/** What becomes of a create. */
export type Create = Extract<Reaction, (...args: never) => unknown>;

export type ProcessOptions = KillPlan & {
  /** What becomes of a create of cat. */
  readonly create?: Create | undefined;
  /** Kills the process ten seconds after it sent that. */
  readonly isKilled?: boolean;
  /** Presses Ctrl-C so long after its start. */
  readonly ctrlCAfterMs?: number | undefined;
  readonly host?: string;
};

type Imports = {
  /** Imports a text as `pets.csv`. */
  importText: (text: string, flags?: readonly string[], options?: RunOptions) => Run;
  /** Runs a command as a process of its own, which may be killed. Those before it have ended; those of other hosts seem to run. */
  runProcess: (line: Line, options?: ProcessOptions) => Promise<EndedProcess>;
};

type EndedProcess = {
  /** Undefined for a process that was killed. */
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  /** The lists and the names that it sent, and how long after its start. */
  readonly sent: readonly string[];
  readonly firstSentMs: number;
  readonly lastedMs: number;
};

export const test = base.extend<Imports>({
  importText: ({ petstore, folder }, use) =>
    use((text, flags = apply, options) =>
      petstore(['categories', 'import', put(folder, text), ...flags], options),
    ),

  runProcess: async ({ petstore, clock, forward }, use) => {
    let pid = 0;
    await use(async (line, { create, isKilled, ctrlCAfterMs, host = 'here', ...plan } = {}) => {
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
        if (isKilled) void clock.sleep(10_000, never).then(kill);
        return create ? create(request, () => forward(request)) : forward(request);
      };
      const { context, death, kill } = createKillable(clock, send, { fullFor: 1, ...plan });
      const ctrlC = new AbortController();
      const { signal } = ctrlC;
      if (ctrlCAfterMs !== undefined) {
        void clock.sleep(ctrlCAfterMs, signal).then(() => ctrlC.abort(interrupted(130)));
      }
      const run = petstore(line, { signal, context: { ...context, owner, isRunning } });
      const ended = await Promise.race([run, death]);
      const { exitCode, stdout, stderr } =
        ended === 'dead' ? { exitCode: undefined, stdout: '', stderr: '' } : ended;
      return { exitCode, stdout, stderr, sent, firstSentMs, lastedMs: clock.uptime() - start };
    });
  },
});

/** A terminal at which somebody answers the question. */
export const atTerminal = (confirm: (question: string) => Promise<boolean>, text = '') => ({
  columns: 100,
  context: { confirm, stdin: Object.assign(Readable.from([text]), { isTTY: true }) },
});

/** Returns a file of so many new categories: pet 0, pet 1 … */
export function pets(count: number): string {
  return ['name', ...Array.from({ length: count }, (_, n) => `pet ${n}`)].join('\n');
}

/** Writes the file to be imported, and returns its path. */
export function put(folder: string, text: string, name = 'pets.csv'): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

export function namesIn({ categories }: Pick<Fixtures['sandbox'], 'categories'>): string[] {
  return categories.map(({ name }) => name).sort();
}

/** Returns the names of the creates that arrived. */
export function creates({ requests }: Fixtures['sandbox']): string[] {
  const posts = requests.filter(({ method }) => method === 'POST');
  return posts.map(({ body = '{}' }) => JSON.parse(body).name);
}

export function methods({ requests }: Fixtures['sandbox']): string {
  return requests.map(({ method }) => method).join(' ');
}

/** Returns the files of a test's state folder that tell what was created. */
export function ledgerFiles(folder: string): string[] {
  return stateFiles(folder)
    .filter(({ path }) => /[/\\]ledger[/\\]/.test(path))
    .map(({ path }) => path);
}

/** Reacts to the first creation of one category. */
export function reactTo(
  name: string,
  reaction: Reaction,
): (request: WireRequest) => Reaction | undefined {
  let left = 1;
  return ({ method, body = '' }) => {
    if (method !== 'POST' || JSON.parse(body).name !== name || left === 0) return undefined;
    left -= 1;
    return reaction;
  };
}

/** Never arrives, and the connection breaks. */
export async function cutBefore(request: WireRequest): Promise<never> {
  request.onSent();
  throw networkError('ECONNRESET');
}

/** Is carried out, and the connection breaks. */
export async function cutAfter(
  _request: WireRequest,
  forward: () => Promise<WireAnswer>,
): Promise<never> {
  for await (const _ of (await forward()).body);
  throw networkError('ECONNRESET');
}

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
