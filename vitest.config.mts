import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/build.ts'],
    setupFiles: ['test/node20.ts', 'test/seed.ts'],
    env: { TZ: 'UTC' },
    testTimeout: 60_000,
  },
});
