import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe } from 'vitest';
import { formats } from '../../src/formats.ts';
import { bundle } from '../support/bundle.ts';
import { expect, launcher, test } from '../support/program.ts';
import { body, endless, say, status } from './answers.ts';
import { endings } from './commands.ts';
import type { Meaning } from './fault.ts';
import { type HostileServer, type Reaction, startHostileServer } from './server.ts';

const most = 256 * 1024;
const notePeak = resolve('test/bench/import/peak.cjs');

const head = (first: string) => `HTTP/1.1 ${first}\r\ncontent-type: application/json\r\n`;
const piece = Buffer.alloc(65_536, '{"id":1,"name":"dog"},');
const page = '<html>'.repeat(100_000_000 / 6);

/** The promised status, then `rest` and this piece again and again. */
const endlessly =
  (rest: string, piece: Uint8Array): Reaction =>
  (socket, seen) =>
    endless(`${head(`${seen.status} Fine`)}${rest}`, piece)(socket, seen);

const commands = ['list', 'create', 'rows'] as const;

type Row = {
  what: string;
  react: Reaction;
  means: Meaning;
  timeout?: number;
  /** All of the commands when undefined. */
  only?: readonly (typeof commands | typeof keeping)[number][];
};

/** A list is printed as long as it goes on; these keep all of theirs. */
const keeping = ['create', 'rows', 'diff'] as const;
const elements = Buffer.from('{"id":1,"name":"dog"},'.repeat(3_000));

const rows: readonly Row[] = [
  { what: 'a list without end', react: endlessly('\r\n[', piece), means: 'wrong', only: keeping },
  {
    what: 'a list of categories without end',
    react: endlessly('\r\n[', elements),
    means: 'wrong',
    only: ['diff'],
  },
  {
    what: 'a text without end',
    react: endlessly('\r\n["', Buffer.alloc(65_536, 'x')),
    means: 'wrong',
  },
  {
    what: 'a length beyond all bounds',
    react: endlessly('content-length: 999999999999\r\n\r\n[', piece),
    means: 'wrong',
    only: keeping,
  },
  {
    what: 'chunks without end',
    react: endlessly(
      'transfer-encoding: chunked\r\n\r\n',
      Buffer.from('8\r\n[[[[[[[[\r\n'.repeat(5_000)),
    ),
    means: 'wrong',
  },
  { what: 'a failure with a page of 100 MB', react: status(500, page), means: 'failed' },
  {
    what: 'a failure with a page without end',
    react: endless(`${head('500 Oops')}\r\n`, piece),
    means: 'failed',
  },
  { what: 'a header without end', react: endless('HTTP/1.1 200 OK\r\nx: ', piece), means: 'wrong' },
  {
    what: 'a reason without end',
    react: endless('HTTP/1.1 200 ', piece),
    means: 'slow',
    timeout: 2_000,
  },
  {
    what: 'a gzip bomb',
    react: body(gzipSync(Buffer.alloc(100_000_000)), { 'content-encoding': 'gzip' }),
    means: 'wrong',
  },
  {
    what: 'a nesting without end',
    react: say(
      (seen) =>
        `${head(`${seen.status} Fine`)}content-length: 40000000\r\n\r\n${'['.repeat(40_000_000)}`,
    ),
    means: 'wrong',
  },
];

/** The program in a process of its own, whose memory is its own too. */
describe('an answer that is too much', () => {
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

  const runs = rows.flatMap((row) =>
    (row.only ?? commands).map((name) => [row.what, name, row] as const),
  );
  test.for(runs)(
    '%s: %s keeps its promises within 256 MB',
    async ([, name, { react, means, timeout = 50_000 }], { execute, folder }) => {
      const { url } = server.play(react, { listsWell: name === 'rows' });
      const env = { PETSTORE_BENCH_PEAK: join(folder, 'peak') };
      const argv = ['--require', notePeak, program, name, url, String(timeout)];

      const { stdout } = await execute(process.execPath, argv, { env });

      const { exitCode, broken } = JSON.parse(stdout);
      const { read, create, rows } = endings[means];
      const ends = { list: read, diff: read, create, rows };
      expect({ exitCode, broken }).toEqual({ exitCode: ends[name].exitCode, broken: [] });
      expect(Number(readFileSync(env.PETSTORE_BENCH_PEAK, 'utf8'))).toBeLessThan(most);
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
  test.for(formats)(
    'as %s is printed within 150 MB until it breaks',
    async (format, { execute, folder }) => {
      const server = await startHostileServer();
      const { url } = server.play(manyThousand(700));
      const env = {
        PETSTORE_BASE_URL: url,
        PETSTORE_API_KEY: 'the-key-of-this-test',
        PETSTORE_BENCH_PEAK: join(folder, 'peak'),
      };
      const words = ['--require', notePeak, launcher, 'categories', 'list', '-o', format];
      const command = [process.execPath, ...words].map((word) => `'${word}'`).join(' ');

      const { code, stdout, stderr } = await execute('sh', ['-c', `${command} | wc -l`], { env });
      server.close();

      const [, printed] = /the list is incomplete: (\d+) categories printed/.exec(stderr) ?? [];
      expect(Number(printed)).toBeGreaterThan(690_000);
      expect(Number(stdout)).toBeGreaterThanOrEqual(Number(printed));
      expect(code).toBe(0);
      expect(Number(readFileSync(env.PETSTORE_BENCH_PEAK, 'utf8'))).toBeLessThan(150 * 1024);
    },
  );
});
