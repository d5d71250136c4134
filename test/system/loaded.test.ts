import { randomBytes } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test as base, expect, launcher } from '../support/program.ts';

type Loaded = {
  /** Packages bundled in the parts of `dist` that were loaded, and the size of these parts. */
  readonly packages: readonly (string | undefined)[];
  readonly bytes: number;
  /** All bytes that the process read. */
  readonly bytesRead: number;
};

const test = base.extend<{ load: (words: string) => Promise<Loaded> }>({
  /** Runs a command on a file of one row; it has to succeed. */
  load: async ({ folder, execute, serve }, use) => {
    const { env } = await serve();
    const written = join(folder, 'loaded.json');
    writeFileSync(join(folder, 'pets.csv'), 'name\nowl\n');
    const hook = resolve('test/support/programs/loaded.cjs');
    await use(async (words) => {
      const argv = ['--require', hook, launcher, ...words.split(' ')];
      const options = { env: { ...env, PETSTORE_TEST_LOADED: written } };
      const { code, stderr } = await execute(process.execPath, argv, options);
      expect(code, stderr).toBe(0);

      const { files, bytesRead } = JSON.parse(readFileSync(written, 'utf8'));
      const ours: string[] = files.filter((file: string) => file.startsWith(resolve('dist')));
      const text = ours.map((file) => readFileSync(file, 'utf8')).join('');
      const regions = [...text.matchAll(/^\/\/#region node_modules\/((?:@[^/]+\/)?[^/]+)/gm)];
      const packages = [...new Set(regions.map(([, name]) => name))].sort();
      return { packages, bytes: Buffer.byteLength(text), bytesRead };
    });
  },
});

const settings = ['commander', 'zod'];
const request = [...settings, 'undici'];
const table = ['cli-table3', 'fast-string-truncated-width', 'fast-string-width'];

/** Each command with all npm packages that it loads, and how much it may load of `dist`, in kB. */
test.for([
  ['--version', [], 0],
  ['--help', ['commander'], 165],
  ['config list --json', settings, 385],
  ['limits --json', settings, 390],
  ['categories list --json', request, 590],
  ['categories list --json --query [].name', [...request, '@jmespath-community/jmespath'], 680],
  ['categories list', [...request, ...table], 615],
  ['categories import pets.csv --yes --json', [...request, 'csv-parse'], 780],
] as const)('petstore %s loads nothing that it does not need', async (row, { load }) => {
  const [command, packages, maxKb] = row;
  const loaded = await load(command);

  expect(loaded.packages).toEqual([...packages].sort());
  expect(loaded.bytes).toBeLessThanOrEqual(maxKb * 1_000);
});

test.skipIf(!existsSync('/proc/self/io'))(
  'a start reads about as much with an old state folder as with a new one',
  async ({ folder, load }) => {
    await load('categories import pets.csv --yes');
    const whenNew = await load('categories list');
    for (const part of ['limits', 'turns', 'ledger']) {
      multiplyEntries(join(folder, '.local/state/petstore', part), 100);
    }
    const whenOld = await load('categories list');

    expect(whenOld.bytesRead - whenNew.bytesRead).toBeLessThan(16 * 1_024);
  },
);

/** Copies each entry of a folder, as if there were so many other services and keys. */
function multiplyEntries(folder: string, copies: number): void {
  for (const name of readdirSync(folder)) {
    const [, ...endings] = name.split('.');
    for (let copy = 0; copy < copies; copy += 1) {
      const other = [randomBytes(8).toString('hex'), ...endings].join('.');
      cpSync(join(folder, name), join(folder, other), { recursive: true });
    }
  }
}
