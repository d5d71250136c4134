import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe } from 'vitest';
import { test as base, expect, launcher } from '../support/program.ts';
import { openShop, type Shop } from '../support/shop.ts';

/** Runs a program that may have so many files open at a time. */
const limited = (count: number, program: readonly string[]) => [
  '-c',
  `ulimit -n ${count} && exec "$@"`,
  'sh',
  ...program,
];

type Ended = {
  readonly code: number | NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
};

const test = base.extend<{
  shop: Shop;
  run: (argv: readonly string[], files: number) => Promise<Ended>;
}>({
  // biome-ignore lint/correctness/noEmptyPattern: how a fixture without others begins
  shop: async ({}, use) => {
    const shop = await openShop();
    await use(shop);
    shop.close();
  },
  run: ({ execute, folder, shop }, use) => {
    // What a sandbox cannot remove, for want of a file to read its folder with, goes with that of the test.
    const env = {
      PETSTORE_BASE_URL: shop.url,
      PETSTORE_API_KEY: 'any-key-at-all',
      TMPDIR: folder,
    };
    return use((argv, files) =>
      execute('sh', limited(files, [process.execPath, launcher, ...argv]), { env }),
    );
  },
});

/** So many above what Node itself needs; with the last ones all goes as usual. */
const above = (count: number) => Array.from({ length: count }, (_, more) => more);
const rows = Array.from({ length: 12 }, (_, n) => `pet-${n}`);

/** The fewest files with which Node itself begins to run petstore; with less it ends in words of its own. */
let least = 0;
beforeAll(() => {
  const probe = [process.execPath, 'bin/petstore.js', '--version'];
  least = 8;
  while (spawnSync('sh', limited(least, probe)).status !== 0) least += 1;
});

function expectWords({ code, stdout, stderr }: Ended): void {
  expect(stderr).not.toMatch(/bug|dist\/|internal/);
  expect([0, 2, 5, 7, 74]).toContain(code);
  // A sandbox that can take no connection breaks it off.
  const words = /^petstore: .*(?:too many open files|EMFILE|closed the connection)/m;
  if (code !== 0) expect(stderr).toMatch(words);
  if (code === 2) expect(stderr).toContain('\nNothing was sent.\n');
  if (code !== 0 && code !== 7) expect(stdout).toBe('');
}

describe('with few open files left', () => {
  test.for(above(14))(
    'an import with %d of them loses no row and creates none twice',
    async (more, { run, shop, folder }) => {
      writeFileSync(join(folder, 'pets.csv'), `name\n${rows.join('\n')}\n`);
      const argv = ['categories', 'import', 'pets.csv', '--yes', '--settle', '100ms'];

      const first = await run(argv, least + more);
      const createdFirst = shop.names.length;
      const second = await run(argv, 1_000);

      expectWords(first);
      if (/Nothing was (?:sent|created)/.test(first.stderr)) expect(createdFirst).toBe(0);
      expect(second.code).toBe(0);
      expect(shop.names.toSorted()).toEqual(rows.toSorted());
    },
  );

  test.for(above(6))(
    'a create with %d of them tells the truth about what became of it',
    async (more, { run, shop }) => {
      for (const argv of [[], ['--if-missing']]) {
        const before = shop.names.length;

        const ended = await run(
          ['categories', 'create', `pet-${argv.length}`, ...argv],
          least + more,
        );

        expectWords(ended);
        expect(shop.names.length - before).toBe(ended.code === 0 ? 1 : 0);
      }
    },
  );

  test.for(above(8))('other commands with %d of them end in words', async (more, { run }) => {
    for (const argv of [
      ['categories', 'list', '--profile', 'sandbox'],
      ['sandbox', '--', 'true'],
      ['limits'],
      ['doctor', '--check'],
    ]) {
      expectWords(await run(argv, least + more));
    }
  });
});
