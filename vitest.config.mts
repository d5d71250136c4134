import { accessSync, chmodSync, constants, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { defineConfig } from 'vitest/config';
import { needs } from './test/support/needs.mts';

const tier = (name: string, options = {}) => ({
  extends: true as const,
  test: { name, include: [`test/${name}/**/*.test.ts`], ...options },
});
const rooms = '{commands,docs,http,import,inner,limits,output,sandbox,settings}';
const built = { globalSetup: ['test/support/build.ts'] };

/** `--mode bundled` runs the tests in memory on src as it is bundled. */
const bundled = {
  alias: [{ find: /^.*\/src\/(.*)\.ts$/, replacement: resolve('node_modules/.bundled/$1.js') }],
  globalSetup: ['test/support/bundle.ts'],
};

export default defineConfig(({ mode }) => {
  // The fraction of each property test's runs. Projects read this file again, and know nothing of the mode.
  process.env.PETSTORE_TEST_TRIALS ??= mode === 'all' ? '1' : '0.1';
  return {
    test: {
      setupFiles: ['test/support/random.ts', 'test/support/cell-width.ts'],
      env: { TZ: 'UTC', TMPDIR: ownFolder('PETSTORE_TEST_DISK', tmpdir()) },
      // A failure says in its first line what it got.
      chaiConfig: { truncateThreshold: 200 },
      testTimeout: 60_000,
      maxWorkers: '100%',
      tags: needs,
      projects: [
        // In memory and without state of their own: one thread can run all files, without loading everything anew for each.
        tier(rooms, {
          name: 'unit',
          ...(mode === 'bundled' && bundled),
          pool: 'threads',
          isolate: false,
          // A wait that never ends is a bug; properties that draw all trials take ten times as long.
          testTimeout: Math.max(30_000, 100_000 * Number(process.env.PETSTORE_TEST_TRIALS)),
          env: { TMPDIR: ownFolder('PETSTORE_TEST_MEMORY', folderInMemory() ?? tmpdir()) },
        }),
        // They wait for processes more than they compute. A number of workers of one's own needs a group of one's own.
        tier('system', { ...built, isolate: false, maxWorkers: 4, sequence: { groupOrder: 1 } }),
        tier('hostile', {
          ...built,
          maxWorkers: 4,
          testTimeout: 180_000,
          sequence: { groupOrder: 2 },
        }),
        tier('windows', built),
      ],
    },
  };
});

/** Makes a temporary folder of this run, once for all projects, and removes it with what the tests left. Other users may use it too. */
function ownFolder(variable: string, parent: string): string {
  const known = process.env[variable];
  if (known !== undefined) return known;
  const folder = mkdtempSync(join(parent, 'petstore-tests-'));
  chmodSync(folder, 0o1777);
  process.env[variable] = folder;
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Linux keeps /dev/shm in memory. The unit tests, which sync each line of a journal, take 30 s there and 38 s on a disk. */
function folderInMemory(): string | undefined {
  try {
    accessSync('/dev/shm', constants.W_OK);
    const { bavail, bsize } = statfsSync('/dev/shm');
    return bavail * bsize > 2 ** 30 ? '/dev/shm' : undefined;
  } catch {
    return undefined;
  }
}
