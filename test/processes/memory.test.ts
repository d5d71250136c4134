import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe } from 'vitest';
import { body, endless, say, status } from '../hostile/answers.ts';
import { brokenPromises, canary } from '../hostile/invariants.ts';
import { type HostileServer, startHostileServer } from '../hostile/server.ts';
import { expect, launcher, test } from './program.ts';

const most = 256 * 1024;
/** Writes the most memory the process ever had, in KiB, to a file when it ends. */
const notePeak = `data:text/javascript,import{writeFileSync}from'node:fs';process.on('exit',()=>writeFileSync(process.env.PEAK,String(process.resourceUsage().maxRSS)))`;

const head = (first: string) => `HTTP/1.1 ${first}\r\ncontent-type: application/json\r\n`;
const piece = Buffer.alloc(65_536, '{"id":1,"name":"dog"},');
const page = '<html>'.repeat(100_000_000 / 6);

/** The built program in a process of its own, whose memory is its own too. */
describe('an answer that is too much', () => {
  let server: HostileServer;
  beforeAll(async () => {
    server = await startHostileServer();
  });
  afterAll(() => server.close());

  test.for([
    { what: 'a list without end', react: endless(`${head('200 OK')}\r\n[`, piece) },
    {
      what: 'a text without end',
      react: endless(`${head('200 OK')}\r\n["`, Buffer.alloc(65_536, 'x')),
    },
    {
      what: 'a length beyond all bounds',
      react: endless(`${head('200 OK')}content-length: 999999999999\r\n\r\n[`, piece),
    },
    {
      what: 'chunks without end',
      react: endless(
        `${head('200 OK')}transfer-encoding: chunked\r\n\r\n`,
        Buffer.from('8\r\n[[[[[[[[\r\n'.repeat(5_000)),
      ),
    },
    { what: 'a failure with a page of 100 MB', react: status(500, page) },
    { what: 'a failure with a page without end', react: endless(`${head('500 Oops')}\r\n`, piece) },
    { what: 'a header without end', react: endless('HTTP/1.1 200 OK\r\nx: ', piece) },
    { what: 'a reason without end', react: endless('HTTP/1.1 200 ', piece), timeout: '3s' },
    {
      what: 'a gzip bomb',
      react: body(gzipSync(Buffer.alloc(100_000_000)), { 'content-encoding': 'gzip' }),
    },
    {
      what: 'a nesting without end',
      react: say(
        () => `${head('200 OK')}content-length: 40000000\r\n\r\n${'['.repeat(40_000_000)}`,
      ),
    },
  ])('$what: exit 5 within 256 MB', async ({ react, timeout = '50s' }, { execute, folder }) => {
    const PEAK = join(folder, 'peak');
    const env = { PETSTORE_BASE_URL: server.play(react).url, PETSTORE_API_KEY: canary, PEAK };
    const args = ['--import', notePeak, launcher, 'categories', 'list', '--timeout', timeout];

    const { code: exitCode, stdout, stderr } = await execute(process.execPath, args, { env });

    const broken = brokenPromises({ exitCode, stdout, stderr }, false, folder);
    expect({ exitCode, stdout, broken }).toEqual({ exitCode: 5, stdout: '', broken: [] });
    expect(Number(readFileSync(PEAK, 'utf8'))).toBeLessThan(most);
  });
});
