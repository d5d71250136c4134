import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    setupFiles: ['test/support/node20.ts', 'test/support/seed.ts'],
    env: { TZ: 'UTC' },
    testTimeout: 60_000,
    projects: [
      { extends: true, test: { name: 'unit', include: ['test/unit/**/*.test.ts'] } },
      { extends: true, test: { name: 'hostile', include: ['test/hostile/**/*.test.ts'] } },
      {
        extends: true,
        test: {
          name: 'system',
          include: ['test/system/**/*.test.ts'],
          globalSetup: ['test/support/build.ts'],
        },
      },
    ],
  },
});
