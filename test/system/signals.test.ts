import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe } from 'vitest';
import { expect, launcher, type Running, test, until } from '../support/program.ts';
import type { Action, Arrival, Service } from '../support/service.ts';

const run = `'${process.execPath}' '${launcher}'`;
const importFile = 'categories import pets.csv --yes';

type Signal = 'SIGINT' | 'SIGTERM';
/** Resolves when the program has come to that stage. */
type Stage = (program: Running, service: Service) => Promise<unknown>;

describe.concurrent('a signal', () => {
  test.for<[Signal, string, line: string, Stage]>([
    [
      'SIGINT',
      'it waits after a 429',
      'categories create emu',
      ({ says }) => says('next request in'),
    ],
    ['SIGTERM', 'a list is on its way', 'categories list', (_, { arrived }) => arrived(1)],
    ['SIGINT', 'it reads the key', 'orders list --api-key-file -', readsStdin],
    ['SIGTERM', 'it reads the rows', 'categories import - --format csv --yes', readsStdin],
  ])('%s while %s ends it at once', async ([signal, , line, stage], { serve, start }) => {
    const react = ({ method }: Arrival) => (method === 'POST' ? refuseFor(60) : 'silence');
    const service = await serve({ react });
    const program = start(line, { env: service.env, stdin: null });
    await stage(program, service);
    const before = service.requests.length;
    program.child.kill(signal);

    const { code, stdout, stderr } = await program.ended;
    expect([code, stdout]).toEqual([128 + constants.signals[signal], '']);
    expect(stderr).toContain(`petstore: ${signal === 'SIGINT' ? 'interrupted' : 'terminated'}\n`);
    expect(service.requests).toHaveLength(before);
  });

  test('while nobody reads what it prints and says ends it at once', async ({ serve, spawn }) => {
    const many = Array.from({ length: 20_000 }, (_, id) => ({ id, name: `category ${id}` }));
    const { env } = await serve({ react: () => ({ status: 200, body: JSON.stringify(many) }) });
    const both = `exec ${run} categories list -o ndjson 2>&1`;
    const program = spawn('sh', ['-c', both], { env, unread: true });
    // Something has come, and no more is taken than fits into the pipe.
    await new Promise((resolve) => program.child.stdout.once('readable', resolve));
    program.child.kill('SIGINT');

    expect((await program.ended).code).toBe(130);
  });

  test.for([
    ['SIGINT', 'SIGINT', ''],
    // Ctrl-Break on Windows is SIGBREAK, which no other system sends.
    ['SIGBREAK', 'SIGUSR2', "process.on('SIGUSR2', () => process.emit('SIGBREAK', 'SIGBREAK'));"],
  ] as const)(
    '%s while rows are on their way: no more are sent, and what became of all is said',
    async ([, signal, hook], { serve, spawn, folder }) => {
      writeFileSync(join(folder, 'pets.csv'), rowsOf(12));
      writeFileSync(join(folder, 'hook.cjs'), hook);
      const react = ({ method }: Arrival) => (method === 'POST' ? 'hold' : 'respond');
      const service = await serve({ react });
      const argv = ['--require', './hook.cjs', launcher, ...importFile.split(' '), '--json'];
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

  test('SIGTERM and then SIGINT end an import at once', async ({ serve, start, folder }) => {
    writeFileSync(join(folder, 'pets.csv'), rowsOf(12));
    const react = ({ method }: Arrival) => (method === 'POST' ? 'silence' : 'respond');
    const service = await serve({ react });
    const program = start(importFile, { env: service.env });
    await service.arrived(3);
    program.child.kill('SIGTERM');
    await noticed(program);
    expect(program.child.exitCode).toBe(null);
    program.child.kill('SIGINT');

    expect((await program.ended).code).toBe('SIGINT');
  });

  test('SIGUSR1 opens no port of a debugger, and the run goes on', async ({ serve, start }) => {
    const react = (_: Arrival, count: number) => (count === 1 ? refuseFor(1) : 'respond');
    const service = await serve({ react, isFilled: true });
    const program = start('categories get dog -o raw --query name -q --timeout inf', {
      env: service.env,
    });
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
    async ([end, , line, asks, code, says], { serve, spawn, folder }) => {
      const react = () => (line === 'categories list' ? refuseFor(60) : 'respond');
      const { env } = await serve({ react });
      writeFileSync(join(folder, 'pets.csv'), rowsOf(1));
      const program = spawn('script', onTerminal(`echo $$ > pid; exec ${run} ${line}`), {
        env,
        stdin: null,
      });
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

  test('that goes away at a question: exit 129, and no core is dumped', async ({
    serve,
    spawn,
    folder,
  }) => {
    const { env } = await serve();
    // What comes after it needs a shell that outlives the terminal.
    const session = `trap : HUP; ${run} auth login; echo $? > ended`;
    const program = spawn('script', onTerminal(session), { env, stdin: null });
    await program.shows('API key for');
    program.child.kill('SIGKILL');

    await until(() => readIfThere(join(folder, 'ended')) === '129\n');
  });

  test('has its question for a key again after Ctrl-Z and fg, and shows none', async ({
    serve,
    spawn,
  }) => {
    const { env, key } = await serve();
    const jobs = `bash -c "set -m; ${run} auth login; echo stopped; fg"`;
    const program = spawn('script', onTerminal(jobs), { env, stdin: null });
    await program.shows('API key for');
    program.child.stdin.write('half\u001a');
    await program.shows(/stopped[\s\S]*\? /);
    program.child.stdin.write(`${key}\r`);

    const { code, stdout } = await program.ended;
    expect(code).toBe(0);
    expect(stdout).toContain('stored the API key of profile production in');
    expect(stdout).not.toContain(key);
  });

  test('that goes away does not end what was started with nohup', async ({
    serve,
    spawn,
    folder,
  }) => {
    const react = (_: Arrival, count: number) => (count === 2 ? 'hold' : 'respond');
    const service = await serve({ react });
    writeFileSync(join(folder, 'pets.csv'), rowsOf(9));
    const session = `nohup sh -c "${run} ${importFile} > log 2>&1; echo \\$? > ended"; true`;
    const terminal = spawn('script', onTerminal(session), { env: service.env, stdin: null });
    await service.arrived(2);
    terminal.child.kill('SIGKILL');
    await once(terminal.child, 'exit');
    service.release();

    await until(() => readIfThere(join(folder, 'ended')) === '0\n');
    expect(service.state.categories).toHaveLength(9);
  });
});

/** The words for `script` that run this on a terminal. */
function onTerminal(session: string): string[] {
  return ['-qefc', `stty columns 100; export TERM=xterm; ${session}`, '/dev/null'];
}

function rowsOf(count: number): string {
  return `name\n${Array.from({ length: count }, (_, id) => `pet-${id}\n`).join('')}`;
}

function refuseFor(seconds: number): Action {
  return { status: 429, headers: { 'retry-after': String(seconds) }, body: '[]' };
}

/** Linux tells which files a process waits for. */
async function readsStdin({ child: { pid } }: Running): Promise<void> {
  if (!existsSync('/proc/self/fdinfo')) return pause(300);
  await until(() => {
    const folder = `/proc/${pid}/fdinfo`;
    return readdirSync(folder).some((fd) => /^tfd: +0 /m.test(readIfThere(join(folder, fd))));
  });
}

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
