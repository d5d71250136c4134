import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, onTestFinished } from 'vitest';
import type { Engine } from '../../src/context.ts';
import { openEngine } from '../../src/node/engine.ts';
import { parseSharedStore, type SharedStore } from '../../src/settings/addresses.ts';
import { createMemoryEngine } from '../support/memory-engine.ts';
import { engines } from '../support/needs.mts';
import { makeAuthority } from '../support/own-authority.ts';
import { test as base, type Ended, expect } from '../support/program.ts';
import type { Service } from '../support/service.ts';
import { plans } from '../support/values.ts';
import { type EngineServer, startEngine } from './engine-server.ts';
import { race } from './race.ts';
import { openSlowWay } from './slow-way.ts';

const password = 'p4ss-w0rd-of-the-store';
const fine = { code: 0, stderr: expect.not.stringContaining('notice') };
const connect = (url: string): Engine => openEngine((parseSharedStore(url) as SharedStore).address);

for (const [name, program] of Object.entries(engines))
  describe(`${name} as the shared store`, { tags: [name] }, () => {
    const test = base.extend<{
      open: (options?: Parameters<typeof startEngine>[2]) => Promise<EngineServer>;
      service: Service;
      /** Lists the categories through the store of that URL. */
      list: (store: string, env?: Readonly<Record<string, string>>) => Promise<Ended>;
    }>({
      open: ({ folder }, use) =>
        use(async (options) => {
          const server = await startEngine(program, folder, options);
          onTestFinished(() => server.kill());
          return server;
        }),
      service: async ({ serve }, use) => use(await serve()),
      list: ({ petstore, service }, use) =>
        use((store, env) =>
          petstore('categories list --json --max-wait 0', {
            env: { ...service.env, PETSTORE_SHARED_STORE: store, ...env },
          }),
        ),
    });

    test('the script does what tests in memory take it to do', async ({ open }) => {
      const server = await open();
      const real = connect(server.url);
      const call = fc.record({
        seen: fc.constantFrom('', 'v0', 'v1', 'v2'),
        version: fc.constantFrom('', 'v1', 'v2', 'v3'),
        isFlushed: fc.boolean(),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(call, { maxLength: 60 }), async (calls) => {
          const name = `petstore:lim:${randomBytes(4).toString('hex')}`;
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

    test('a key expires after 400 days, and has no API key', async ({ open, list, service }) => {
      const server = await open();
      await list(server.url);

      const names = await server.say('KEYS *');
      const [name = ''] = /petstore:lim:[0-9a-f]{32}(?=\r)/.exec(names) ?? [];
      const seconds = Number((await server.say(`TTL ${name}`)).slice(1));

      expect(names).toMatch(/^\*1\r/);
      expect(seconds).toBeGreaterThan(400 * 86_400 - 60);
      expect(seconds).toBeLessThanOrEqual(400 * 86_400);
      expect(await server.say(`HGETALL ${name}`)).not.toContain(service.key);
    });

    test('a server that was started anew gets the script, and is another one', async ({ open }) => {
      const server = await open({ args: ['--save', '3600 1'] });
      const engine = connect(server.url);
      await engine.swap('petstore:lim:x', ['', 'v1', '{}', '60']);
      await server.say('SAVE');
      await server.kill();
      await server.start();

      await expect(engine.swap('petstore:lim:x', ['', '', '', ''])).rejects.toThrow();
      const reply = await engine.swap('petstore:lim:x', ['', '', '', '']);
      expect(reply).toEqual([expect.any(String), 'v1', '{}', 0]);
    });

    const rights = '~petstore:* +eval +evalsha +info +time +hmget +hset +expire +select';
    const ci = (words: string) => ['--user', 'ci', 'on', `>${password}`, ...words.split(' ')];
    const asCi = `ci:${password}@`;
    const rejected = 'wrong user name or password';
    test.for<[what: string, args: string[], login: string, path: string, says?: string]>([
      ['a wrong password', ['--requirepass', password], ':wrong-p4ss@', '', rejected],
      ['no password', ['--requirepass', password], '', '', rejected],
      ['a user without the right', ci('~petstore:* +ping'), asCi, '', 'NOPERM'],
      // Redis says that it can't run a command, Valkey that there are no permissions to.
      ['a user without those of the script', ci('~petstore:* +eval'), asCi, '', ' command'],
      ['a user with no more rights than it takes', ci(rights), asCi, '/3'],
      ['a user that is nobody, and no password', [], 'nobody@', '', rejected],
      ['a password that nobody asked for', [], ':p4ss@', ''],
      ['no room left', ['--maxmemory', '1'], '', '', 'OOM command not allowed'],
      ['no such database', [], '', '/99', 'DB index is out of range'],
    ])(
      '%s: nothing is sent if it cannot be used, and no secret is said',
      async ([, args, login, path, says], { open, list, service }) => {
        const { url } = await open({ args });

        const { code, stdout, stderr } = await list(url.replace('//', `//${login}`) + path);

        const isUsed = says === undefined;
        expect([code, stdout]).toEqual(
          isUsed ? [0, '[]\n'] : [args[0] === '--maxmemory' ? 75 : 2, ''],
        );
        expect(stderr).toContain(says ?? '');
        expect(stderr).not.toMatch(/p4ss/);
        expect(service.requests).toHaveLength(isUsed ? 1 : 0);
      },
    );

    test('a server that stands still is given up, and used again later', async ({ open, list }) => {
      const server = await open();
      await list(server.url);
      server.signal('SIGSTOP');

      const still = await list(server.url);
      server.signal('SIGCONT');
      const again = await list(server.url);

      expect(still).toMatchObject({ code: 75, stderr: expect.stringContaining('timed out') });
      expect(again).toMatchObject(fine);
    });

    test('Ctrl-C ends a wait, also while the server stands still', async ({
      open,
      serve,
      start,
    }) => {
      const server = await open();
      const { env } = await serve({
        react: () => ({ status: 429, headers: { 'retry-after': '1' }, body: '{}' }),
      });
      const { child, says, ended } = start('categories list --json --max-wait inf', {
        env: { ...env, PETSTORE_SHARED_STORE: server.url },
      });

      // Its first words are of the wait.
      await says(/./);
      server.signal('SIGSTOP');
      child.kill('SIGINT');

      expect((await ended).code).toBe(130);
    });

    const tags = ['openssl'];
    test('TLS: only a known authority counts', { tags }, async ({ open, list, folder }) => {
      const authority = makeAuthority(folder);
      const { url } = await open({ tls: authority.certify(['IP:127.0.0.1']) });
      const careless = { NODE_TLS_REJECT_UNAUTHORIZED: '0' };

      const known = await list(url, { ...careless, NODE_EXTRA_CA_CERTS: authority.path });
      const unknown = await list(url, careless);

      expect(known.stderr).not.toContain('shared store');
      expect(unknown.code).toBe(2);
      expect(unknown.stderr).toMatch(/shared store .*: its certificate cannot be trusted \(\w+\)/);
    });

    test('TLS: a connection that takes more than half a second is used once it stands', {
      tags,
    }, async ({ open, petstore, serve, folder }) => {
      const limited = { status: 429, headers: { 'retry-after': '6' }, body: '' };
      const service = await serve({
        react: (_, count) => (count > 1 ? 'respond' : limited),
      });
      const authority = makeAuthority(folder);
      const { url } = await open({ tls: authority.certify(['IP:127.0.0.1']) });
      const way = await openSlowWay(Number(new URL(url).port), 160);
      onTestFinished(way.close);
      const slow = `rediss://127.0.0.1:${way.port}`;
      const env = { ...service.env, NODE_EXTRA_CA_CERTS: authority.path };

      const listed = await petstore('categories list --json', {
        env: { ...env, PETSTORE_SHARED_STORE: slow },
      });
      const limits = await petstore('limits --json --verbose', {
        env: { ...env, PETSTORE_SHARED_STORE: url, PETSTORE_STATE_DIR: join(folder, 'other') },
      });

      expect(listed).toMatchObject(fine);
      expect(JSON.parse(limits.stdout).items[0].source).toBe('service');
    });

    test('two machines that share a store which replies after 200 ms get no 429', async ({
      open,
      list,
      serve,
      start,
      folder,
    }) => {
      const { url } = await open({ args: ['--requirepass', password] });
      const way = await openSlowWay(Number(new URL(url).port), 100);
      onTestFinished(way.close);
      const store = `redis://:${password}@127.0.0.1:${way.port}/2`;

      const alone = await list(store);
      const outcome = await race({ serve, start, folder }, { machines: 2, store, creates: 24 });

      expect(alone).toMatchObject(fine);
      expect(outcome).toMatchObject({ ...allThere, refused: 0, requests: 24 });
    });

    test('ten machines that create one name at once get one id', async ({
      open,
      serve,
      start,
      folder,
    }) => {
      const { url } = await open();
      const service = await serve({ plan: plans.business });
      const create = 'categories create ferret --if-missing -o raw --query id --max-wait inf';

      const ends = await Promise.all(
        Array.from({ length: 10 }, (_, n) => {
          const own = { PETSTORE_STATE_DIR: join(folder, `${n}`), PETSTORE_SHARED_STORE: url };
          return start(create, { env: { ...service.env, ...own } }).ended;
        }),
      );

      const said = ends.map(({ code, stdout }) => `${code} ${stdout.trim()}`);
      expect(new Set(said)).toEqual(new Set(['0 1']));
      expect(service.state.categories).toMatchObject([{ name: 'ferret' }]);
    });

    test('the store is killed midway: no ban, and at most one 429 for each machine and window', async ({
      open,
      serve,
      start,
      folder,
    }) => {
      const server = await open();
      const back = pause(1_500)
        .then(server.kill)
        .then(() => pause(2_500))
        .then(server.start);

      const outcome = await race({ serve, start, folder }, { machines: 3, store: server.url });
      await back;

      expect(outcome).toMatchObject(allThere);
      expect(outcome.refused).toBeLessThanOrEqual(3 * outcome.windows);
    });
  });

const allThere = { bans: 0, lost: 0, duplicated: 0, failures: [] };
