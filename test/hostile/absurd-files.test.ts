import { appendFileSync, mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe } from 'vitest';
import { test as base, expect, launcher } from '../support/program.ts';
import { startService } from '../support/service.ts';
import { isNightly } from '../support/trials.ts';
import { filesBelow } from './invariants.ts';
import { runMeasured } from './peak.ts';

const MiB = 1024 * 1024;
const banned = { status: 429, headers: { 'retry-after': '3600' }, body: '' };

const test = base.extend<{ run: (argv: string) => ReturnType<typeof runMeasured> }>({
  /** Runs a command. The first request is answered with 429. */
  run: async ({ execute, folder }, use) => {
    let requests = 0;
    const { url, key } = await startService({ react: () => (requests++ ? undefined : banned) });
    const env = {
      PETSTORE_BASE_URL: url,
      PETSTORE_API_KEY: key,
      PETSTORE_CONFIG_DIR: join(folder, 'config'),
      PETSTORE_STATE_DIR: join(folder, 'state'),
    };
    await use((argv) => runMeasured({ execute, folder }, [launcher, ...argv.split(' ')], env));
  },
});

describe.runIf(isNightly)('a file of 2 to 3 GB', () => {
  test.for<[path: string, argv: string, code: number, says: string, maxPeakMiB?: number]>([
    ['config/settings.json', 'config list', 2, 'larger than 1 MiB'],
    ['key', 'categories list --api-key-file FOLDER/key', 2, 'larger than 64 KiB'],
    ['config/keys/production.json', 'auth status --profile production', 2, 'larger than 64 KiB'],
    ['body', 'api POST /x --data @FOLDER/body', 2, 'larger than 8 MiB'],
    ['rows.csv', 'categories import FOLDER/rows.csv --yes', 2, 'larger than 32 MiB'],
    ['data.json', 'sandbox --data FOLDER/data.json -- true', 2, 'larger than 96 MiB', 256],
    ['state/limits/salt', 'limits', 0, ''],
  ])('in the place of %s is refused in words, or ignored', async (row, { folder, run }) => {
    const [path, argv, code, says, maxPeakMiB = 100] = row;
    mkdirSync(dirname(join(folder, path)), { mode: 0o700, recursive: true });
    writeFileSync(join(folder, path), '', { mode: 0o600 });
    truncateSync(join(folder, path), 3_000 * MiB);

    const ended = await run(argv.replace('FOLDER', folder));

    expect(ended).toMatchObject({ code, stderr: expect.stringContaining(says) });
    expect(ended.peakMiB).toBeLessThan(maxPeakMiB);
  });

  test.for<[what: string, piece?: string]>([
    ['zeros'],
    ['line ends', '\n'],
    ['old lines', `{"k":"unsent","id":"a.1","at":${Date.now()}}\n`],
    ['one line without end', 'x'],
  ])(
    'that was the shared log, and then got %s, tells of the wait',
    async (row, { folder, run }) => {
      const [, piece] = row;
      await run('categories list --max-wait 0');
      const log = filesBelow(join(folder, 'state')).find((path) => path.endsWith('.log')) ?? '';
      if (piece === undefined) truncateSync(log, 2_000 * MiB);
      else for (let n = 0; n < 100; n += 1) appendFileSync(log, piece.repeat(MiB / piece.length));

      const { code, peakMiB } = await run('categories list --max-wait 0');

      expect(code).toBe(75);
      expect(peakMiB).toBeLessThan(100);
    },
  );
});
