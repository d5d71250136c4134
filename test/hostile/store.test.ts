import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, onTestFinished } from 'vitest';
import type { Engine } from '../../src/context.ts';
import { storeScript } from '../../src/limit/store-cell.ts';
import { openEngine } from '../../src/node/engine.ts';
import { parseLimitStore } from '../../src/settings/addresses.ts';
import { race } from '../bench/race.ts';
import { type EngineServer, startEngine } from '../support/engine-server.ts';
import { createMemoryEngine } from '../support/memory-engine.ts';
import { engines } from '../support/needs.mts';
import { makeAuthority } from '../support/own-authority.ts';
import { test as base, expect, launcher } from '../support/program.ts';
import { type Service, startService } from '../support/service.ts';
import { openSlowWay } from '../support/slow-way.ts';

const password = 'p4ss-w0rd-of-the-store';
const list = ['categories', 'list', '--json'];

for (const [name, program] of Object.entries(engines))
  describe(`${name} as the limit store`, { tags: [name] }, () => {
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
      const engine = openEngine(parseLimitStore(url, 'the test').address);
      onTestFinished(engine.drop);
      return engine;
    };
    const key = () => `petstore:lim:${randomBytes(4).toString('hex')}`;

    test('the script does what tests in memory take it to do', async ({ startStore }) => {
      const real = connect((await startStore()).url);
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
              await real.run("redis.call('DEL', KEYS[1])", name, []);
              double.flush();
            }
            const args = [seen, version, `{"n":${n}}`, '60'];

            const reply = (await real.run(storeScript, name, args)) as string[];
            time = Number(reply[0]);
            expect(await memory.run(storeScript, name, args)).toEqual(reply);
          }
        }),
        { numRuns: 40 },
      );
    });

    test('its keys go away by themselves after a day and an hour, told anew by each line', async ({
      startStore,
      petstore,
      service,
    }) => {
      const server = await startStore();
      const env = environment(service, server.url);
      await petstore(list, { env });

      const engine = connect(server.url);
      const keys = (await engine.run("return redis.call('KEYS', '*')", 'x', [])) as string[];
      const ttl = await engine.run("return redis.call('TTL', KEYS[1])", keys[0] ?? '', []);

      expect(keys).toEqual([expect.stringMatching(/^petstore:lim:[0-9a-f]{32}$/)]);
      expect(ttl).toBeGreaterThan(25 * 3_600 - 60);
      expect(ttl).toBeLessThanOrEqual(25 * 3_600);
      const all = (await engine.run(
        "return redis.call('HGETALL', KEYS[1])",
        keys[0] ?? '',
        [],
      )) as string[];
      expect(all.join()).not.toContain(service.key);
    });

    test('a server that was started anew is used over a new connection', async ({ startStore }) => {
      const server = await startStore();
      const engine = connect(server.url);
      const call = ['', 'v1', '{}', '60'];
      await engine.run(storeScript, 'petstore:lim:x', call);
      await server.kill();
      await server.start();

      engine.drop();
      const reply = await engine.run(storeScript, 'petstore:lim:x', call);
      expect(reply).toEqual([expect.any(String), 'v1', '']);
    });

    test.for([
      {
        what: 'a wrong password',
        args: ['--requirepass', password],
        login: ':wrong-p4ss@',
        says: 'rejected the user name or password',
      },
      {
        what: 'no password',
        args: ['--requirepass', password],
        login: '',
        says: 'rejected the user name or password',
      },
      {
        what: 'a user without the right',
        args: ['--user', 'ci', 'on', `>${password}`, '~petstore:*', '+ping'],
        login: `ci:${password}@`,
        says: 'denies this user a required command',
      },
      {
        what: 'a user without the rights that the script takes',
        args: ['--user', 'ci', 'on', `>${password}`, '~petstore:*', '+eval'],
        login: `ci:${password}@`,
        says: 'denies this user a required command',
      },
      {
        what: 'a user that is nobody, and no password',
        args: [],
        login: 'nobody@',
        says: 'rejected the user name or password',
      },
      { what: 'no room left', args: ['--maxmemory', '1'], login: '', says: 'is out of memory' },
      {
        what: 'no such database',
        args: [],
        login: '',
        path: '/99',
        says: 'has no database with this number',
      },
    ])(
      '$what: one notice, the request is sent all the same, and no secret is said',
      async ({ args, login, path = '', says }, { startStore, petstore, service }) => {
        const { url } = await startStore({ args });
        const env = environment(service, url.replace('//', `//${login}`) + path);

        const { code, stdout, stderr } = await petstore(list, { env });

        const notices = stderr.split('\n').filter((line) => line.includes('"notice"'));
        expect(code).toBe(0);
        expect(stdout).toContain('[');
        expect(notices).toHaveLength(1);
        expect(notices[0]).toContain(says);
        expect(stderr).not.toMatch(/p4ss/);
        expect(service.requests).toHaveLength(1);
      },
    );

    test('a user with no more rights than it takes, and a password, can share the limit', async ({
      startStore,
      petstore,
      service,
    }) => {
      const rights = '~petstore:lim:* +eval +time +hmget +hset +expire +select';
      const { url } = await startStore({
        args: ['--user', 'ci', 'on', `>${password}`, ...rights.split(' ')],
      });
      const env = environment(service, `${url.replace('//', `//ci:${password}@`)}/3`);

      const { code, stderr } = await petstore(list, { env });
      const doctor = await petstore(['doctor', '--json'], { env });

      expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining('notice') });
      expect(doctor.stdout).toContain(' answers');
    });

    test('an engine that stands still delays no command by more than half a second at each try, and an end by nothing', async ({
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

      expect(still).toMatchObject({
        code: 0,
        stderr: expect.stringContaining('timed out'),
      });
      expect(again).toMatchObject({ code: 0, stderr: expect.not.stringContaining('notice') });
    });

    test.for([{ still: false }, { still: true }])(
      'Ctrl-C ends a wait at once, also while the engine stands still: $still',
      async ({ still }, { startStore, spawn }) => {
        const server = await startStore();
        const service = await startService({
          react: () => ({ status: 429, headers: { 'retry-after': '1' }, body: '{}' }),
        });
        const argv = [launcher, ...list, '--max-wait', 'inf'];
        const env = environment(service, server.url);
        const { child, says, ended } = spawn(process.execPath, argv, { env });

        // Its first words are of the wait.
        await says(/./);
        if (still) server.signal('SIGSTOP');
        child.kill('SIGINT');

        expect((await ended).code).toBe(130);
      },
    );

    test('TLS: a certificate of an own authority is taken when it is named, and no other', {
      tags: ['openssl'],
    }, async ({ startStore, petstore, service, folder }) => {
      const authority = makeAuthority(folder);
      const { url } = await startStore({ tls: authority.certify(['IP:127.0.0.1']) });
      const env = { ...environment(service, url), NODE_TLS_REJECT_UNAUTHORIZED: '0' };

      const known = await petstore(list, { env: { ...env, NODE_EXTRA_CA_CERTS: authority.path } });
      const unknown = await petstore(list, { env });

      expect(known.stderr).not.toContain('limit store');
      expect(unknown.code).toBe(0);
      expect(unknown.stderr).toMatch(/has a certificate that cannot be verified \(\w+\)/);
    });

    test('three machines on one key: no 429, each created once', async ({ startStore }) => {
      const { url } = await startStore();

      const outcome = await race({ ...small, machines: 3, store: url });

      expect(outcome).toMatchObject({ ...allThere, refused: 0, requests: small.creates });
    });

    test('two machines share a store that answers after 300 ms, log-in included: no 429, and none goes on alone', async ({
      startStore,
      petstore,
      service,
    }) => {
      const { url } = await startStore({ args: ['--requirepass', password] });
      const way = await openSlowWay(Number(new URL(url).port), 150);
      onTestFinished(way.close);
      const store = `redis://:${password}@127.0.0.1:${way.port}/2`;

      const { code, stderr } = await petstore(list, { env: environment(service, store) });
      const outcome = await race({ ...small, machines: 2, store });

      expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining('notice') });
      expect(outcome).toMatchObject({ ...allThere, refused: 0, requests: small.creates });
    });

    test('the engine is killed midway and comes back: no ban, at most one 429 for each machine and window', async ({
      startStore,
    }) => {
      const server = await startStore();
      let back: Promise<void> | undefined;

      const outcome = await race({
        ...small,
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

/** The bars of the races in test/bench, on a window of three seconds instead of sixty. */
const plan = { minute: { limit: 20, length: 3_000 }, day: { limit: 10_000, length: 86_400_000 } };
const small = { plan, creates: 30, loops: 9 };
const allThere = { bans: 0, lost: 0, duplicated: 0, failures: [] };

function environment(service: { url: string; key: string }, store: string) {
  return {
    PETSTORE_BASE_URL: service.url,
    PETSTORE_API_KEY: service.key,
    PETSTORE_LIMIT_STORE: store,
  };
}
