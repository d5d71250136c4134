import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { launcher } from '../support/program.ts';
import { openService } from '../support/service.ts';
import { describeWindows, expect, windowsPath } from './windows.ts';

const names = Array.from({ length: 200 }, (_, n) => `pet ${String(n).padStart(3, '0')}`);
const unlimited = { limit: 1_000_000, length: 60_000 };
const plan = { minute: unlimited, day: { ...unlimited, length: 86_400_000 } };

describeWindows((base) => {
  /** A service, an import of 200 rows there, and its end when it has sent so many requests more. */
  const test = base.extend<Fixtures>({
    service: async ({}, use) => {
      const service = await openService({ plan });
      await use(service);
      service.close();
    },

    env: ({ service }, use) =>
      use({ PETSTORE_BASE_URL: service.url, PETSTORE_API_KEY: service.key }),

    argv: ({ folder }, use) => {
      const path = join(folder, 'rows.csv');
      writeFileSync(path, ['name', ...names].join('\r\n'));
      return use(['categories', 'import', windowsPath(path), '--yes', '--settle', '500ms']);
    },

    killAfter: ({ service, env, argv, start }, use) =>
      use(async (requests) => {
        const reached = service.requests.length + requests;
        const running = start('node', [windowsPath(launcher), ...argv], { env });
        await expect
          .poll(() => service.requests.length, { interval: 2, timeout: 30_000 })
          .toBeGreaterThanOrEqual(reached);
        running.kill();
        await running.ended;
      }),
  });

  test('killed again and again, an import creates each row exactly once', async ({
    petstore,
    service,
    killAfter,
    argv,
    env,
  }) => {
    for (const requests of [0, 2, 10, 25, 40]) await killAfter(requests);

    const { code, stderr } = await petstore(argv, { env });

    expect(code, stderr).toBe(0);
    expect(namesIn(service)).toEqual(names);
  });
});

type Service = Awaited<ReturnType<typeof openService>>;

type Fixtures = {
  service: Service;
  env: Record<string, string>;
  argv: readonly string[];
  killAfter: (requests: number) => Promise<void>;
};

function namesIn({ state }: Service): string[] {
  return state.categories.map(({ name }) => name).sort();
}
