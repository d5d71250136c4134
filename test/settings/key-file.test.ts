import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, testKey } from '../support/petstore.ts';
import { isPosix } from '../support/posix.ts';

const list = ['categories', 'list', '--api-key-file'];
const env = { PETSTORE_API_KEY: undefined };

test.skipIf(!isPosix)(
  'reads a file of any mode, and says nothing',
  async ({ petstore, folder }) => {
    const file = join(folder, 'key');
    writeFileSync(file, testKey);
    for (const mode of [0o600, 0o444, 0o644, 0o622, 0o666]) {
      chmodSync(file, mode);

      const { exitCode, stderr } = await petstore([...list, file], { env });

      expect(exitCode).toBe(0);
      expect(stderr).not.toContain('other users');
    }
  },
);

test('reads standard input', async ({ petstore }) => {
  expect((await petstore([...list, '-'], { env, stdin: `${testKey}\n` })).exitCode).toBe(0);
});

test('refuses what is no file', async ({ petstore, folder }) => {
  const places: [string, (path: string) => void, string][] = [
    ['folder', (path) => mkdirSync(path), 'is a directory'],
    ['device', (path) => symlinkSync('/dev/null', path), 'is not a regular file'],
    ['link to itself', (path) => symlinkSync(path, path), '(ELOOP)'],
  ];
  for (const [name, make, says] of places) {
    const path = join(folder, name);
    make(path);

    const { exitCode, stderr } = await petstore([...list, path], { env });

    expect(exitCode).toBe(2);
    expect(stderr).toContain(says);
  }
});
