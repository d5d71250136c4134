import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { describe } from 'vitest';
import { cleanEnvironment, expect, launcher, test } from '../support/program.ts';

describe('a process that is killed while its request is on its way', () => {
  test('keeps nobody waiting', async ({ folder, petstore }) => {
    let requests = 0;
    let arrive = () => {};
    const arrived = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    const server = createServer((_, response) => {
      requests += 1;
      if (requests === 1) return arrive();
      response.setHeader('content-type', 'application/json').end('[]');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const env = {
      PETSTORE_BASE_URL: `http://127.0.0.1:${port}/v1`,
      PETSTORE_API_KEY: 'any-key-at-all',
    };
    const killed = spawn(process.execPath, [launcher, 'categories', 'list'], {
      env: { ...cleanEnvironment(folder), ...env },
    });
    await arrived;
    killed.kill('SIGKILL');

    const { code } = await petstore(['categories', 'list', '--max-wait', '5s'], { env });

    expect(code).toBe(0);
    server.close();
    server.closeAllConnections();
  });
});
