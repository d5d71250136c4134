import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { constants } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { describe } from 'vitest';
import { nodes } from '../support/nodes.ts';
import {
  test as base,
  cleanEnvironment,
  expect,
  launcher,
  silentServer,
} from '../support/program.ts';

const signals = [
  { signal: 'SIGINT', code: 130, word: 'interrupted' },
  { signal: 'SIGTERM', code: 143, word: 'terminated' },
  { signal: 'SIGHUP', code: 129, word: 'terminated' },
] as const;

/** What the service does with a request; none is held back for later. */
type Answer = 'none' | ((response: ServerResponse, body: string) => unknown);
/** A service that gives one answer after another, and the last one to all that comes then. */
type Serve = (...answers: Answer[]) => Promise<Service>;

type Service = {
  readonly url: string;
  /** Resolves when so many requests have come. */
  readonly asked: (count: number) => Promise<void>;
  /** The moments at which they came, in ms. */
  readonly moments: number[];
  /** Those that were not answered. */
  readonly held: ServerResponse[];
};

type Program = {
  readonly child: ChildProcess;
  /** What it has said so far. */
  readonly said: () => { readonly stdout: string; readonly stderr: string };
  readonly ended: Promise<number | NodeJS.Signals | null>;
};

type Start = (
  args: readonly string[],
  url: string,
  options?: {
    /** What runs it, where that is not the test itself. */
    readonly command?: readonly string[];
    /** Nobody reads its result. */
    readonly unread?: boolean;
  },
) => Program;

const test = base.extend<{ serve: Serve; start: Start }>({
  // biome-ignore lint/correctness/noEmptyPattern: how a fixture without others begins
  serve: async ({}, use) => {
    const closers: (() => void)[] = [];
    await use(async (...answers) => {
      const { service, close } = await openService(answers);
      closers.push(close);
      return service;
    });
    for (const close of closers) close();
  },

  start: async ({ folder }, use) => {
    const programs: Program[] = [];
    await use((args, url, { command = petstore(args), unread = false } = {}) => {
      const env = {
        ...cleanEnvironment(folder),
        PETSTORE_BASE_URL: url,
        PETSTORE_API_KEY: 'any-key-at-all',
        TERM: 'xterm',
      };
      const [file = '', ...rest] = command;
      const program = watch(spawn(file, rest, { env, cwd: folder }), unread);
      programs.push(program);
      return program;
    });
    for (const { child } of programs) child.kill('SIGKILL');
  },
});

const petstore = (args: readonly string[]) => [process.execPath, launcher, ...args];

function watch(child: ChildProcess, unread: boolean): Program {
  const chunks = { stdout: '', stderr: '' };
  child.stderr?.on('data', (text) => {
    chunks.stderr += text;
  });
  if (!unread) {
    child.stdout?.on('data', (text) => {
      chunks.stdout += text;
    });
  }
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) => {
    child.once(unread ? 'exit' : 'close', (code, name) => resolve(code ?? name));
  });
  return { child, said: () => chunks, ended };
}

async function openService(answers: readonly Answer[]) {
  const moments: number[] = [];
  const held: ServerResponse[] = [];
  const server = createServer(async (request, response) => {
    // Who was killed while sending has sent nothing that could be answered.
    const body = await text(request).catch(() => undefined);
    if (body === undefined) return;
    moments.push(performance.now());
    const answer = answers[Math.min(moments.length, answers.length) - 1];
    if (answer === 'none') held.push(response);
    else answer?.(response, body);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  const asked = (count: number) => until(() => moments.length >= count);
  const service: Service = { url: `http://127.0.0.1:${port}/v1`, asked, moments, held };
  return { service, close: () => server.close().closeAllConnections() };
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await pause(5);
}

const says =
  (text: string) =>
  ({ said }: Program) =>
    until(() => said().stderr.includes(text));

/** Linux tells which files a process waits for. */
const readsStdin = ({ child: { pid } }: Program) =>
  until(() => {
    const folder = `/proc/${pid}/fdinfo`;
    return readdirSync(folder).some((fd) => /^tfd: +0 /m.test(readIfThere(join(folder, fd))));
  });

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}) =>
  (response: ServerResponse) =>
    response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify(body));
const created = (id: number) => json(201, { id, name: `pet-${id}` });
const cut: Answer = (response) => response.destroy();
const manyRows = Array.from({ length: 20_000 }, (_, id) => ({ id, name: `category ${id}` }));
const usedUp = (): Answer => (response) => {
  const reset = Math.ceil(Date.now() / 1_000) + 60;
  const limit = { limit: '60', remaining: '0', reset: `${reset}` };
  const headers = Object.entries(limit).map(([name, value]) => [`x-ratelimit-${name}`, value]);
  json(200, [], Object.fromEntries(headers))(response);
};

/** Creates what it is asked for; while it is deaf every other row, and it answers none. */
function openShop() {
  const names: string[] = [];
  const state = { deaf: true };
  let rows = 0;
  const answer: Answer = (response, body) => {
    if (body === '') {
      const list = names.map((name, id) => ({ id, name }));
      json(200, list)(response);
      return;
    }
    rows += 1;
    if (state.deaf && rows % 2 === 0) return;
    const { name } = JSON.parse(body);
    const id = names.push(name) - 1;
    if (!state.deaf) json(201, { id, name })(response);
  };
  return { names, state, answer };
}

const rowsOf = (count: number) =>
  `name\n${Array.from({ length: count }, (_, id) => `pet-${id}\n`).join('')}`;

/** Runs a command of the system as a terminal does, and writes the process id into a file. */
function onTerminal(args: readonly string[], after?: string): string[] {
  const words = petstore(args)
    .map((word) => `'${word}'`)
    .join(' ');
  // Where something comes after it, the shell has to outlive the terminal.
  const run = after === undefined ? `exec ${words}` : `trap : HUP; ${words}; ${after}`;
  return ['script', '-qefc', `stty columns 100; echo $$ > pid; ${run}`, '/dev/null'];
}

function expectTerminalAsBefore(shown: string): void {
  expect(shown.lastIndexOf('\u001b[?25h')).toBeGreaterThanOrEqual(shown.lastIndexOf('\u001b[?25l'));
}

const questions = [
  { place: 'at the question for a key', argv: ['auth', 'login'], asks: 'API key for' },
  {
    place: 'at the question whether to go on',
    argv: ['categories', 'import', 'pets.csv'],
    asks: '(y/N)',
  },
];

type Stage = {
  readonly stage: string;
  readonly argv: readonly string[];
  readonly answers?: readonly Answer[];
  /** Resolves when the command has come to this stage. */
  readonly there: (program: Program, service: Service) => Promise<unknown>;
  /** What it says in the end; WORD is how the signal is called. */
  readonly last: string;
};

const stages: Stage[] = [
  {
    stage: 'a list is on its way',
    argv: ['categories', 'list'],
    there: (_, { asked }) => asked(1),
    last: 'petstore: WORD\n',
  },
  {
    stage: 'it waits after a 429',
    argv: ['categories', 'create', 'emu'],
    answers: [json(429, '', { 'retry-after': '60' })],
    there: says('rate limit exceeded (429), next request in'),
    last: 'petstore: WORD\nThe service responded with 429; nothing has been sent since.\n',
  },
  {
    stage: 'it waits for the limit',
    argv: ['categories', 'create', 'emu', '--if-missing'],
    answers: [usedUp()],
    there: says('rate limit reached (60/min), next request in'),
    last: 'petstore: WORD\nNothing was sent.\n',
  },
  {
    stage: 'it waits before another attempt',
    argv: ['categories', 'list'],
    answers: [json(503, '', { 'retry-after': '60' })],
    there: says('the service is unavailable, next request in'),
    last: 'petstore: WORD\n',
  },
  {
    stage: 'it waits to look for what it may have created',
    argv: ['categories', 'create', 'emu'],
    answers: [cut],
    there: says('1 outcome unknown'),
    last: 'It may have been created.\n',
  },
];

const stagesOfStdin: Stage[] = [
  { argv: ['categories', 'list', '--api-key-file', '-'], stage: 'it reads the key' },
  { argv: ['auth', 'login'], stage: 'it reads the key to keep' },
  { argv: ['categories', 'import', '-', '--format', 'csv', '--yes'], stage: 'it reads the rows' },
].map((stage) => ({ ...stage, there: readsStdin, last: 'petstore: WORD\n' }));

describe.each(nodes)('SIGUSR1 on %s', (node) => {
  test('opens no port of a debugger, and the run goes on', async ({ serve, start }) => {
    const again = json(503, '', { 'retry-after': '1' });
    const service = await serve(again, json(200, [{ id: 1, name: 'dog' }]));
    const args = ['categories', 'list', '-o', 'ndjson', '-q'];
    const program = start(args, service.url, { command: [node, launcher, ...args] });
    await service.asked(1);
    program.child.kill('SIGUSR1');

    expect(await program.ended).toBe(0);
    expect(program.said()).toEqual({ stdout: '{"id":1,"name":"dog"}\n', stderr: '' });
  });

  test('ends a program that petstore runs, as by default', async ({ execute }) => {
    const argv = [launcher, 'sandbox', '--', 'sh', '-c', 'kill -USR1 $$; sleep 60'];

    expect((await execute(node, argv)).code).toBe(128 + constants.signals.SIGUSR1);
  });
});

describe.for(signals)('$signal', ({ signal, code, word }) => {
  const reading = existsSync('/proc/self/fdinfo') ? stagesOfStdin : [];

  test.concurrent.for([...stages, ...reading])(
    `while $stage: exit ${code} at once, and nothing more is sent`,
    async ({ argv, answers = ['none'], there, last }, { serve, start }) => {
      const service = await serve(...answers);
      const program = start(argv, service.url);
      await there(program, service);
      const before = service.moments.length;
      program.child.kill(signal);

      expect(await program.ended).toBe(code);
      expect(program.said().stdout).toBe('');
      expect(program.said().stderr).toContain(last.replace('WORD', word));
      expect(service.moments).toHaveLength(before);
    },
  );

  test.concurrent(`during limits --watch: exit ${code}, which is its normal end`, async ({
    serve,
    start,
  }) => {
    const service = await serve('none');
    const program = start(['limits', '--watch', '-o', 'ndjson'], service.url);
    await until(() => program.said().stdout.endsWith('}\n'));
    program.child.kill(signal);

    expect(await program.ended).toBe(code);
    expect(program.said().stderr).toBe('');
    expect(service.moments).toHaveLength(0);
  });

  test.concurrent(`while the api-key-command runs: exit ${code} at once, and it is ended`, async ({
    serve,
    start,
    folder,
  }) => {
    const { url } = await serve('none');
    const config = join(folder, '.config', 'petstore');
    mkdirSync(config, { recursive: true, mode: 0o700 });
    const key = 'echo $$ > started; exec sleep 60';
    const settings = { profiles: { work: { 'base-url': url, 'api-key-command': key } } };
    writeFileSync(join(config, 'settings.json'), JSON.stringify(settings), { mode: 0o600 });
    const started = () => readIfThere(join(config, 'started')).trim();
    const program = start(['categories', 'list', '-p', 'work'], url);
    await until(() => started() !== '');
    program.child.kill(signal);

    expect(await program.ended).toBe(code);
    expect(program.said()).toEqual({ stdout: '', stderr: `petstore: ${word}\n` });
    // Z: it has ended, and nobody has asked how.
    await until(() => !/\) [^Z]/.test(readIfThere(`/proc/${started()}/stat`)));
  });

  test.concurrent(`while it connects: exit ${code} at once`, async ({ start }) => {
    const silent = await silentServer();
    const program = start(['categories', 'create', 'emu'], `https://127.0.0.1:${silent.port}/v1`);
    await silent.asked;
    program.child.kill(signal);

    expect(await program.ended).toBe(code);
    expect(program.said()).toEqual({
      stdout: '',
      stderr: `petstore: ${word}\nNothing was sent.\n`,
    });
    silent.close();
  });

  test.concurrent(`while nobody reads what it prints and says: exit ${code}`, async ({
    serve,
    start,
  }) => {
    const service = await serve(json(200, manyRows));
    const args = ['categories', 'list', '-o', 'ndjson'];
    const command = ['sh', '-c', 'exec "$@" 2>&1', 'sh', ...petstore(args)];
    const program = start(args, service.url, { command, unread: true });
    // Something has come, and no more is taken than fits into the pipe.
    await new Promise((resolve) => program.child.stdout?.once('readable', resolve));
    program.child.kill(signal);

    expect(await program.ended).toBe(code);
  });

  test.concurrent(`while a create is on its way: its answer is waited for, exit ${code}`, async ({
    serve,
    start,
  }) => {
    const service = await serve('none');
    const program = start(['categories', 'create', 'emu', '--json'], service.url);
    await service.asked(1);
    program.child.kill(signal);
    await pause(100);
    for (const response of service.held) json(201, { id: 7, name: 'emu' })(response);

    expect(await program.ended).toBe(code);
    expect(JSON.parse(program.said().stdout)).toEqual({ id: 7, name: 'emu' });
  });

  test.concurrent(`while rows are on their way: no more are sent, and what became of all is said, exit ${code}`, async ({
    serve,
    start,
    folder,
  }) => {
    const service = await serve(json(200, []), 'none');
    writeFileSync(join(folder, 'pets.csv'), rowsOf(12));
    const program = start(['categories', 'import', 'pets.csv', '--yes', '--json'], service.url);
    await service.asked(9);
    program.child.kill(signal);
    await pause(100);
    for (const [id, response] of service.held.entries()) created(id)(response);

    expect(await program.ended).toBe(code);
    expect(service.moments).toHaveLength(9);
    expect(JSON.parse(program.said().stdout)).toMatchObject({ counts: { created: 8, left: 4 } });
    expect(program.said().stderr).toContain('Run the same command again to resume.');
  });

  test.concurrent.for(questions)(
    `$place: exit ${code}, and the terminal is as before`,
    { tags: ['script'] },
    async ({ argv, asks }, { serve, start, folder }) => {
      const service = await serve(json(200, []));
      writeFileSync(join(folder, 'pets.csv'), rowsOf(1));
      const program = start(argv, service.url, { command: onTerminal(argv) });
      await until(() => program.said().stdout.includes(asks));
      process.kill(Number(readFileSync(join(folder, 'pid'), 'utf8')), signal);

      expect(await program.ended).toBe(code);
      expectTerminalAsBefore(program.said().stdout);
      expect(program.said().stdout).toContain(`petstore: ${word}`);
    },
  );
});

describe('a terminal', { tags: ['script'] }, () => {
  test.concurrent.for([
    ...questions,
    {
      place: 'while it waits',
      argv: ['categories', 'list'],
      asks: 'Next request in',
    },
  ])(
    'is as before after Ctrl-C $place, exit 130',
    async ({ argv, asks }, { serve, start, folder }) => {
      const service = await serve(
        argv.includes('list') ? json(429, '', { 'retry-after': '60' }) : json(200, []),
      );
      writeFileSync(join(folder, 'pets.csv'), rowsOf(1));
      const program = start(argv, service.url, { command: onTerminal(argv) });
      await until(() => program.said().stdout.includes(asks));
      program.child.stdin?.write('\u0003');

      expect(await program.ended).toBe(130);
      expectTerminalAsBefore(program.said().stdout);
    },
  );

  test.concurrent.for(questions)(
    'that ends its input with Ctrl-D $place: as Ctrl-C, exit 130',
    async ({ argv, asks }, { serve, start, folder }) => {
      const service = await serve(json(200, []));
      writeFileSync(join(folder, 'pets.csv'), rowsOf(1));
      const program = start(argv, service.url, { command: onTerminal(argv) });
      await until(() => program.said().stdout.includes(asks));
      program.child.stdin?.write('\u0004');

      expect(await program.ended).toBe(130);
      expectTerminalAsBefore(program.said().stdout);
      expect(program.said().stdout).toContain('petstore: interrupted');
    },
  );

  test.concurrent('that goes away at a question: exit 129, and no core is dumped', async ({
    serve,
    start,
    folder,
  }) => {
    const { url } = await serve('none');
    const argv = ['auth', 'login'];
    const program = start(argv, url, { command: onTerminal(argv, 'echo $? > ended') });
    await until(() => program.said().stdout.includes('API key for'));
    program.child.kill('SIGKILL');

    await until(() => readIfThere(join(folder, 'ended')).endsWith('\n'));
    expect(readFileSync(join(folder, 'ended'), 'utf8')).toBe('129\n');
  });
});

describe.each(nodes)('Ctrl-Break on Windows, which is SIGBREAK there, on %s', (node) => {
  test('ends an import as Ctrl-C does: exit 130, and it can be resumed', async ({
    serve,
    start,
    folder,
  }) => {
    const service = await serve(json(200, []), 'none');
    writeFileSync(join(folder, 'pets.csv'), rowsOf(12));
    // No other system sends it.
    const hook = "process.on('SIGUSR2', () => process.emit('SIGBREAK', 'SIGBREAK'));";
    writeFileSync(join(folder, 'break.cjs'), hook);
    const argv = ['categories', 'import', 'pets.csv', '--yes', '--json'];
    const command = [node, '--require', './break.cjs', launcher, ...argv];
    const program = start(argv, service.url, { command });
    await service.asked(9);
    program.child.kill('SIGUSR2');
    await pause(100);
    for (const [id, response] of service.held.entries()) created(id)(response);

    expect(await program.ended).toBe(130);
    expect(JSON.parse(program.said().stdout)).toMatchObject({ counts: { created: 8, left: 4 } });
    expect(program.said().stderr).toContain('Run the same command again to resume.');
  });
});

describe('a second signal', () => {
  test.concurrent.for([
    { first: 'SIGINT', second: 'SIGINT' },
    { first: 'SIGINT', second: 'SIGTERM' },
    { first: 'SIGHUP', second: 'SIGINT' },
  ] as const)(
    '$second after $first ends an import at once, and it loses nothing by that',
    async ({ first, second }, { serve, start, folder }) => {
      const { names, state, answer } = openShop();
      const service = await serve(answer);
      writeFileSync(join(folder, 'pets.csv'), rowsOf(12));
      const argv = ['categories', 'import', 'pets.csv', '--yes', '--settle', '100ms', '-q'];
      const program = start(argv, service.url);
      await service.asked(9);
      program.child.kill(first);
      await pause(300);
      expect(program.child.exitCode).toBeNull();
      program.child.kill(second);
      expect(await program.ended).toBe(second);
      expect(names).toHaveLength(4);

      state.deaf = false;
      expect(await start(argv, service.url).ended).toBe(0);
      expect(names.toSorted()).toEqual(rowsOf(12).trim().split('\n').slice(1).toSorted());
    },
  );
});

describe('a process that is stopped while it waits', () => {
  test.concurrent.for([
    { when: 'is over', stopped: 5_500 },
    { when: 'is not over', stopped: 500 },
  ])(
    'and goes on when the told time $when sends nothing early, and ends',
    async ({ stopped }, { serve, start }) => {
      // Of a wait of 2 s a slow machine may leave too little to be shown.
      const service = await serve(json(429, '', { 'retry-after': '3' }), json(200, []));
      const program = start(['categories', 'list', '--json'], service.url);
      await says('"reason":"429"')(program);
      program.child.kill('SIGSTOP');
      await pause(stopped);
      const before = service.moments.length;
      program.child.kill('SIGCONT');

      expect(await program.ended).toBe(0);
      expect(before).toBe(1);
      const [refused = 0, next = 0] = service.moments;
      expect(next - refused).toBeGreaterThanOrEqual(3_000);
    },
  );
});
