import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { expect, launcher, test } from '../support/program.ts';

const MiB = 1024 * 1024;
const notePeak = resolve('test/bench/import/peak.cjs');
const key = 'the-key-of-this-test';

/** Makes a file that long of one piece, and of a hole where that is undefined: a hole reads as zeros. */
function fill(path: string, length: number, piece?: string): void {
  if (piece === undefined) {
    truncateSync(path, length);
    return;
  }
  const block = Buffer.from(piece.repeat(Math.ceil(MiB / piece.length)));
  for (let left = length; left > 0; left -= block.length) appendFileSync(path, block);
}

const old = `{"k":"unsent","id":"a.1","at":${Date.now()}}\n`;
const fillings = [
  { what: '2 GB of zeros', length: 2_000 * MiB },
  { what: 'line ends', length: 100 * MiB, piece: '\n' },
  { what: 'old lines', length: 100 * MiB, piece: old },
  { what: 'one line without end', length: 100 * MiB, piece: 'x' },
];

describe('a file that is far too long', () => {
  let server: Server;
  let url: string;
  let waits = false;
  beforeAll(async () => {
    server = createServer((_, answer) => {
      if (waits) answer.writeHead(429, { 'retry-after': '3600' }).end();
      else answer.writeHead(200, { 'content-type': 'application/json' }).end('[]');
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    url = `http://127.0.0.1:${(server.address() as { port: number }).port}/v1`;
  });
  afterAll(() => server.close());

  type Execute = (
    program: string,
    args: readonly string[],
    options: { env: Record<string, string> },
  ) => Promise<{ code: number | NodeJS.Signals | null; stdout: string; stderr: string }>;

  /** The end of a run, and the most memory that it took, in MiB. */
  async function run(execute: Execute, folder: string, argv: readonly string[]) {
    const env = {
      PETSTORE_BASE_URL: url,
      PETSTORE_API_KEY: key,
      PETSTORE_CONFIG_DIR: join(folder, 'config'),
      PETSTORE_STATE_DIR: join(folder, 'state'),
      PETSTORE_BENCH_PEAK: join(folder, 'peak'),
    };
    const words = ['--require', notePeak, launcher, ...argv];
    const ended = await execute(process.execPath, words, { env });
    return { ...ended, peak: Number(readFileSync(env.PETSTORE_BENCH_PEAK, 'utf8')) / 1024 };
  }

  test.for(fillings)(
    'in the place of the shared log, with $what, is passed over within 100 MB',
    async ({ length, piece }, { execute, folder }) => {
      const list = ['categories', 'list', '--max-wait', '0'];
      waits = false;
      await run(execute, folder, list);
      const limits = join(folder, 'state', 'limits');
      const [log = ''] = readdirSync(limits).filter((name) => name.endsWith('.log'));
      writeFileSync(join(limits, log), '');
      fill(join(limits, log), length, piece);

      const results = [await run(execute, folder, list), await run(execute, folder, ['limits'])];

      for (const { code, peak } of results) {
        expect(code).toBe(0);
        expect(peak).toBeLessThan(100);
      }
    },
  );

  test.for(fillings)(
    'that was the shared log, and then got $what, tells of the wait that was in it',
    async ({ length, piece }, { execute, folder }) => {
      const list = ['categories', 'list', '--max-wait', '0'];
      waits = true;
      await run(execute, folder, list);
      waits = false;
      const limits = join(folder, 'state', 'limits');
      const [log = ''] = readdirSync(limits).filter((name) => name.endsWith('.log'));
      fill(join(limits, log), length, piece);

      for (let times = 0; times < 2; times += 1) {
        const { code, peak } = await run(execute, folder, list);
        expect(code).toBe(75);
        expect(peak).toBeLessThan(100);
      }
    },
  );

  test.for([
    { file: 'config/settings.json', argv: ['config', 'list'], code: 2, says: 'larger than 1 MiB' },
    {
      file: 'key',
      argv: ['categories', 'list', '--api-key-file', 'FOLDER/key'],
      code: 2,
      says: 'larger than 64 KiB',
    },
    {
      file: 'config/keys/production.json',
      argv: ['auth', 'status', '--profile', 'production'],
      code: 2,
      says: 'larger than 64 KiB',
    },
    {
      file: 'body',
      argv: ['api', 'POST', '/x', '--data', '@FOLDER/body'],
      code: 2,
      says: 'NUL byte',
    },
    {
      file: 'rows.csv',
      argv: ['categories', 'import', 'FOLDER/rows.csv', '--yes'],
      code: 2,
      says: 'NUL byte',
    },
    {
      file: 'data.json',
      argv: ['sandbox', '--data', 'FOLDER/data.json', '--', 'true'],
      code: 2,
      says: 'larger than 96 MiB',
      most: 256,
    },
    { file: 'state/limits/salt', argv: ['categories', 'list'], code: 0, says: '' },
  ])(
    'in the place of $file is refused in words, or passed over',
    async ({ file, argv, code, says, most = 100 }, { execute, folder }) => {
      waits = false;
      const path = join(folder, file);
      for (const part of ['config', 'config/keys', 'state', 'state/limits']) {
        mkdirSync(join(folder, part), { mode: 0o700 });
      }
      writeFileSync(path, '', { mode: 0o600 });
      fill(path, 3_000 * MiB);

      const words = argv.map((word) => word.replace('FOLDER', folder));
      const ended = await run(execute, folder, words);

      expect(ended).toMatchObject({ code, stderr: expect.stringContaining(says) });
      expect(ended.peak).toBeLessThan(most);
    },
  );
});
