import { appendFileSync, mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { expect, launcher, test } from '../support/program.ts';
import { startService } from '../support/service.ts';
import { isNightly } from '../support/trials.ts';
import { filesBelow } from './invariants.ts';
import { runMeasured } from './peak.ts';

const MiB = 1024 * 1024;
const list = ['categories', 'list', '--max-wait', '0'];

const old = `{"k":"unsent","id":"a.1","at":${Date.now()}}\n`;
const fillings: readonly [what: string, length: number, piece?: string][] = [
  ['2 GB of zeros', 2_000 * MiB],
  ['line ends', 100 * MiB, '\n'],
  ['old lines', 100 * MiB, old],
  ['one line without end', 100 * MiB, 'x'],
];

/** Makes a file that long of one piece, or of a hole, which reads as zeros. */
function fill(path: string, length: number, piece?: string): void {
  if (piece === undefined) {
    truncateSync(path, length);
    return;
  }
  const block = Buffer.from(piece.repeat(Math.ceil(MiB / piece.length)));
  for (let left = length; left > 0; left -= block.length) appendFileSync(path, block);
}

describe.runIf(isNightly)('a file that is far too long', () => {
  const fixture = test.extend<{
    service: { refuses: boolean; run: (argv: readonly string[]) => ReturnType<typeof runMeasured> };
    log: () => string;
  }>({
    service: async ({ execute, folder }, use) => {
      const { url, key } = await startService({
        react: () =>
          service.refuses
            ? { status: 429, headers: { 'retry-after': '3600' }, body: '' }
            : undefined,
      });
      const env = {
        PETSTORE_BASE_URL: url,
        PETSTORE_API_KEY: key,
        PETSTORE_CONFIG_DIR: join(folder, 'config'),
        PETSTORE_STATE_DIR: join(folder, 'state'),
      };
      const service = {
        refuses: false,
        run: (argv: readonly string[]) =>
          runMeasured({ execute, folder }, [launcher, ...argv], env),
      };
      await use(service);
    },
    /** The file in which processes share the limit. */
    log: ({ folder }, use) =>
      use(() => filesBelow(join(folder, 'state')).find((path) => path.endsWith('.log')) ?? ''),
  });

  fixture.for(fillings)(
    'in the place of the shared log, with %s, is passed over within 100 MB',
    async ([, length, piece], { service, log }) => {
      await service.run(list);
      writeFileSync(log(), '');
      fill(log(), length, piece);

      for (const argv of [list, ['limits']]) {
        const { code, peakMiB } = await service.run(argv);
        expect(code).toBe(0);
        expect(peakMiB).toBeLessThan(100);
      }
    },
  );

  fixture.for(fillings)(
    'that was the shared log, and then got %s, tells of the wait that was in it',
    async ([, length, piece], { service, log }) => {
      service.refuses = true;
      await service.run(list);
      service.refuses = false;
      fill(log(), length, piece);

      for (let times = 0; times < 2; times += 1) {
        const { code, peakMiB } = await service.run(list);
        expect(code).toBe(75);
        expect(peakMiB).toBeLessThan(100);
      }
    },
  );

  fixture.for<[path: string, argv: string, code: number, says: string, maxPeakMiB?: number]>([
    ['config/settings.json', 'config list', 2, 'larger than 1 MiB'],
    ['key', 'categories list --api-key-file FOLDER/key', 2, 'larger than 64 KiB'],
    ['config/keys/production.json', 'auth status --profile production', 2, 'larger than 64 KiB'],
    ['body', 'api POST /x --data @FOLDER/body', 2, 'NUL byte'],
    ['rows.csv', 'categories import FOLDER/rows.csv --yes', 2, 'NUL byte'],
    ['data.json', 'sandbox --data FOLDER/data.json -- true', 2, 'larger than 96 MiB', 256],
    ['state/limits/salt', 'categories list', 0, ''],
  ])(
    'in the place of %s is refused in words, or passed over',
    async ([file, argv, code, says, maxPeakMiB = 100], { service, folder }) => {
      const path = join(folder, file);
      for (const part of ['config', 'config/keys', 'state', 'state/limits']) {
        mkdirSync(join(folder, part), { mode: 0o700 });
      }
      writeFileSync(path, '', { mode: 0o600 });
      fill(path, 3_000 * MiB);

      const ended = await service.run(argv.replace('FOLDER', folder).split(' '));

      expect(ended).toMatchObject({ code, stderr: expect.stringContaining(says) });
      expect(ended.peakMiB).toBeLessThan(maxPeakMiB);
    },
  );
});
