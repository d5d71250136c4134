import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe } from 'vitest';
import { expect, launcher, test } from '../support/program.ts';
import { isNightly } from '../support/trials.ts';
import { runMeasured } from './peak.ts';

const MiB = 1024 * 1024;

describe.runIf(isNightly)('a file of 2 to 3 GB', () => {
  test.for<[path: string, argv: string, code: number, says: string, maxPeakMiB?: number]>([
    ['config/settings.json', 'config list', 2, 'larger than 1 MiB'],
    ['key', 'categories list --api-key-file FOLDER/key', 2, 'larger than 64 KiB'],
    ['config/keys/production.json', 'auth status --profile production', 2, 'larger than 64 KiB'],
    ['body', 'api POST /x --data @FOLDER/body', 2, 'larger than 8 MiB'],
    ['rows.csv', 'categories import FOLDER/rows.csv --yes', 2, 'larger than 32 MiB'],
    ['data.json', 'sandbox --data FOLDER/data.json -- true', 2, 'larger than 96 MiB', 256],
  ])('in the place of %s is refused in words', async (row, { folder, execute }) => {
    const [path, argv, code, says, maxPeakMiB = 100] = row;
    mkdirSync(dirname(join(folder, path)), { mode: 0o700, recursive: true });
    writeFileSync(join(folder, path), '', { mode: 0o600 });
    truncateSync(join(folder, path), 3_000 * MiB);

    const env = {
      PETSTORE_BASE_URL: 'http://127.0.0.1:9/v1',
      PETSTORE_API_KEY: 'the-key-of-this-test',
      PETSTORE_CONFIG_DIR: join(folder, 'config'),
    };
    const words = argv.replace('FOLDER', folder).split(' ');
    const ended = await runMeasured({ execute, folder }, [launcher, ...words], env);

    expect(ended).toMatchObject({ code, stderr: expect.stringContaining(says) });
    expect(ended.peakMiB).toBeLessThan(maxPeakMiB);
  });
});
