import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { serve } from '@hono/node-server';
import { describe } from 'vitest';
import { createSandboxApp } from '../../src/sandbox/app.ts';
import { plans } from '../../src/sandbox/quota.ts';
import { answer } from '../../src/sandbox/service.ts';
import { sampleState } from '../../src/sandbox/state.ts';
import { test as base, cleanEnvironment, expect, launcher } from '../support/program.ts';

type Service = {
  readonly env: Readonly<Record<string, string>>;
  readonly names: () => string[];
  /** Resolves once so many lists were asked for. */
  readonly listed: (count: number) => Promise<void>;
};

/** The answers of its lists take that long, in ms, and are old when they arrive. */
const listTakes = 500;

/** A service with the limit of Business, so that nothing but the claim makes anybody wait. */
const test = base.extend<{ service: Service }>({
  // biome-ignore lint/correctness/noEmptyPattern: it needs no other fixture
  service: async ({}, use) => {
    const state = { ...sampleState(), categories: [], lastId: 0n };
    let lists = 0;
    const app = createSandboxApp({
      key: 'a-key-of-this-test',
      now: Date.now,
      answer: (request) => answer(state, plans.business, request),
    });
    const fetch = async (request: Request) => {
      const response = await app.fetch(request);
      if (request.method === 'GET') {
        lists += 1;
        await setTimeout(listTakes);
      }
      return response;
    };
    const { server, port } = await new Promise<{ server: Server; port: number }>((resolve) => {
      const server = serve({ fetch, hostname: '127.0.0.1', port: 0 }, (info) =>
        resolve({ server: server as Server, port: info.port }),
      );
    });
    await use({
      env: {
        PETSTORE_BASE_URL: `http://127.0.0.1:${port}/v1`,
        PETSTORE_API_KEY: 'a-key-of-this-test',
      },
      names: () => state.categories.map(({ name }) => name).sort(),
      async listed(count) {
        while (lists < count) await setTimeout(10);
      },
    });
    server.close();
    server.closeAllConnections();
  },
});

const times = <Result>(count: number, make: () => Result) => Array.from({ length: count }, make);
const create = ['categories', 'create', 'ferret', '--if-missing', '--json'];

describe('real processes that create the same names at the same time', () => {
  test('ten creates with --if-missing create one category', async ({ petstore, service }) => {
    await petstore(['categories', 'list'], { env: service.env });

    const results = await Promise.all(times(10, () => petstore(create, { env: service.env })));

    expect(results.map(({ code }) => code)).toEqual(times(10, () => 0));
    expect(service.names()).toEqual(['ferret']);
  });

  test('ten creates with --if-missing create one category in the embedded sandbox', async ({
    petstore,
  }) => {
    const sandbox = ['--profile', 'sandbox'];
    const results = await Promise.all(times(10, () => petstore([...create, ...sandbox])));
    const { stdout } = await petstore(['categories', 'list', '--json', ...sandbox]);

    expect(results.map(({ code }) => code)).toEqual(times(10, () => 0));
    expect(JSON.parse(stdout).filter(({ name }: { name: string }) => name === 'ferret')).toEqual([
      expect.anything(),
    ]);
  });

  test('two imports of different files create each name once', async ({
    petstore,
    service,
    folder,
  }) => {
    await petstore(['categories', 'list'], { env: service.env });
    const files = ['dog\ncat\nemu', 'emu\nfox\ncat\ndog'].map((rows, n) => {
      const path = join(folder, `${n}.csv`);
      writeFileSync(path, `name\n${rows}\n`);
      return path;
    });

    const results = await Promise.all(
      files.map((file) =>
        petstore(['categories', 'import', file, '--yes', '--json'], { env: service.env }),
      ),
    );

    expect(results.map(({ code }) => code)).toEqual([0, 0]);
    expect(service.names()).toEqual(['cat', 'dog', 'emu', 'fox']);
  });

  test('a file that changes while its first import waits for the list creates no name twice', async ({
    petstore,
    service,
    folder,
  }) => {
    await petstore(['categories', 'list'], { env: service.env });
    const path = join(folder, 'pets.csv');
    const argv = ['categories', 'import', path, '--yes', '--json'];
    writeFileSync(path, 'name\ndog\ncat\n');
    const first = petstore(argv, { env: service.env });
    await service.listed(2);
    writeFileSync(path, 'name\ndog\ncat\nfox\n');

    const second = await petstore(argv, { env: service.env });

    expect([(await first).code, second.code]).toEqual([0, 0]);
    expect(service.names()).toEqual(['cat', 'dog', 'fox']);
  });

  test('one that is killed while it holds a name keeps nobody waiting', async ({
    petstore,
    service,
    folder,
  }) => {
    const env = { ...cleanEnvironment(folder), ...service.env };
    const victim = spawn(process.execPath, [launcher, ...create], { env, stdio: 'ignore' });
    const ended = new Promise((resolve) => victim.once('close', resolve));
    await service.listed(1);
    victim.kill('SIGKILL');
    await ended;

    const next = await petstore([...create, '--max-wait', '5s'], { env: service.env });

    expect(next.code).toBe(0);
    expect(service.names()).toEqual(['ferret']);
  });
});
