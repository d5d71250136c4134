import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { formats } from '../../src/formats.ts';
import { expect, launcher, test } from '../support/program.ts';
import { categories, lists, wholes } from './shapes.ts';

const MiB = 1024 * 1024;
const most = 256;
const notePeak = resolve('test/bench/import/peak.cjs');

type Row = {
  readonly argv: readonly string[];
  readonly what: string;
  readonly size: number;
  readonly text: (bytes: number) => string;
};

/** All of it takes a quarter of an hour (`.ci/nightly`); else those that took most. */
const all = process.env.PETSTORE_TEST_SHAPES === 'all';
const shown = all ? formats : (['json', 'yaml', 'table'] as const);

const inSizes = (
  argv: readonly string[],
  shapes: typeof lists,
  sizes: readonly number[],
  most: readonly string[],
): Row[] =>
  Object.entries(shapes)
    .filter(([what]) => all || most.includes(what))
    .flatMap(([what, text]) => sizes.map((size) => ({ argv, what, size, text })));

const longest = ['names in Unicode', 'names of 900 KB of marks', 'extra nesting', 'extra numbers'];
const longLists = ['deep nesting', 'wide objects', 'records', 'long texts of marks'];

/** Just below what is decoded all at once, just below what is read whole, and as it comes. */
const rows = [
  ...inSizes(['api', 'GET', '/x'], wholes, [3.99], Object.keys(wholes)),
  ...inSizes(['api', 'GET', '/x'], lists, all ? [0.99, 7.99] : [7.99], longLists),
  ...inSizes(['categories', 'list'], categories, all ? [0.99, 7.99, 24] : [7.99], longest),
  ...inSizes(
    ['categories', 'list', '--sort', 'name'],
    categories,
    [7.99],
    ['extra nesting', 'one field of its own each'],
  ),
];

describe('an answer within the limits, whatever it is made of', () => {
  let server: Server;
  let url: string;
  let body = Buffer.alloc(0);
  beforeAll(async () => {
    server = createServer((_, answer) => {
      answer.writeHead(200, { 'content-type': 'application/json' }).end(body);
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    url = `http://127.0.0.1:${(server.address() as { port: number }).port}/v1`;
  });
  afterAll(() => server.close());

  test.for(rows)(
    '$argv of $size MiB of $what takes less than 256 MB',
    { timeout: 600_000 },
    async ({ argv, size, text }, { execute, folder }) => {
      body = Buffer.from(text(size * MiB));
      const peaks: Record<string, number> = {};
      for (const format of shown) {
        const env = {
          PETSTORE_BASE_URL: url,
          PETSTORE_API_KEY: 'the-key-of-this-test',
          PETSTORE_BENCH_PEAK: join(folder, 'peak'),
        };
        const words = ['--require', notePeak, launcher, ...argv, '-o', format];
        const command = [process.execPath, ...words].map((word) => `'${word}'`).join(' ');

        const { code } = await execute('sh', ['-c', `${command} > /dev/null`], { env });

        expect([0, 5]).toContain(code);
        peaks[format] = Math.round(Number(readFileSync(env.PETSTORE_BENCH_PEAK, 'utf8')) / 1024);
      }
      expect(Object.entries(peaks).filter(([, peak]) => peak >= most)).toEqual([]);
    },
  );
});
