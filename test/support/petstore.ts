import { setMaxListeners } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { test as base, expect } from 'vitest';
import type { Context, Output, Send, WireAnswer, WireRequest } from '../../src/context.ts';
import { stateFiles } from '../../src/disk/state-files.ts';
import { readEnvironment } from '../../src/node/node-context.ts';
import { run } from '../../src/run.ts';
import { createState, type SandboxState } from '../../src/sandbox/sandbox-state.ts';
import { createSandbox } from '../../src/sandbox/server.ts';
import { answer } from '../../src/sandbox/service.ts';
import { fileCell } from '../../src/store/file-cell.ts';
import { type Clock, createClock } from './clock.ts';
import { noteCommands } from './last-commands.ts';
import { type Line, wordsOf } from './line.ts';
import { brokenPromises } from './promises.ts';

export { expect } from 'vitest';

export const testKey = 'test-key-0123456789abcdef';
/** Variables of a run without a key, or without a base URL too. */
export const noKey = { PETSTORE_API_KEY: undefined };
export const noEnv = { ...noKey, PETSTORE_BASE_URL: undefined };

/** An answer in place of the sandbox's own; 'stall' never comes. `forward` lets the sandbox do its work all the same. */
export type Reaction =
  | Response
  | Error
  | 'stall'
  | ((request: WireRequest, forward: () => Promise<WireAnswer>) => Promise<WireAnswer>);

/** The sandbox of a test: its state, the requests that reached it, and reactions in place of its next answers. */
type TestSandbox = SandboxState & {
  readonly requests: WireRequest[];
  readonly reactions: Reaction[];
  /** Gives the reaction to a request if none is left in `reactions`. */
  react: (request: WireRequest) => Reaction | undefined;
  /** Is awaited before the last check of each request. */
  connect: (request: WireRequest) => Promise<void>;
};

export type RunOptions = {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly stdin?: string;
  /** A terminal of that many columns on stdout and stderr. */
  readonly columns?: number;
  readonly signal?: AbortSignal;
  readonly context?: Partial<Context>;
  /** Texts besides the key of the test that no output may have. */
  readonly secrets?: readonly string[];
};

type Result = {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  /** stdout read as JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: a test knows what it reads
  readonly json: any;
  /** stderr read as one JSON object a line. */
  readonly events: () => readonly Record<string, unknown>[];
};

export type Fixtures = {
  clock: Clock;
  /** A folder of this test alone. */
  folder: string;
  sandbox: TestSandbox;
  /** The way to the sandbox, without reactions. */
  forward: Send;
  /** Runs the whole program in memory, and expects what holds for every run. */
  petstore: (line: Line, options?: RunOptions) => Promise<Result>;
};

export const test = base.extend<Fixtures>({
  clock: ({}, use) => use(createClock()),

  folder: async ({ clock }, use) => {
    const folder = mkdtempSync(join(tmpdir(), 'petstore-test-'));
    await use(folder);
    // What still waits would write into it again.
    clock.stop();
    // Windows removes no open files, and no process has ended here to close them.
    await rm(folder, { recursive: true });
  },

  sandbox: ({}, use) =>
    use({
      ...createState({ categories: [] }),
      requests: [],
      reactions: [],
      react: () => undefined,
      connect: async () => {},
    }),

  forward: ({ clock, sandbox }, use) => use(forwardTo(sandbox, clock)),

  petstore: async ({ clock, folder, forward, sandbox, onTestFailed }, use) => {
    const note = noteCommands({ onTestFailed });
    /** Processes: each run is one, unless the test says otherwise. */
    const started = new Set<number>();
    const running: number[] = [];
    await use(async (line, options = {}) => {
      const argv = wordsOf(line);
      const { env, stdin = '', columns, context, secrets = [] } = options;
      const { signal = new AbortController().signal } = options;
      const owner = context?.owner ?? { pid: 4242 + started.size, host: 'here', born: 'once' };
      started.add(owner.pid);
      running.push(owner.pid);
      // As in a real run: each request in flight listens to it.
      setMaxListeners(0, signal);
      const stdout = recordOutput(columns);
      const stderr = recordOutput(columns);
      const command = note({ argv, stderr: stderr.text });
      const exitCode = await run(argv, {
        stdin: Readable.from([stdin]),
        stdout,
        stderr,
        env: readEnvironment(
          {
            PETSTORE_BASE_URL: 'http://127.0.0.1:4010/v1',
            PETSTORE_API_KEY: testKey,
            PETSTORE_CONFIG_DIR: join(folder, 'config'),
            PETSTORE_STATE_DIR: join(folder, 'state'),
            ...env,
          },
          context?.platform ?? 'linux',
        ),
        platform: 'linux',
        nodeVersion: 'v20.19.0',
        uid: process.getuid?.(),
        home: folder,
        now: clock.now,
        uptime: clock.uptime,
        boot: 'this-one',
        sleep: clock.sleep,
        yieldToIo: async () => {},
        random: () => 0.5,
        signal,
        onWarning: () => {},
        askSecret: unexpected('a prompt'),
        askLine: unexpected('a prompt'),
        confirm: unexpected('a prompt'),
        launch: unexpected('a program'),
        capture: unexpected('a program'),
        openEngine: unexpected('an engine'),
        stateFiles,
        fileCell,
        self: ['node', 'petstore'],
        owner,
        isRunning: ({ pid }) => !started.has(pid) || running.includes(pid),
        ...context,
        send: obeySignal(context?.send ?? sendTo(sandbox, forward, clock)),
      }).finally(() => running.splice(running.indexOf(owner.pid), 1));
      command.exit = exitCode;
      const ended = { exitCode, stdout: stdout.text(), stderr: stderr.text() };
      // These end as a program or a shell needs it, or write elsewhere.
      const isOther = /^(?:sandbox|completion)/.test(argv[0] ?? '') || context?.stderr;
      const broken = isOther ? [] : brokenPromises(ended, [testKey, ...secrets]);
      expect(broken, argv.join(' ')).toEqual([]);
      const events = () =>
        ended.stderr
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line));
      // Vitest reads each property of the object itself for a diff, and no stdout but JSON is read as such.
      const json: PropertyDescriptor = { get: () => JSON.parse(ended.stdout) };
      return Object.assign(Object.create(Object.create(null, { json })), ended, { events });
    });
  },
});

/** Stands for what a test in memory has not, unless it brings it. */
function unexpected(what: string): () => Promise<never> {
  return () => Promise.reject(new Error(`unexpected in this test: ${what}`));
}

function recordOutput(columns: number | undefined): Output & { text: () => string } {
  const chunks: string[] = [];
  const output = outputTo(async (text) => void chunks.push(text), columns);
  return { ...output, text: () => chunks.join('') };
}

/** Returns a stream for the context: a pipe, or a terminal of that many columns. */
export function outputTo(write: Output['write'], columns?: number): Output {
  return { write, isTTY: columns !== undefined, columns, stream: undefined };
}

/** Returns a transport to the sandbox without a network. The clock stands still until a response is read. */
function forwardTo(sandbox: TestSandbox, clock: Clock): Send {
  const respond = createSandbox({
    key: testKey,
    now: clock.service,
    answer: (request) => answer(sandbox, request),
  });
  return async ({ onSent, method, url, headers, body = '' }) => {
    onSent();
    const path = url.pathname + url.search;
    const head = { method, url: path, headers: { ...headers, host: url.host } };
    const { body: text, ...rest } = await respond(head, async () => Buffer.from(body));
    return wireAnswer(new Response(text, rest), clock.hold());
  };
}

/** Of one run. A request that is withdrawn each time would be sent for ever while no time passes. */
const maxAttempts = 5_000;

/** Ends a scripted response when the signal of its request is aborted, as the transport does. */
function obeySignal(send: Send): Send {
  let attempts = 0;
  return async (request) => {
    const { signal } = request;
    attempts += 1;
    if (attempts > maxAttempts) throw new Error('this run sends without end');
    signal.throwIfAborted();
    const aborted = new Promise<never>((_, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason)),
    );
    aborted.catch(() => {});
    const answer = await Promise.race([send(request), aborted]);
    return { ...answer, body: untilAborted(answer.body, aborted) };
  };
}

async function* untilAborted(
  body: AsyncIterable<Uint8Array>,
  aborted: Promise<never>,
): AsyncGenerator<Uint8Array> {
  const chunks = body[Symbol.asyncIterator]();
  for (;;) {
    const chunk = await Promise.race([chunks.next(), aborted]);
    if (chunk.done) return;
    yield chunk.value;
  }
}

/** Returns the transport of a test: scripted reactions first, then the sandbox. */
function sendTo(sandbox: TestSandbox, forward: Send, clock: Clock): Send {
  return async (request) => {
    await sandbox.connect(request);
    await request.lastCheck?.();
    sandbox.requests.push(request);
    const reaction = sandbox.reactions.shift() ?? sandbox.react(request);
    if (reaction === 'stall') {
      request.onSent();
      return silence;
    }
    if (reaction instanceof Error) throw reaction;
    if (typeof reaction === 'function') return reaction(request, () => forward(request));
    if (!reaction) {
      // What was ended before is not sent.
      request.signal.throwIfAborted();
      return forward(request);
    }
    request.onSent();
    // It may be given again.
    return wireAnswer(reaction.clone(), clock.hold());
  };
}

/** Stands for what never comes: a response, or the rest of a body. */
export const silence = new Promise<never>(() => {});

function wireAnswer(response: Response, release: () => void): WireAnswer {
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: (async function* () {
      try {
        yield new Uint8Array(await response.arrayBuffer());
      } finally {
        release();
      }
    })(),
  };
}

/** Returns a response for `reactions`. */
export function reply(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return new Response(text, {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  });
}

/** Returns an error of the network with the system's code. */
export function networkError(code: string): Error {
  return Object.assign(new Error(code), { code });
}
