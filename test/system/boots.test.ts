import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe } from 'vitest';
import { expect, launcher, test } from '../support/program.ts';

/** A service that refuses all with a wait of ten minutes, and counts. */
async function startRefusing() {
  let requests = 0;
  const server = createServer((_request, response) => {
    requests += 1;
    response.writeHead(429, { 'retry-after': '600' }).end();
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  return {
    env: { PETSTORE_BASE_URL: `http://127.0.0.1:${port}/v1`, PETSTORE_API_KEY: 'test-key-01234' },
    requests: () => requests,
    close: () => server.close(),
  };
}

const argv = [launcher, 'categories', 'list', '--max-wait', '0'];

describe('two processes', () => {
  test('of a system that does not name its starts keep a told wait when the clock is set in between', async ({
    execute,
    folder,
  }) => {
    const preload = join(folder, 'no-boot.cjs');
    writeFileSync(
      preload,
      `const fs = require('node:fs'), os = require('node:os');
      const { readFileSync } = fs, { uptime } = os, { now } = Date;
      fs.readFileSync = (path, ...rest) => {
        if (String(path).startsWith('/proc/')) throw Object.assign(new Error(), { code: 'ENOENT' });
        return readFileSync(path, ...rest);
      };
      os.uptime = () => uptime() + 86_400;
      Date.now = () => now() + Number(process.env.AHEAD);`,
    );
    const service = await startRefusing();
    const run = (ahead: number) =>
      execute(process.execPath, ['--require', preload, ...argv], {
        env: { ...service.env, AHEAD: String(ahead) },
      });

    const first = await run(0);
    const second = await run(700_000);
    service.close();

    expect([first.code, second.code]).toEqual([75, 75]);
    expect(service.requests()).toBe(1);
  });

  test('of two containers that share a folder keep a told wait when the clock is set in between', {
    tags: ['unshare'],
  }, async ({ execute, folder }) => {
    const preload = join(folder, 'clock.cjs');
    writeFileSync(
      preload,
      'const { now } = Date; Date.now = () => now() + Number(process.env.AHEAD);',
    );
    const service = await startRefusing();
    const run = (ahead: number) =>
      execute(
        'unshare',
        ['--pid', '--fork', '--mount-proc', process.execPath, '--require', preload, ...argv],
        { env: { ...service.env, AHEAD: String(ahead) } },
      );

    const first = await run(0);
    const second = await run(700_000);
    service.close();

    expect([first.code, second.code]).toEqual([75, 75]);
    expect(service.requests()).toBe(1);
  });
});
