import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { constants } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe } from 'vitest';
import { listen } from '../support/ports.ts';
import { expect, launcher, type Running, test, until } from '../support/program.ts';
import type { Action, Arrival, Service } from '../support/service.ts';

const interrupt = ['SIGINT', 130, 'interrupted'] as const;
const terminate = ['SIGTERM', 143, 'terminated'] as const;

const create = ['categories', 'create', 'emu'];
const importFile = ['categories', 'import', 'pets.csv', '--yes'];

const rowsOf = (count: number) =>
  `name\n${Array.from({ length: count }, (_, id) => `pet-${id}\n`).join('')}`;

const refuseFor = (seconds: number): Action => ({
  status: 429,
  headers: { 'retry-after': String(seconds) },
  body: '[]',
});
const silence = (): Action => 'silence';

/** Linux tells which files a process waits for. */
const readsStdin = ({ child: { pid } }: Running) =>
  until(() => {
    const folder = `/proc/${pid}/fdinfo`;
    return readdirSync(folder).some((fd) => /^tfd: +0 /m.test(readIfThere(join(folder, fd))));
  });

/** Resolves when the program has taken notice of a first signal: from then on it catches none. Linux tells that. */
async function noticed({ child: { pid } }: Running): Promise<void> {
  if (!existsSync('/proc/self/status')) return pause(300);
  const bit = 1n << BigInt(constants.signals.SIGINT - 1);
  await until(() => {
    const [, caught = '0'] = /^SigCgt:\s*(\w+)/m.exec(readIfThere(`/proc/${pid}/status`)) ?? [];
    return (BigInt(`0x${caught}`) & bit) === 0n;
  });
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** A command, what the service does, when it has come to that stage (or what it says then), and what it says of the data. */
type Stage = readonly [
  name: string,
  words: string,
  react: () => Action,
  there: string | ((program: Running, service: Service) => Promise<unknown>),
  last: string,
];

const plain = 'petstore: WORD\n';
const afterRefusal: Stage = [
  'it waits after a 429',
  'categories create emu',
  () => refuseFor(60),
  'next request in',
  'petstore: WORD\nThe service responded with 429; nothing has been sent since.\n',
];
const stages: Stage[] = [
  afterRefusal,
  ['a list is on its way', 'categories list', silence, (_, { arrived }) => arrived(1), plain],
  [
    'it waits to look for what it may have created',
    'categories create emu',
    () => 'reset',
    '1 outcome unknown',
    'It may have been created.\n',
  ],
];
const stagesOfStdin: Stage[] = [
  ['it reads the key', 'categories list --api-key-file -', silence, readsStdin, plain],
  ['it reads the rows', 'categories import - --format csv --yes', silence, readsStdin, plain],
];

describe.concurrent('a signal', () => {
  const reading = existsSync('/proc/self/fdinfo') ? stagesOfStdin : [];
  const rows = [
    ...[...stages, ...reading].map((stage) => [...interrupt, ...stage] as const),
    [...terminate, ...afterRefusal] as const,
  ];

  test.for(rows)(
    '%s: exit %i, %s at once, while %s',
    async ([signal, code, word, , words, react, there, last], { serve, start }) => {
      const service = await serve({ react });
      const program = start(words.split(' '), { env: service.env, stdin: null });
      await (typeof there === 'string' ? program.says(there) : there(program, service));
      const before = service.requests.length;
      program.child.kill(signal);

      const { code: ended, stdout, stderr } = await program.ended;
      expect([ended, stdout]).toEqual([code, '']);
      expect(stderr).toContain(last.replace('WORD', word));
      expect(service.requests).toHaveLength(before);
    },
  );

  test('while it connects ends it at once', async ({ start }) => {
    // It never reads, not even the beginning of TLS.
    const server = createServer((socket) => socket.on('error', () => {}));
    const url = `https://127.0.0.1:${await listen(server)}/v1`;
    const env = { PETSTORE_BASE_URL: url, PETSTORE_API_KEY: 'any-key-at-all' };
    const program = start(create, { env });
    await once(server, 'connection');
    server.close();
    program.child.kill('SIGINT');

    const stderr = 'petstore: interrupted\nNothing was sent.\n';
    expect(await program.ended).toEqual({ code: 130, stdout: '', stderr });
  });

  test('while nobody reads what it prints and says ends it at once', async ({ serve, spawn }) => {
    const many = Array.from({ length: 20_000 }, (_, id) => ({ id, name: `category ${id}` }));
    const { env } = await serve({ react: () => ({ status: 200, body: JSON.stringify(many) }) });
    const list = [process.execPath, launcher, 'categories', 'list', '-o', 'ndjson'];
    const both = ['-c', 'exec "$@" 2>&1', 'sh', ...list];
    const program = spawn('sh', both, { env, unread: true });
    // Something has come, and no more is taken than fits into the pipe.
    await new Promise((resolve) => program.child.stdout.once('readable', resolve));
    program.child.kill('SIGINT');

    expect((await program.ended).code).toBe(130);
  });

  test('while a create is on its way: its answer is waited for', async ({ serve, start }) => {
    const service = await serve({ react: () => 'hold' });
    const program = start([...create, '--json'], { env: service.env });
    await service.arrived(1);
    program.child.kill('SIGTERM');
    await noticed(program);
    service.release();

    const { code, stdout } = await program.ended;
    expect([code, JSON.parse(stdout)]).toEqual([143, { id: 1, name: 'emu' }]);
  });

  // Ctrl-Break on Windows is SIGBREAK, which no other system sends.
  const onBreak = "process.on('SIGUSR2', () => process.emit('SIGBREAK', 'SIGBREAK'));";

  test.for([
    ['SIGINT', 'SIGINT', ''],
    ['SIGBREAK', 'SIGUSR2', onBreak],
  ] as const)(
    '%s while rows are on their way: no more are sent, and what became of all is said',
    async ([, signal, hook], { serve, spawn, folder }) => {
      writeFileSync(join(folder, 'pets.csv'), rowsOf(12));
      writeFileSync(join(folder, 'hook.cjs'), hook);
      const react = ({ method }: Arrival) => (method === 'POST' ? 'hold' : 'respond');
      const service = await serve({ react });
      const argv = ['--require', './hook.cjs', launcher, ...importFile, '--json'];
      const program = spawn(process.execPath, argv, { env: service.env });
      await service.arrived(3);
      program.child.kill(signal);
      await noticed(program);
      service.release();

      const { code, stdout, stderr } = await program.ended;
      expect([code, service.requests.length]).toEqual([130, 3]);
      expect(JSON.parse(stdout)).toMatchObject({ counts: { created: 2, left: 10 } });
      expect(stderr).toContain('Run the same command again to resume.');
    },
  );

  test('SIGTERM and then SIGINT end an import at once, and it loses nothing by that', async ({
    serve,
    start,
    folder,
  }) => {
    writeFileSync(join(folder, 'pets.csv'), rowsOf(12));
    // Until the first run has ended it creates every other row, and answers none.
    let creates = 0;
    const isDeaf = () => program.child.exitCode === null && program.child.signalCode === null;
    const react = ({ method }: Arrival): Action => {
      if (method === 'GET' || !isDeaf()) return 'respond';
      creates += 1;
      return creates % 2 === 0 ? 'silence' : 'commit, then silence';
    };
    const service = await serve({ react });
    const argv = [...importFile, '--settle', '100ms', '-q'];
    const program = start(argv, { env: service.env });
    await service.arrived(3);
    program.child.kill('SIGTERM');
    await noticed(program);
    expect(isDeaf()).toBe(true);
    program.child.kill('SIGINT');
    expect((await program.ended).code).toBe('SIGINT');
    const { categories } = service.state;
    expect(categories).toHaveLength(1);

    expect((await start(argv, { env: service.env }).ended).code).toBe(0);
    const names = categories.map(({ name }) => name);
    expect(names.toSorted()).toEqual(rowsOf(12).trim().split('\n').slice(1).toSorted());
  });

  test('SIGUSR1 opens no port of a debugger, and the run goes on', async ({ serve, start }) => {
    const react = (_: Arrival, count: number) => (count === 1 ? refuseFor(1) : 'respond');
    const service = await serve({ react, isFilled: true });
    const list = ['categories', 'list', '-o', 'raw', '--query', '[0].name', '-q'];
    const program = start(list, { env: service.env });
    await service.arrived(1);
    program.child.kill('SIGUSR1');

    expect(await program.ended).toEqual({ code: 0, stdout: 'dog\n', stderr: '' });
  });
});

describe.concurrent('a terminal', { tags: ['script'] }, () => {
  const atKey = ['at the question for a key', 'auth login', 'API key for'] as const;
  const atPlan = ['at the question for a yes', 'categories import pets.csv', '(y/N)'] as const;
  const inWait = ['while it waits', 'categories list', 'next request in'] as const;
  const keys = { 'Ctrl-C': '\u0003', 'Ctrl-D': '\u0004' };

  test.for([
    ['SIGTERM', ...atKey, 143, 'terminated'],
    ['SIGHUP', ...inWait, 129, 'hung up'],
    ['Ctrl-C', ...atKey, 130, 'interrupted'],
    ['Ctrl-C', ...inWait, 130, 'interrupted'],
    ['Ctrl-D', ...atPlan, 130, 'interrupted'],
  ] as const)(
    'is as before after %s %s',
    async ([end, , words, asks, code, says], { serve, spawn, folder }) => {
      const react = () => (words === 'categories list' ? refuseFor(60) : 'respond');
      const service = await serve({ react });
      const env = { ...service.env, TERM: 'xterm' };
      writeFileSync(join(folder, 'pets.csv'), rowsOf(1));
      const program = spawn('script', onTerminal(words), { env, stdin: null });
      await program.shows(asks);
      if (end in keys) program.child.stdin.write(keys[end as keyof typeof keys]);
      else process.kill(Number(readIfThere(join(folder, 'pid'))), end);

      const { code: ended, stdout } = await program.ended;
      expect(ended).toBe(code);
      expect(stdout).toContain(`petstore: ${says}`);
      const lastOf = (text: string) => stdout.lastIndexOf(text);
      expect(lastOf('\u001b[?25h')).toBeGreaterThanOrEqual(lastOf('\u001b[?25l'));
    },
  );

  test.for([atKey, atPlan])(
    'that goes away %s (%s): exit 129, and no core is dumped',
    async ([, words, asks], { serve, spawn, folder }) => {
      const service = await serve();
      writeFileSync(join(folder, 'pets.csv'), rowsOf(1));
      const argv = onTerminal(words, 'echo $? > ended');
      const env = { ...service.env, TERM: 'xterm' };
      const program = spawn('script', argv, { env, stdin: null });
      await program.shows(asks);
      program.child.kill('SIGKILL');

      await until(() => readIfThere(join(folder, 'ended')).endsWith('\n'));
      expect(readIfThere(join(folder, 'ended'))).toBe('129\n');
    },
  );

  test.for([
    ['Base URL for', 'auth login -p mine', 'https://b.example/v1', 'API key for https://b.example'],
    ['API key for', 'auth login', 'KEY', 'the service accepted the key'],
    ['(y/N)', 'categories import pets.csv', 'y', '1 created'],
  ] as const)(
    'has the question "%s" again after Ctrl-Z and fg',
    async ([asks, words, answer, then], { serve, spawn, folder }) => {
      const { env } = await serve();
      writeFileSync(join(folder, 'pets.csv'), rowsOf(1));
      const { PETSTORE_API_KEY: key = '', PETSTORE_BASE_URL: url } = env;
      const isNew = words.includes('mine');
      const jobs = `set -m; '${process.execPath}' '${launcher}' ${words}; echo stopped; fg`;
      const program = spawn('script', ['-qefc', `bash -c "${jobs}"`, '/dev/null'], {
        env: { ...env, PETSTORE_BASE_URL: isNew ? undefined : url, TERM: 'xterm' },
        stdin: null,
      });
      await program.shows(asks);
      program.child.stdin.write('half\u001a');
      await program.shows(/stopped[\s\S]*\? /);
      program.child.stdin.write(`${answer.replace('KEY', key)}\r`);

      await program.shows(then);
      if (isNew) program.child.stdin.write('\u0003');
      await program.ended;
    },
  );

  test.for(['nohup', 'setsid'])(
    'that goes away does not end what was started with %s',
    async (start, { serve, spawn, folder }) => {
      const react = (_: Arrival, count: number) => (count === 2 ? 'hold' : 'respond');
      const service = await serve({ react });
      writeFileSync(join(folder, 'pets.csv'), rowsOf(9));
      const command = `'${process.execPath}' '${launcher}' ${importFile.join(' ')}`;
      const line = `${start} sh -c "${command} > log 2>&1; echo \\$? > ended"; true`;
      const argv = ['-qefc', line, '/dev/null'];
      const terminal = spawn('script', argv, { env: service.env, stdin: null });
      await service.arrived(2);
      terminal.child.kill('SIGKILL');
      await once(terminal.child, 'exit');
      service.release();

      await until(() => readIfThere(join(folder, 'ended')).endsWith('\n'));
      expect(readIfThere(join(folder, 'ended'))).toBe('0\n');
      expect(service.state.categories).toHaveLength(9);
    },
  );
});

/** The words for `script` that run a command as a terminal does, and write its process id into a file. */
function onTerminal(words: string, after?: string): string[] {
  const command = `'${process.execPath}' '${launcher}' ${words}`;
  // Where something comes after it, the shell has to outlive the terminal.
  const run = after === undefined ? `exec ${command}` : `trap : HUP; ${command}; ${after}`;
  return ['-qefc', `stty columns 100; echo $$ > pid; ${run}`, '/dev/null'];
}
