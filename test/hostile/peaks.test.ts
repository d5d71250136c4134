import { mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe } from 'vitest';
import { bundle } from '../support/bundle.ts';
import { test as base, expect, launcher } from '../support/program.ts';
import { isNightly } from '../support/trials.ts';
import { type Format, formats } from '../support/values.ts';
import { body, endless, say, sayAndEnd } from './answers.ts';
import { endings } from './commands.ts';
import type { Meaning } from './fault.ts';
import { type HostileServer, type Reaction, startHostileServer } from './server.ts';

type Run = {
  readonly env?: Readonly<Record<string, string>>;
  /** A shell pipes stdout into it. */
  readonly pipe?: string;
  /** What runs in place of petstore. */
  readonly program?: string;
};
type Measured = {
  readonly code: unknown;
  readonly stdout: string;
  readonly stderr: string;
  readonly peakMiB: number;
};

const test = base.extend<{
  /** Runs petstore to its end, and returns the most memory that it took, too. */
  measure: (argv: readonly string[], run?: Run) => Promise<Measured>;
}>({
  measure: ({ execute, folder }, use) =>
    use(async (argv, { env = {}, pipe = '', program = launcher } = {}) => {
      const peak = join(folder, 'peak');
      const peakScript = resolve('test/support/programs/peak.cjs');
      const words = [process.execPath, '--require', peakScript, program, ...argv];
      const ended = await execute('sh', ['-c', `"$@" ${pipe}`, 'sh', ...words], {
        env: { ...env, PETSTORE_TEST_PEAK: peak },
      });
      return { ...ended, peakMiB: Number(readFileSync(peak, 'utf8')) / 1024 };
    }),
});

const environment = (url: string) => ({
  PETSTORE_BASE_URL: url,
  PETSTORE_API_KEY: 'the-key-of-this-test',
});

let server: HostileServer;
let bundles: string;
let oneRun: string;
beforeAll(async () => {
  server = await startHostileServer();
  bundles = mkdtempSync(join(tmpdir(), 'petstore-peaks-'));
  oneRun = await bundle('test/hostile/one-run.ts', bundles);
});
afterAll(() => {
  server.close();
  rmSync(bundles, { recursive: true });
});

const head = (first: string) => `HTTP/1.1 ${first}\r\ncontent-type: application/json\r\n`;
const piece = Buffer.alloc(65_536, '{"id":1,"name":"dog"},');
const elements = Buffer.from('{"id":1,"name":"dog"},'.repeat(3_000));
const letters = Buffer.alloc(65_536, 'x');
const tooDeep = `content-length: 40000000\r\n\r\n${'['.repeat(40_000_000)}`;
const bomb = gzipSync(Buffer.alloc(100_000_000));

/** The promised status, then `rest`, and this piece again and again. */
const endlessly =
  (rest: string, piece: Uint8Array): Reaction =>
  (socket, seen) =>
    endless(`${head(`${seen.status} Fine`)}${rest}`, piece)(socket, seen);

type Name = 'list' | 'create' | 'rows' | 'diff';
const all: readonly Name[] = ['list', 'create', 'rows'];

/** The first command runs in each run, the others at night. A list is printed for as long as it goes on; not all commands do that. */
const tooMuch: readonly [string, Reaction, expected: Meaning, readonly Name[]][] = [
  ['a list without end', endlessly('\r\n[', piece), 'wrong', ['rows', 'create', 'diff']],
  ['categories without end', endlessly('\r\n[', elements), 'wrong', ['diff']],
  ['a text without end', endlessly('\r\n["', letters), 'wrong', all],
  ['a 500 with a page without end', endless(`${head('500 Oops')}\r\n`, piece), 'failed', all],
  ['a reason without end', endless('HTTP/1.1 200 ', piece), 'slow', ['create', 'list', 'rows']],
  ['a gzip bomb', body(bomb, { 'content-encoding': 'gzip' }), 'wrong', all],
  ['a nesting without end', say((seen) => head(`${seen.status} Fine`) + tooDeep), 'wrong', all],
];
const tooMuchRuns = tooMuch.flatMap(([what, react, expected, names]) =>
  (isNightly ? names : names.slice(0, 1)).map((name) => [what, name, react, expected] as const),
);

test.for(tooMuchRuns)(
  'a response that is too much, %s: %s keeps its promises within 256 MB',
  async ([, name, react, expected], { measure }) => {
    const { url } = server.serveAt(react, { listsWell: name === 'rows' });
    const timeout = expected === 'slow' ? '2000' : '50000';

    const run = await measure([name, url, timeout], { program: oneRun });

    const { exitCode, broken } = JSON.parse(run.stdout);
    const { read, create, rows } = endings[expected];
    const end = { list: read, diff: read, create, rows }[name];
    expect({ exitCode, broken }).toEqual({ exitCode: end.exitCode, broken: [] });
    expect(run.peakMiB).toBeLessThan(256);
  },
);

const wholeFormats: readonly Format[] = isNightly ? formats : ['json', 'yaml', 'table'];
const nested = Array(686)
  .fill('['.repeat(29) + ']'.repeat(29))
  .join();

/** Those of forty that take most, by what reads them. */
test.for<[shape: string, argv: string, text: string]>([
  [
    'an object of 149,000 keys of marks',
    'api GET /x',
    `{${fill((n) => `"${String(n).padStart(50, '\u202e')}":1`, 149_000)}}`,
  ],
  [
    'categories with 20,000 nested values each',
    'categories list',
    `[${fill((n) => `{"id":${n},"name":"dog ${n}","x":[${nested}]}`)}]`,
  ],
  [
    'categories with one field of its own each',
    'categories list',
    `[${fill((n) => `{"id":${n},"name":"dog","x${n}":1}`)}]`,
  ],
])(
  'a response of 8 MiB takes less than 384 MB: %s',
  { timeout: 600_000 },
  async ([, argv, text], { measure }) => {
    const { url } = server.serveAt(body(text));
    for (const format of wholeFormats) {
      const words = [...argv.split(' '), '-o', format];
      const run = await measure(words, { env: environment(url), pipe: '> /dev/null' });

      expect([0, 5], format).toContain(run.code);
      expect(run.peakMiB, format).toBeLessThan(384);
    }
  },
);

/** Returns the first elements, so many or as many as are just below the 8 MiB that are read whole. */
function fill(element: (n: number) => string, maxCount = Number.POSITIVE_INFINITY): string {
  const all: string[] = [];
  for (let length = 0; all.length < maxCount; ) {
    const next = element(all.length);
    length += Buffer.byteLength(next) + 1;
    if (length > 7.99 * 1024 * 1024 - 100) break;
    all.push(next);
  }
  return all.join();
}

const thousand = Buffer.from(
  '{"id":9007199254740993,"name":"dog","description":"Loyal"},'.repeat(1_000),
);
/** 700,000 elements, and then the end of the connection. */
const breaksLate: Reaction = (socket) => {
  socket.write(`${head('200 Fine')}\r\n[`);
  const next = (left: number) => {
    if (left === 0) socket.end();
    else socket.write(thousand, () => setImmediate(next, left - 1));
  };
  next(700);
};

test.for<Format>(isNightly ? formats : ['table'])(
  'a list of 40 MB as %s is printed within 150 MB until it breaks',
  async (format, { measure }) => {
    const { url } = server.serveAt(breaksLate);
    const argv = ['categories', 'list', '-o', format];

    const run = await measure(argv, { env: environment(url), pipe: '| wc -l' });

    const [, printed] = /the list is incomplete: (\d+) categories printed/.exec(run.stderr) ?? [];
    expect(Number(printed)).toBeGreaterThan(690_000);
    expect(Number(run.stdout)).toBeGreaterThanOrEqual(Number(printed));
    expect(run.code).toBe(0);
    expect(run.peakMiB).toBeLessThan(150);
  },
);

test('a long table keeps the cells of its first rows, and not the elements that they come from', {
  timeout: 120_000,
}, async ({ measure }) => {
  const long = 'x'.repeat(900_000);
  const name = 'a name that is a slice of a text';
  const rows = Array.from({ length: 150 }, (_, id) => ({ id, name: `${name} ${id}`, x: long }));
  const { url } = server.serveAt(sayAndEnd(() => `${head('200 OK')}\r\n${JSON.stringify(rows)}`));
  const argv = ['categories', 'list', '-o', 'table'];

  const run = await measure(argv, { env: environment(url), pipe: '| wc -l' });

  expect(run.stderr).toMatch(/^rate limit|^$/);
  expect(Number(run.stdout)).toBeGreaterThan(150);
  expect(run.peakMiB).toBeLessThan(250);
});

const text = 'x'.repeat(50);
const separated = (mark: string) => (rows: number[]) =>
  ['name', 'description'].join(mark) + rows.map((n) => `\n${n}${mark}${text}`).join('');
const objects = (rows: number[]) =>
  rows.map((n) => `{"name":"${n}","description":"${text}"}`).join(',\n');

test.for<[format: string, write: (rows: number[]) => string, place: string]>([
  ['csv', separated(','), '100002'],
  ['tsv', separated('\t'), '100002'],
  ['json', (rows) => `[${objects(rows)}]`, '100001:1'],
  ['ndjson', (rows) => objects(rows).replaceAll('},', '}'), '100001:1'],
])(
  'an import of 100,000 rows of %s takes at most 200 MB, and one row more is refused',
  async ([format, write, place], { folder, measure, serve }) => {
    const { env } = await serve();
    const file = join(folder, `pets.${format}`);
    const run = (rows: number) => {
      writeFileSync(file, write([...Array(rows).keys()]));
      return measure(['categories', 'import', file, '--dry-run', '--json'], { env });
    };

    const { stdout, peakMiB } = await run(100_000);
    expect(JSON.parse(stdout).counts).toEqual({ create: 100_000 });
    expect(peakMiB).toBeLessThan(200);

    const { code, stderr } = await run(100_001);
    const message = `${file}:${place}: more than 100,000 rows; the rest was not read`;
    expect(code).toBe(2);
    expect(JSON.parse(stderr)).toMatchObject({ message, outcome: 'not_sent' });
  },
);

test('the largest import, resumed before its last row, takes less than 600 MB', async ({
  folder,
  measure,
  serve,
}) => {
  const description = 'Loyal, loud and always hungry. '.repeat(10);
  const rows = Array.from({ length: 99_999 }, (_, n) => ({ name: `category ${n}`, description }));
  const lines = rows.map(({ name }) => `${name},"${description}"`);
  writeFileSync(join(folder, 'rows.csv'), ['name,description', ...lines].join('\n'));
  const listed = rows.map((row, n) => JSON.stringify({ id: n + 1, ...row }));
  let count = 0;
  let status = 401;
  const { env } = await serve({
    react({ method }) {
      if (method === 'GET') return { status: 200, body: `[${listed.slice(0, count)}]` };
      if (status === 201) count += 1;
      return { status, body: status === 201 ? (listed[count - 1] ?? '') : '{}' };
    },
  });
  const argv = ['categories', 'import', 'rows.csv', '--yes', '-o', 'json'];
  const begun = await measure(argv, { env });
  [count, status] = [rows.length - 1, 201];

  const run = await measure(argv, { env });

  expect([begun.code, run.code]).toEqual([7, 0]);
  expect(run.stderr).toMatch(/"1 created in \d+s, 99,998 already exist"/);
  expect(run.peakMiB).toBeLessThan(600);
});

describe.runIf(isNightly)('a file of 3 GB', () => {
  test.for<[path: string, argv: string, says: string, maxPeakMiB?: number]>([
    ['config/settings.json', 'config list', 'larger than 1 MiB'],
    ['key', 'categories list --api-key-file FOLDER/key', 'larger than 64 KiB'],
    ['config/keys/production.json', 'auth status --profile production', 'larger than 64 KiB'],
    ['body', 'api POST /x --data @FOLDER/body', 'larger than 8 MiB'],
    ['rows.csv', 'categories import FOLDER/rows.csv --yes', 'larger than 32 MiB'],
    ['data.json', 'sandbox --data FOLDER/data.json -- true', 'larger than 96 MiB', 256],
  ])(
    'in the place of %s is refused in words',
    async ([path, argv, says, maxPeakMiB = 100], { folder, measure }) => {
      mkdirSync(dirname(join(folder, path)), { mode: 0o700, recursive: true });
      writeFileSync(join(folder, path), '', { mode: 0o600 });
      truncateSync(join(folder, path), 3_000 * 1024 * 1024);
      const config = { PETSTORE_CONFIG_DIR: join(folder, 'config') };

      const ended = await measure(argv.replace('FOLDER', folder).split(' '), {
        env: { ...environment('http://127.0.0.1:9/v1'), ...config },
      });

      expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining(says) });
      expect(ended.peakMiB).toBeLessThan(maxPeakMiB);
    },
  );
});
