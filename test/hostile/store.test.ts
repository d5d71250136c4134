import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, onTestFinished } from 'vitest';
import type { Engine } from '../../src/context.ts';
import { openEngine } from '../../src/node/engine.ts';
import { parseSharedStore } from '../../src/settings/addresses.ts';
import { createMemoryEngine } from '../support/memory-engine.ts';
import { engines } from '../support/needs.mts';
import { makeAuthority } from '../support/own-authority.ts';
import { test as base, expect } from '../support/program.ts';
import { type Service, startService } from '../support/service.ts';
import { type EngineServer, startEngine } from './engine-server.ts';
import { race } from './race.ts';
import { openSlowWay } from './slow-way.ts';

const password = 'p4ss-w0rd-of-the-store';
const list = ['categories', 'list', '--json'];

for (const [name, program] of Object.entries(engines))
  describe(`${name} as the shared store`, { tags: [name] }, () => {
    const test = base.extend<{
      startStore: (options?: Parameters<typeof startEngine>[2]) => Promise<EngineServer>;
      service: Service;
    }>({
      startStore: ({ folder }, use) =>
        use(async (options) => {
          const server = await startEngine(program, folder, options);
          onTestFinished(() => server.kill());
          return server;
        }),
      service: async ({}, use) => use(await startService()),
    });

    const connect = (url: string): Engine => {
      return openEngine(parseSharedStore(url, 'the test').address);
    };
    const key = () => `petstore:lim:${randomBytes(4).toString('hex')}`;

    test('the script does what tests in memory take it to do', async ({ startStore }) => {
      const server = await startStore();
      const real = connect(server.url);
      const call = fc.record({
        seen: fc.constantFrom('', 'v0', 'v1', 'v2'),
        version: fc.constantFrom('', 'v1', 'v2', 'v3'),
        isFlushed: fc.boolean(),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(call, { maxLength: 60 }), async (calls) => {
          const name = key();
          let time = 0;
          const double = createMemoryEngine(() => time);
          const memory = double.open();
          for (const [n, { seen, version, isFlushed }] of calls.entries()) {
            if (isFlushed) {
              await server.say(`DEL ${name}`);
              double.flush();
            }
            const args = [seen, version, `{"n":${n}}`, '60'];

            const reply = (await real.swap(name, args)) as string[];
            time = Number(reply[0]);
            expect(await memory.swap(name, args)).toEqual(reply);
          }
        }),
        { numRuns: 40 },
      );
    });

    test('a key expires after 25 hours, and contains no API key', async ({
      startStore,
      petstore,
      service,
    }) => {
      const server = await startStore();
      await petstore(list, { env: environment(service, server.url) });

      const names = await server.say('KEYS *');
      const [name = ''] = /petstore:lim:[0-9a-f]{32}(?=\r)/.exec(names) ?? [];
      const seconds = Number((await server.say(`TTL ${name}`)).slice(1));

      expect(names).toMatch(/^\*1\r/);
      expect(seconds).toBeGreaterThan(25 * 3_600 - 60);
      expect(seconds).toBeLessThanOrEqual(25 * 3_600);
      expect(await server.say(`HGETALL ${name}`)).not.toContain(service.key);
    });

    test('a server that was started anew is sent the script again, and known to be another', async ({
      startStore,
    }) => {
      const server = await startStore({ args: ['--save', '3600 1'] });
      const engine = connect(server.url);
      await engine.swap('petstore:lim:x', ['', 'v1', '{}', '60']);
      await server.say('SAVE');
      await server.kill();
      await server.start();

      await expect(engine.swap('petstore:lim:x', ['', '', '', ''])).rejects.toThrow();
      const reply = await engine.swap('petstore:lim:x', ['', '', '', '']);
      expect(reply).toEqual([expect.any(String), 'v1', '{}', 0]);
    });

    const ci = ['--user', 'ci', 'on', `>${password}`, '~petstore:*'];
    const rejected = 'wrong user name or password';
    const denied = 'NOPERM';
    test.for<[what: string, args: string[], login: string, path: string, says: string]>([
      ['a wrong password', ['--requirepass', password], ':wrong-p4ss@', '', rejected],
      ['no password', ['--requirepass', password], '', '', rejected],
      ['a user without the right', [...ci, '+ping'], `ci:${password}@`, '', denied],
      [
        'a user without those of the script',
        [...ci, '+eval'],
        `ci:${password}@`,
        '',
        ' command', // Redis says that it can't run it, Valkey that there are no permissions to.
      ],
      ['a user that is nobody, and no password', [], 'nobody@', '', rejected],
      ['no room left', ['--maxmemory', '1'], '', '', 'OOM command not allowed'],
      ['no such database', [], '', '/99', 'DB index is out of range'],
    ])(
      '%s: one notice, the request is sent all the same, and no secret is said',
      async ([, args, login, path, says], { startStore, petstore, service }) => {
        const { url } = await startStore({ args });
        const env = environment(service, url.replace('//', `//${login}`) + path);

        const { code, stdout, stderr } = await petstore(list, { env });

        const notices = stderr.split('\n').filter((line) => line.includes('"notice"'));
        expect([code, stdout]).toEqual([0, '[]\n']);
        expect(notices).toEqual([expect.stringContaining(says)]);
        expect(stderr).not.toMatch(/p4ss/);
        expect(service.requests).toHaveLength(1);
      },
    );

    test('a user with no more rights than it takes, and a password, can share the limit', async ({
      startStore,
      petstore,
      service,
    }) => {
      const rights = '~petstore:* +eval +evalsha +info +time +hmget +hset +expire +select';
      const { url } = await startStore({
        args: ['--user', 'ci', 'on', `>${password}`, ...rights.split(' ')],
      });
      const env = environment(service, `${url.replace('//', `//ci:${password}@`)}/3`);

      const { code, stderr } = await petstore(list, { env });
      const doctor = await petstore(['doctor', '--json'], { env });

      expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining('notice') });
      expect(doctor.stdout).toContain(' answers');
    });

    test('a server that stands still is given up, and used again when it goes on', async ({
      startStore,
      petstore,
      service,
    }) => {
      const server = await startStore();
      const env = environment(service, server.url);
      await petstore(list, { env });
      server.signal('SIGSTOP');

      const still = await petstore(list, { env });
      server.signal('SIGCONT');
      const again = await petstore(list, { env });

      expect(still).toMatchObject({ code: 0, stderr: expect.stringContaining('timed out') });
      expect(again).toMatchObject({ code: 0, stderr: expect.not.stringContaining('notice') });
    });

    test('Ctrl-C ends a wait at once, also while the server stands still', async ({
      startStore,
      start,
    }) => {
      const server = await startStore();
      const service = await startService({
        react: () => ({ status: 429, headers: { 'retry-after': '1' }, body: '{}' }),
      });
      const env = environment(service, server.url);
      const { child, says, ended } = start([...list, '--max-wait', 'inf'], { env });

      // Its first words are of the wait.
      await says(/./);
      server.signal('SIGSTOP');
      child.kill('SIGINT');

      expect((await ended).code).toBe(130);
    });

    test('TLS: a certificate is accepted only if its authority is known', {
      tags: ['openssl'],
    }, async ({ startStore, petstore, service, folder }) => {
      const authority = makeAuthority(folder);
      const { url } = await startStore({ tls: authority.certify(['IP:127.0.0.1']) });
      const env = { ...environment(service, url), NODE_TLS_REJECT_UNAUTHORIZED: '0' };

      const known = await petstore(list, { env: { ...env, NODE_EXTRA_CA_CERTS: authority.path } });
      const unknown = await petstore(list, { env });

      expect(known.stderr).not.toContain('shared store');
      expect(unknown.code).toBe(0);
      expect(unknown.stderr).toMatch(/shared store .*: unreachable \(\w+\)/);
    });

    test('TLS: a connection that takes more than half a second is used once it stands', {
      tags: ['openssl'],
    }, async ({ startStore, petstore, folder }) => {
      const service = await startService({
        react: (_, count) =>
          count > 1 ? 'respond' : { status: 429, headers: { 'retry-after': '6' }, body: '' },
      });
      const authority = makeAuthority(folder);
      const { url } = await startStore({ tls: authority.certify(['IP:127.0.0.1']) });
      const way = await openSlowWay(Number(new URL(url).port), 160);
      onTestFinished(way.close);
      const store = `rediss://127.0.0.1:${way.port}`;
      const trust = { NODE_EXTRA_CA_CERTS: authority.path };

      const { code, stderr } = await petstore(list, {
        env: { ...environment(service, store), ...trust },
      });
      const limits = await petstore(['limits', '--json', '--verbose'], {
        env: { ...environment(service, url), ...trust, PETSTORE_STATE_DIR: join(folder, 'other') },
      });

      expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining('notice') });
      expect(JSON.parse(limits.stdout).items[0].source).toBe('service');
    });

    test('two machines share a store that replies after 200 ms: no 429, and none goes on alone', async ({
      startStore,
      petstore,
      service,
    }) => {
      const { url } = await startStore({ args: ['--requirepass', password] });
      const way = await openSlowWay(Number(new URL(url).port), 100);
      onTestFinished(way.close);
      const store = `redis://:${password}@127.0.0.1:${way.port}/2`;

      const { code, stderr } = await petstore(list, { env: environment(service, store) });
      const outcome = await race({ machines: 2, store, creates: 24 });

      expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining('notice') });
      expect(outcome).toMatchObject({ ...allThere, refused: 0, requests: 24 });
    });

    test('the store is killed midway and comes back: no ban, at most one 429 for each machine and window', async ({
      startStore,
    }) => {
      const server = await startStore();
      let back: Promise<void> | undefined;

      const outcome = await race({
        machines: 3,
        store: server.url,
        disturb() {
          back = pause(1_500)
            .then(server.kill)
            .then(() => pause(2_500))
            .then(server.start);
        },
      });
      await back;

      expect(outcome).toMatchObject(allThere);
      expect(outcome.refused).toBeLessThanOrEqual(3 * (outcome.span / 3 + 1));
    });
  });

const allThere = { bans: 0, lost: 0, duplicated: 0, failures: [] };

function environment(service: { url: string; key: string }, store: string) {
  return {
    PETSTORE_BASE_URL: service.url,
    PETSTORE_API_KEY: service.key,
    PETSTORE_SHARED_STORE: store,
  };
}
