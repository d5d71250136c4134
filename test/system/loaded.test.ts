import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe } from 'vitest';
import { startTime } from '../support/clock.ts';
import { test as inMemory, testKey } from '../support/petstore.ts';
import { cleanEnvironment, expect, launcher, test } from '../support/program.ts';
import { startService } from '../support/service.ts';

const hook = ['--require', resolve('test/support/programs/loaded.cjs'), launcher];

const settings = ['commander', 'zod'];
const request = [...settings, 'undici'];
const table = [
  'ansi-regex',
  'cli-table3',
  'emoji-regex',
  'get-east-asian-width',
  'string-width',
  'strip-ansi',
];

/** Each command with all npm packages that it loads, and how much it may load of `dist`, in kB. */
const rows = [
  ['--version', [], 0],
  ['--help', ['commander'], 165],
  ['categories --help', ['commander'], 165],
  ['config list --json', settings, 385],
  ['limits --json', settings, 390],
  ['categories list --json', request, 590],
  ['categories list --json --query [].name', [...request, '@jmespath-community/jmespath'], 680],
  ['categories list', [...request, ...table], 615],
  ['categories import pets.csv --yes --json', [...request, 'csv-parse'], 780],
] as const;

describe('a command loads nothing that it does not need', () => {
  test.for(rows)('petstore %s', async ([command, packages, maxKb], { folder, execute }) => {
    const { url, key } = await startService();
    writeFileSync(join(folder, 'pets.csv'), 'name\nowl\n');

    const env = environmentIn(folder, url, key);
    const argv = [...hook, ...command.split(' ')];
    const { code, stderr } = await execute(process.execPath, argv, { env });

    const loaded = readLoaded(folder);
    expect(code, stderr).toBe(0);
    expect(loaded.packages).toEqual([...packages].sort());
    expect(loaded.bytes).toBeLessThanOrEqual(maxKb * 1_000);
  });
});

inMemory.skipIf(!existsSync('/proc/self/io'))(
  'a start reads about as much with an old state folder as with a new one',
  async ({ folder, petstore, sandbox, clock }) => {
    const { url } = await startService({ react: () => ({ status: 200, body: '[]' }) });
    const env = environmentIn(folder, url, testKey);
    const importRows = (count: number) => {
      const argv = 'categories import - --format csv --yes --allow-duplicates'.split(' ');
      const names = Array.from({ length: count }, (_, row) => `pet ${row}`);
      return petstore(argv, { env, stdin: ['name', ...names].join('\n') });
    };
    const bytesRead = async () => {
      const options = { env: { ...cleanEnvironment(folder), ...env } };
      await promisify(execFile)(process.execPath, [...hook, 'categories', 'list'], options);
      return readLoaded(folder).bytesRead;
    };
    // Both run in one state folder: ten minutes ago by the clock of this machine, then now.
    clock.set(Date.now() - startTime - 600_000);
    const unlimited = { limit: 1e9, length: 60_000 };
    sandbox.plan = { minute: unlimited, day: unlimited };

    await importRows(1);
    const whenNew = await bytesRead();
    await importRows(500);
    multiplySmallFiles(join(folder, 'state'), 300);
    const whenOld = await bytesRead();

    expect(whenOld - whenNew).toBeLessThan(48 * 1_024);
  },
);

/** Copies the small files of a state folder, as if there were so many other services, keys and imports. */
function multiplySmallFiles(folder: string, copies: number): void {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  for (const { name, parentPath } of entries.filter((entry) => entry.isFile())) {
    const path = join(parentPath, name);
    const [, ...endings] = name.split('.');
    for (let copy = 0; copy < copies && statSync(path).size < 4_096; copy += 1) {
      const other = [randomBytes(8).toString('hex'), ...endings].join('.');
      copyFileSync(path, join(parentPath, other));
    }
  }
}

function environmentIn(folder: string, url: string, key: string) {
  return {
    PETSTORE_BASE_URL: url,
    PETSTORE_API_KEY: key,
    PETSTORE_STATE_DIR: join(folder, 'state'),
    PETSTORE_TEST_LOADED: join(folder, 'loaded.json'),
  };
}

/** Returns what the run loaded of `dist` (the packages bundled in it, and its size), and the bytes that it read in all. */
function readLoaded(folder: string) {
  const { files, bytesRead } = JSON.parse(readFileSync(join(folder, 'loaded.json'), 'utf8'));
  const ours: string[] = files.filter((file: string) => file.startsWith(resolve('dist')));
  const text = ours.map((file) => readFileSync(file, 'utf8')).join('');
  const regions = [...text.matchAll(/^\/\/#region node_modules\/((?:@[^/]+\/)?[^/]+)/gm)];
  const packages = [...new Set(regions.map(([, name]) => name))].sort();
  return { packages, bytes: Buffer.byteLength(text), bytesRead };
}
