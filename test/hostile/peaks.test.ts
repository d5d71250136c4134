import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll } from 'vitest';
import { test as base, type Ended, expect, launcher } from '../support/program.ts';
import { end, endless, http, type RawService, type React, say, startRaw } from '../support/raw.ts';

type Env = Readonly<Record<string, string>>;

const test = base.extend<{
  /** Runs a command line to its end, its stdout in a pipe, and returns the most memory that it took, too. */
  measure: (line: string, env: Env, pipe?: string) => Promise<Ended & { readonly peakMiB: number }>;
}>({
  measure: ({ execute, folder }, use) =>
    use(async (line, env, pipe = '> /dev/null') => {
      const peak = join(folder, 'peak');
      const peakScript = resolve('test/support/programs/peak.cjs');
      const words = [process.execPath, '--require', peakScript, launcher, ...line.split(' ')];
      const ended = await execute('sh', ['-c', `"$@" ${pipe}`, 'sh', ...words], {
        env: { ...env, PETSTORE_TEST_PEAK: peak },
      });
      return { ...ended, peakMiB: Number(readFileSync(peak, 'utf8')) / 1024 };
    }),
});

let server: RawService;
beforeAll(async () => {
  server = await startRaw();
});
afterAll(() => server.close());
const to = (react: React) => ({
  PETSTORE_BASE_URL: server.at(react).url,
  PETSTORE_API_KEY: 'the-key-of-this-test',
});

const head = (first: string) => `HTTP/1.1 ${first}\r\ncontent-type: application/json\r\n`;
const dogs = (count: number) => Buffer.from('{"id":1,"name":"dog"},'.repeat(count));
const letters = Buffer.alloc(65_536, 'x');
const nesting = `content-length: 40000000\r\n\r\n${'['.repeat(40_000_000)}`;
const post = 'api POST /x --data {}';
const gzipped = { 'content-encoding': 'gzip' };
const bomb = gzipSync(Buffer.alloc(100_000_000));
/** The promised status, then `rest`, and this piece again and again. */
const endlessly = (rest: string, piece: Uint8Array) =>
  endless(({ status }) => `${head(`${status} Fine`)}\r\n${rest}`, piece);

test.for<[string, React, line: string, exitCode: number]>([
  ['a list without end', endlessly('[', dogs(3_000)), 'categories diff dogs.csv', 5],
  ['a text without end', endlessly('["', letters), 'categories list', 5],
  ['a 500 without end', endless(`${head('500 Oops')}\r\n`, letters), 'categories list', 5],
  ['a reason without end', endless('HTTP/1.1 200 ', letters), `${post} --timeout 2s`, 6],
  ['a gzip bomb', say(http(200, bomb, gzipped)), 'categories list --search x', 5],
  ['a nesting without end', say(`${head('200 Fine')}${nesting}`), 'categories list', 5],
])(
  'a response that is too much, %s, is refused within 256 MB',
  async ([, react, line, exitCode], { folder, measure }) => {
    writeFileSync(join(folder, 'dogs.csv'), 'name\ndog\n');

    const run = await measure(`${line} --json --max-wait 0`, to(react));

    expect(run).toMatchObject({ code: exitCode, stdout: '' });
    expect(run.peakMiB).toBeLessThan(256);
  },
);

const nested = Array(686)
  .fill('['.repeat(29) + ']'.repeat(29))
  .join();

/** Those of forty that take most, by what reads them. */
test.for<[shape: string, line: string, text: string]>([
  [
    'an object of 149,000 keys of marks',
    'api GET /x -o json',
    `{${fill((n) => `"${String(n).padStart(50, '\u202e')}":1`, 149_000)}}`,
  ],
  [
    'categories with 20,000 nested values each',
    'categories list -o yaml',
    `[${fill((n) => `{"id":${n},"name":"dog ${n}","x":[${nested}]}`)}]`,
  ],
  [
    'categories with one field of its own each',
    'categories list -o table',
    `[${fill((n) => `{"id":${n},"name":"dog","x${n}":1}`)}]`,
  ],
])('a response of 8 MiB takes less than 384 MB: %s', async ([, line, text], { measure }) => {
  const run = await measure(line, to(say(http(200, text))));

  expect([0, 5], run.stderr).toContain(run.code);
  expect(run.peakMiB).toBeLessThan(384);
});

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

const thousand = '{"id":9007199254740993,"name":"dog","description":"Loyal"},'.repeat(1_000);
/** 700,000 elements, and then the end of the connection. */
const breaksLate: React = (socket) => {
  socket.write(`${head('200 Fine')}\r\n[`);
  const next = (left: number) => {
    if (left === 0) socket.end();
    else socket.write(thousand, () => setImmediate(next, left - 1));
  };
  next(700);
};

test('a list of 40 MB is printed within 150 MB until it breaks', async ({ measure }) => {
  const run = await measure('categories list -o table', to(breaksLate), '| wc -l');

  const [, printed] = /the list is incomplete: (\d+) printed/.exec(run.stderr) ?? [];
  expect(Number(printed)).toBeGreaterThan(690_000);
  expect(Number(run.stdout)).toBeGreaterThanOrEqual(Number(printed));
  expect(run.peakMiB).toBeLessThan(150);
});

test('a long table keeps the cells of its first rows, and not the elements that they come from', async ({
  measure,
}) => {
  const x = 'x'.repeat(900_000);
  const name = 'a name that is a slice of a text';
  const rows = Array.from({ length: 150 }, (_, id) => ({ id, name: `${name} ${id}`, x }));
  const react = end(`${head('200 OK')}\r\n${JSON.stringify(rows)}`);

  const run = await measure('categories list -o table', to(react), '| wc -l');

  expect(Number(run.stdout), run.stderr).toBeGreaterThan(150);
  expect(run.peakMiB).toBeLessThan(250);
});

const description = 'x'.repeat(50);
const objects = (rows: number[], between: string) =>
  rows.map((n) => `{"name":"${n}","description":"${description}"}`).join(between);
const csv = (rows: number[]) =>
  `name,description${rows.map((n) => `\n${n},${description}`).join('')}`;

test.for<[format: string, write: (rows: number[]) => string, place: string]>([
  ['csv', csv, '100002'],
  ['json', (rows) => `[${objects(rows, ',\n')}]`, '100001:1'],
  ['ndjson', (rows) => objects(rows, '\n'), '100001:1'],
])(
  'an import of %s is refused from row 100,001 on, within 200 MB',
  async ([format, write, place], { folder, measure }) => {
    const file = join(folder, `pets.${format}`);
    writeFileSync(file, write([...Array(100_001).keys()]));

    const run = await measure(`categories import ${file} --dry-run --json`, {}, '');

    const message = `${file}:${place}: more than 100,000 rows; the rest was not read`;
    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(JSON.parse(run.stderr)).toMatchObject({ message, outcome: 'not_sent' });
    expect(run.peakMiB).toBeLessThan(200);
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
  const line = 'categories import rows.csv --yes -o json';
  const begun = await measure(line, env);
  [count, status] = [rows.length - 1, 201];

  const run = await measure(line, env);

  expect([begun.code, run.code]).toEqual([7, 0]);
  expect(run.stderr).toContain('"1 to create, 99,998 already there"');
  expect(run.peakMiB).toBeLessThan(600);
});
