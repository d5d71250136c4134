import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { type Service, startService } from '../bench/service.ts';
import { cleanEnvironment, expect, launcher, test } from '../support/program.ts';

type Row = {
  readonly argv: readonly string[];
  /** What it ends with. */
  readonly code?: number;
  /** All of them. */
  readonly packages: readonly string[];
  /** Sources or rooms of ours, beyond those that nobody may load but who names them, or a file of theirs, in `may`. */
  readonly not?: readonly string[];
  readonly may?: readonly string[];
};

/** What costs much or writes: a command that needs one of them says so. */
const guarded = [
  'src/import/',
  'src/sandbox/',
  'src/settings/save.ts',
  'src/settings/proxy.ts',
  'src/session/key-command.ts',
  'src/node/transport.ts',
  'src/node/tunnel.ts',
  'src/node/tls.ts',
  'src/disk/claim.ts',
  'src/node/programs.ts',
  'src/node/windows-program.ts',
];
const asking = 'src/node/transport.ts';
/** What follows a create whose outcome is unknown: it is there before the create is sent. */
const lookingUp = ['src/import/content.ts', 'src/import/read/faults.ts'];
/** What an import sends and keeps. */
const importing = ['journal', 'send', 'execute'].map((part) => `src/import/${part}.ts`);
const formats = ['table', 'csv', 'tsv', 'yaml', 'raw'].map((format) => `src/output/${format}.ts`);

/** Modules of Node that no command of the table needs. */
const slow = [
  'assert',
  'child_process',
  'http',
  'https',
  'http2',
  'inspector',
  'perf_hooks',
  'tls',
  'worker_threads',
  'zlib',
];

const start = ['commander', 'zod'];
const session = [...start, 'leven'];
const request = [...session, 'undici'];
const framed = [...request, 'cli-table3'];

const rows: readonly Row[] = [
  { argv: ['--version'], packages: [], not: ['src/'] },
  { argv: ['--help'], packages: [], not: ['src/'] },
  { argv: ['categories', '--help'], packages: ['commander'], not: ['src/session/session.ts'] },
  { argv: ['categories', 'list', '--json'], packages: request, may: [asking], not: formats },
  { argv: ['categories', 'list', '-o', 'ndjson'], packages: request, may: [asking], not: formats },
  {
    argv: ['categories', 'list', '--json', '--query', '[].name'],
    packages: [...request, '@jmespath-community/jmespath'],
    may: [asking],
    not: formats,
  },
  { argv: ['categories', 'list'], packages: framed, may: [asking] },
  {
    argv: ['categories', 'ls', '--sort', '-id', '--limit', '2', '--json'],
    packages: request,
    may: [asking],
    not: formats,
  },
  {
    argv: ['categories', 'list', '-o', 'yaml'],
    packages: [...request, 'yaml'],
    may: [asking],
    not: ['compose/', 'parse/'].map((part) => `node_modules/yaml/browser/dist/${part}`),
  },
  {
    argv: ['categories', 'export'],
    packages: request,
    may: [asking, 'src/output/csv.ts'],
    not: formats,
  },
  {
    argv: ['categories', 'export', 'new.ndjson'],
    packages: request,
    may: [asking],
    not: formats,
  },
  {
    argv: ['categories', 'diff', 'pets.ndjson'],
    code: 7,
    packages: framed,
    may: [asking, 'src/import/'],
    not: importing,
  },
  {
    argv: ['categories', 'diff', 'pets.csv', '--json'],
    code: 7,
    packages: [...request, 'csv-parse'],
    may: [asking, 'src/import/'],
    not: [...formats, ...importing],
  },
  {
    argv: ['categories', 'diff', 'pets.yaml', '-o', 'csv'],
    code: 7,
    packages: [...request, 'yaml'],
    may: [asking, 'src/import/', 'src/output/csv.ts'],
    not: [...formats, ...importing],
  },
  { argv: ['categories', 'create', 'ferret'], packages: framed, may: [asking, ...lookingUp] },
  {
    argv: ['categories', 'create', 'ferret', '--if-missing'],
    packages: framed,
    may: [asking, ...lookingUp, 'src/import/', 'src/disk/claim.ts'],
    not: ['src/import/journal.ts', 'src/import/plan.ts', 'src/import/send.ts'],
  },
  // Created above.
  { argv: ['categories', 'get', '1'], packages: framed, may: [asking] },
  {
    argv: ['pets', 'get', '1', '--json'],
    packages: request,
    may: [asking, 'src/disk/claim.ts'],
    not: formats,
  },
  { argv: ['orders', 'list', '--json'], packages: request, may: [asking], not: formats },
  { argv: ['api', 'GET', '/categories'], packages: framed, may: [asking] },
  {
    argv: ['api', 'categories', '-f', 'name=vole', '-F', 'x=1', '-i', '--json'],
    packages: framed,
    may: [asking],
  },
  { argv: ['api', 'categories', '--silent'], packages: framed, may: [asking] },
  {
    argv: ['limits', '--json'],
    packages: session,
    not: [...formats, 'src/commands/limits/watch.ts', 'src/commands/limits/for.ts'],
  },
  {
    argv: ['limits', '--for', '2437', '--json'],
    packages: session,
    may: ['src/import/forecast.ts'],
    not: formats,
  },
  { argv: ['auth', 'status', '--json'], packages: session, not: formats },
  { argv: ['config', 'list', '--json'], packages: session, not: formats },
  { argv: ['profile', 'list', '--json'], packages: session, not: formats },
  { argv: ['config', 'edit', '--help'], packages: session, not: formats },
  { argv: ['config', 'path'], packages: session, not: ['src/commands/kept.ts'] },
  { argv: ['config', 'path', '--all', '--json'], packages: session, not: formats },
  {
    argv: ['reset', '--dry-run', '--json'],
    packages: session,
    may: ['src/disk/claim.ts'],
    not: formats,
  },
  {
    argv: ['config', 'set', 'output', 'json'],
    packages: [...session, 'conf'],
    may: ['src/settings/save.ts', 'src/disk/claim.ts'],
  },
];

describe('a command loads nothing that it does not need', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  test.for(rows.map((row) => [row.argv.join(' '), row] as const))(
    'petstore %s',
    async ([, { argv, code: end = 0, packages, not = [], may = [] }], { execute, folder }) => {
      const env = environment(service, service.key, folder);
      for (const [name, text] of Object.entries(inputs)) writeFileSync(join(folder, name), text);

      const { code } = await execute(process.execPath, [...hook, launcher, ...argv], { env });

      const { sources, modules } = readLoaded(env.PETSTORE_TEST_LOADED);
      const unwanted = [...guarded.filter((room) => !may.includes(room)), ...not];
      expect({
        code,
        packages: packagesOf(sources),
        unwanted: sources.filter(
          (source) => !may.includes(source) && unwanted.some((room) => source.startsWith(room)),
        ),
        slow: slow.filter((name) => modules.includes(name)),
      }).toEqual({ code: end, packages: [...packages].sort(), unwanted: [], slow: [] });
    },
  );

  test('what draws a table is loaded while the answer is on its way, so that it takes no time', async ({
    execute,
    folder,
  }) => {
    const env = environment(service, 'refused-0123456789', folder);

    const args = [...hook, launcher, 'categories', 'list'];
    const { code } = await execute(process.execPath, args, { env });

    const { sources } = readLoaded(env.PETSTORE_TEST_LOADED);
    expect(code).toBe(4);
    expect(sources).toEqual(expect.arrayContaining(['src/output/table.ts', 'src/output/frame.ts']));
  });

  test('what sends a request is loaded while it waits for the limit', async ({
    execute,
    folder,
  }) => {
    const full = await startService({ used: 60 });
    const env = environment(full, full.key, folder);
    const list = ['categories', 'list', '--max-wait'];
    const { code } = await execute(process.execPath, [launcher, ...list, '0'], { env });

    const waiting = spawn(process.execPath, [...hook, launcher, ...list, 'inf'], {
      env: { ...cleanEnvironment(folder), ...env },
    });
    waiting.stderr.once('data', () => waiting.kill('SIGINT'));
    const ended = await new Promise((done) => waiting.once('close', done));

    expect({ code, ended }).toEqual({ code: 75, ended: 130 });
    expect(full.requests).toHaveLength(1);
    expect(readLoaded(env.PETSTORE_TEST_LOADED).sources).toContain(asking);
    full.close();
  });
});

/** Files of what the service does not have. */
const inputs = {
  'pets.yaml': '- name: owl\n',
  'pets.csv': 'name\nowl\n',
  'pets.ndjson': '{"name":"owl"}\n',
};

const hook = ['--require', resolve('test/support/programs/loaded.cjs')];

function environment({ url }: Service, key: string, folder: string) {
  return {
    PETSTORE_BASE_URL: url,
    PETSTORE_API_KEY: key,
    PETSTORE_TEST_LOADED: join(folder, 'loaded.json'),
  };
}

/** What the loaded files were made of, as each built file says itself, and the modules of Node. */
function readLoaded(path: string): { sources: readonly string[]; modules: readonly string[] } {
  const { files, modules } = JSON.parse(readFileSync(path, 'utf8'));
  const sources = files
    .filter((file: string) => file.startsWith(resolve('dist')))
    .flatMap((file: string) => [...readFileSync(file, 'utf8').matchAll(/^\/\/#region (.+)$/gm)])
    .map(([, source]: string[]) => source);
  return { sources, modules };
}

function packagesOf(sources: readonly string[]): readonly string[] {
  const names = sources.map((source) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1]);
  return [...new Set(names.filter((name) => name !== undefined))].sort();
}
