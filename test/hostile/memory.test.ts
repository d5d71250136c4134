import { appendFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe } from 'vitest';
import { bundle } from '../support/bundle.ts';
import { expect, launcher, test } from '../support/program.ts';
import { isNightly } from '../support/trials.ts';
import { type Format, formats } from '../support/values.ts';
import { body, endless, say, sayAndEnd } from './answers.ts';
import { endings } from './commands.ts';
import type { Meaning } from './fault.ts';
import { runMeasured } from './peak.ts';
import { type HostileServer, type Reaction, startHostileServer } from './server.ts';

const maxPeakMiB = { whole: 256, streamed: 150 };

const head = (first: string) => `HTTP/1.1 ${first}\r\ncontent-type: application/json\r\n`;
const piece = Buffer.alloc(65_536, '{"id":1,"name":"dog"},');
const elements = Buffer.from('{"id":1,"name":"dog"},'.repeat(3_000));
const text = Buffer.alloc(65_536, 'x');
const nesting = `content-length: 40000000\r\n\r\n${'['.repeat(40_000_000)}`;
const bomb = gzipSync(Buffer.alloc(100_000_000));

/** The promised status, then `rest`, and this piece again and again. */
const endlessly =
  (rest: string, piece: Uint8Array): Reaction =>
  (socket, seen) =>
    endless(`${head(`${seen.status} Fine`)}${rest}`, piece)(socket, seen);

type Name = 'list' | 'create' | 'rows' | 'diff';

/** The first command runs in each run, the others at night. A list is printed for as long as it goes on; not all commands do that. */
const rows: readonly [what: string, react: Reaction, expected: Meaning, names: readonly Name[]][] =
  [
    ['a list without end', endlessly('\r\n[', piece), 'wrong', ['rows', 'create', 'diff']],
    ['categories without end', endlessly('\r\n[', elements), 'wrong', ['diff']],
    ['a text without end', endlessly('\r\n["', text), 'wrong', ['list', 'create', 'rows']],
    [
      'a 500 with a page without end',
      endless(`${head('500 Oops')}\r\n`, piece),
      'failed',
      ['list', 'create', 'rows'],
    ],
    ['a reason without end', endless('HTTP/1.1 200 ', piece), 'slow', ['create', 'list', 'rows']],
    [
      'a gzip bomb',
      body(bomb, { 'content-encoding': 'gzip' }),
      'wrong',
      ['list', 'create', 'rows'],
    ],
    [
      'a nesting without end',
      say((seen) => head(`${seen.status} Fine`) + nesting),
      'wrong',
      ['list', 'create', 'rows'],
    ],
  ];

/** The program in a process of its own, whose memory is its own too. */
describe('a response that is too much', () => {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-memory-'));
  let server: HostileServer;
  let program: string;
  beforeAll(async () => {
    server = await startHostileServer();
    program = await bundle('test/hostile/one-run.ts', folder);
  });
  afterAll(() => {
    server.close();
    rmSync(folder, { recursive: true });
  });

  const runs = rows.flatMap(([what, react, expected, names]) =>
    (isNightly ? names : names.slice(0, 1)).map((name) => [what, name, react, expected] as const),
  );
  test.for(runs)(
    '%s: %s keeps its promises within 256 MB',
    async ([, name, react, expected], { execute, folder }) => {
      const { url } = server.serveAt(react, { listsWell: name === 'rows' });
      const timeout = expected === 'slow' ? '2000' : '50000';

      const run = await runMeasured({ execute, folder }, [program, name, url, timeout], {});

      const { exitCode, broken } = JSON.parse(run.stdout);
      const { read, create, rows } = endings[expected];
      const end = { list: read, diff: read, create, rows }[name];
      expect({ exitCode, broken }).toEqual({ exitCode: end.exitCode, broken: [] });
      expect(run.peakMiB).toBeLessThan(maxPeakMiB.whole);
    },
  );
});

const element = '{"id":9007199254740993,"name":"dog","description":"Loyal"},';
const thousand = Buffer.from(element.repeat(1_000));

/** So many thousand elements, and then the end of the connection. */
const manyThousand =
  (count: number): Reaction =>
  (socket) => {
    socket.write(`${head('200 Fine')}\r\n[`);
    const next = (left: number) => {
      if (left === 0) socket.end();
      else socket.write(thousand, () => setImmediate(next, left - 1));
    };
    next(count);
  };

describe('a list of 40 MB', () => {
  test.for<Format>(isNightly ? formats : ['table'])(
    'as %s is printed within 150 MB until it breaks',
    async (format, { execute, folder }) => {
      const server = await startHostileServer();
      const { url } = server.serveAt(manyThousand(700));
      const env = { PETSTORE_BASE_URL: url, PETSTORE_API_KEY: 'the-key-of-this-test' };
      const program = [launcher, 'categories', 'list', '-o', format] as const;

      const run = await runMeasured({ execute, folder }, program, env, '| wc -l');
      server.close();

      const [, printed] = /the list is incomplete: (\d+) categories printed/.exec(run.stderr) ?? [];
      expect(Number(printed)).toBeGreaterThan(690_000);
      expect(Number(run.stdout)).toBeGreaterThanOrEqual(Number(printed));
      expect(run.code).toBe(0);
      expect(run.peakMiB).toBeLessThan(maxPeakMiB.streamed);
    },
  );
});

test('a long table keeps the cells of its first rows, and not the elements that they come from', {
  timeout: 120_000,
}, async ({ execute, folder }) => {
  const long = 'x'.repeat(900_000);
  const body = Array.from(
    { length: 150 },
    (_, id) => `{"id":${id},"name":"a name that is a slice of a text ${id}","x":"${long}"}`,
  ).join();
  const server = await startHostileServer();
  const { url } = server.serveAt(sayAndEnd(() => `${head('200 OK')}\r\n[${body}]`));
  const env = { PETSTORE_BASE_URL: url, PETSTORE_API_KEY: 'the-key-of-this-test' };
  const program = [launcher, 'categories', 'list', '-o', 'table'] as const;

  const run = await runMeasured({ execute, folder }, program, env, '| wc -l');
  server.close();

  expect(run.stderr).toMatch(/^rate limit|^$/);
  expect(Number(run.stdout)).toBeGreaterThan(150);
  expect(run.peakMiB).toBeLessThan(250);
});

test('the largest import, resumed before its last row, takes less than 600 MB', async ({
  execute,
  folder,
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
  const argv = [launcher, 'categories', 'import', 'rows.csv', '--yes', '-o', 'json'] as const;
  const begun = await runMeasured({ execute, folder }, argv, env);
  const imports = join(folder, '.local/state/petstore/imports');
  const created = rows.slice(1).map((_, row) => `{"row":${row},"id":"${row + 1}"}\n`);
  for (const name of readdirSync(imports)) appendFileSync(join(imports, name), created.join(''));
  [count, status] = [created.length, 201];

  const run = await runMeasured({ execute, folder }, argv, env);

  expect([begun.code, run.code]).toEqual([7, 0]);
  expect(run.stderr).toMatch(/"1 created in \d+s, 99,998 created earlier"/);
  expect(run.peakMiB).toBeLessThan(600);
});
