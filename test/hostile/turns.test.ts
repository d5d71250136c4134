import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { engines } from '../support/needs.mts';
import { test as base, launcher, type Running } from '../support/program.ts';
import type { Service } from '../support/service.ts';
import { type EngineServer, startEngine } from './engine-server.ts';

const times = <Result>(count: number, make: (n: number) => Result) =>
  Array.from({ length: count }, (_, n) => make(n));
const second = 1_000;
const fast = { minute: { limit: 100, length: second }, day: { limit: 1e6, length: 86_400_000 } };
const slow = { ...fast, minute: { limit: 10, length: second } };
const patient = ['--max-wait', 'inf'];
const named = ['unshare', '--uts', 'sh', '-c', 'hostname "$0" && exec "$@"'] as const;

type Fixtures = {
  store: EngineServer;
  /** Runs petstore on a machine with that number: a state folder and a host name of its own. */
  on: (machine: number, argv: readonly string[], service: Service) => Running;
  /** Writes a file of so many rows, and returns the command that imports it. */
  importOf: (count: number) => string[];
};

for (const [name, program] of Object.entries(engines).slice(0, 1))
  describe.concurrent(`machines that take turns through ${name}`, {
    tags: [name, 'unshare', 'root'],
    timeout: 600_000,
  }, () => {
    const test = base.extend<Fixtures>({
      store: async ({ folder }, use) => {
        const server = await startEngine(program, folder);
        await use(server);
        await server.kill();
      },
      on: ({ spawn, folder, store }, use) =>
        use((machine, argv, service) => {
          const name = `machine-${machine}`;
          const [file, ...args] = [...named, name, process.execPath, launcher, ...argv];
          const own = { PETSTORE_STATE_DIR: join(folder, name), PETSTORE_SHARED_STORE: store.url };
          return spawn(file, args, { env: { ...service.env, ...own } });
        }),
      importOf: ({ folder }, use) =>
        use((count) => {
          const path = join(folder, 'rows.csv');
          writeFileSync(path, `name\n${times(count, (n) => `row ${n}\n`).join('')}`);
          return ['categories', 'import', path, '--yes', '--json', '--settle', '3s', ...patient];
        }),
    });

    test('twenty create one name: one id', async ({ on, serve, expect }) => {
      const service = await serve({ plan: fast });
      const argv = ['categories', 'create', 'ferret', '--if-missing', '--query', 'id', ...patient];

      const ends = await Promise.all(times(20, (n) => on(n, argv, service).ended));

      expect(new Set(ends.map(({ code, stdout }) => `${code} ${stdout.trim()}`)).size).toBe(1);
      expect(countUp(service)).toEqual({ created: 1, names: 1 });
    });

    test.for([1, 20, 59])(
      'the holder is killed after %i requests, and another one waits: every name once',
      async (moment, { on, importOf, serve, expect }) => {
        const service = await serve({ plan: slow });
        const argv = importOf(60);
        const first = on(1, argv, service);
        await service.arrived(1);
        const second = on(2, argv, service);
        await service.arrived(moment);
        first.child.kill('SIGKILL');

        expect((await second.ended).code).toBe(0);
        expect(countUp(service)).toEqual({ created: 60, names: 60 });
      },
    );

    test('three import one file while the store loses all its values: every name once', async ({
      on,
      importOf,
      store,
      serve,
      expect,
    }) => {
      const service = await serve({ plan: slow });
      const argv = importOf(60);
      const runs = times(3, (n) => on(n, argv, service).ended);
      await service.arrived(20);

      await store.say('FLUSHALL');

      expect((await Promise.all(runs)).map(({ code }) => code)).toEqual([0, 0, 0]);
      expect(countUp(service)).toEqual({ created: 60, names: 60 });
    });
  });

function countUp({ state }: Service) {
  const names = state.categories.map((category) => category.name);
  return { created: names.length, names: new Set(names).size };
}
