import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { defineConfig } from 'vitest/config';
import { needs } from './test/support/needs.mts';

const tier = (name: string, options = {}) => ({
  extends: true as const,
  test: { name, include: [`test/${name}/**/*.test.ts`], ...options },
});
const rooms = '{commands,docs,http,import,inner,limits,output,sandbox,settings}';
/** Of the trials of a property test, how many are drawn. */
const part = (mode: string) => (mode === 'all' ? '1' : '0.1');
const built = { globalSetup: ['test/support/build.ts'] };

export default defineConfig(({ mode }) => ({
  test: {
    setupFiles: ['test/support/node20.ts', 'test/support/seed.ts', 'test/support/cell-width.ts'],
    env: { TZ: 'UTC', PETSTORE_TEST_TRIALS: process.env.PETSTORE_TEST_TRIALS ?? part(mode) },
    testTimeout: 60_000,
    maxWorkers: '100%',
    tags: needs,
    reporters: ['default', './test/support/skipped.ts'],
    projects: [
      // In memory and without state of their own: one thread can run all files, without loading everything anew for each.
      tier(rooms, { name: 'unit', pool: 'threads', isolate: false }),
      tier('system', built),
      tier('hostile', built),
      tier('windows', built),
      {
        extends: true as const,
        test: {
          name: 'ntfs',
          include: [
            'commands/{auth,sandbox}**',
            '{import,limits,sandbox,settings}',
            'inner/{disk,import,pacing,settings}',
          ].map((room) => `test/${room}/**/*.test.ts`),
          env: { NTFS_FOLDER: join(tmpdir(), 'petstore-test-') },
          execArgv: ['--import', resolve('test/support/ntfs/register.mjs')],
          pool: 'forks' as const,
        },
      },
    ],
  },
}));
