import { execFileSync } from 'node:child_process';
import { chmodSync, closeSync, mkdirSync, openSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { expect, test, testKey } from '../support/petstore.ts';
import { isPosix } from '../support/posix.ts';
import { interrupted } from '../support/values.ts';

const list = ['categories', 'list'];
const env = { PETSTORE_API_KEY: undefined };

/** Makes a file with a key. */
function keyFile(folder: string, mode: number, text = testKey): string {
  const file = join(folder, 'key');
  writeFileSync(file, text);
  chmodSync(file, mode);
  return file;
}

describe('--api-key-file', () => {
  test.skipIf(!isPosix).for([0o600, 0o444, 0o644, 0o622, 0o666])(
    'reads a file of mode %o, and says nothing',
    async (mode, { petstore, folder }) => {
      const file = keyFile(folder, mode);

      const { exitCode, stderr } = await petstore([...list, '--api-key-file', file], { env });

      expect(exitCode).toBe(0);
      expect(stderr).not.toContain('other users');
    },
  );

  test.for(['-', '/dev/stdin', '/dev/fd/0'])(
    'reads standard input as %s',
    async (name, { petstore }) => {
      const result = await petstore([...list, '--api-key-file', name], {
        env,
        stdin: `${testKey}\n`,
      });

      expect(result.exitCode).toBe(0);
    },
  );

  test.for([
    ['a folder', (path: string): void => void mkdirSync(path), 'is not a regular file'],
    [
      'a device',
      (path: string): void => void symlinkSync('/dev/null', path),
      'is not a regular file',
    ],
    ['a link to itself', (path: string): void => void symlinkSync(path, path), '(ELOOP)'],
  ] as const)('refuses %s', async ([, make, says], { petstore, folder }) => {
    const path = join(folder, 'key');
    make(path);

    const { exitCode, stderr } = await petstore([...list, '--api-key-file', path], { env });

    expect(exitCode).toBe(2);
    expect(stderr).toContain(says);
  });

  test('takes a key of less than eight characters, with a notice', async ({
    petstore,
    sandbox,
    folder,
  }) => {
    const file = keyFile(folder, 0o600, 'rat\n');

    const { stderr } = await petstore([...list, '--api-key-file', file], { env });

    expect(stderr).toContain(
      'petstore: the API key is shorter than 8 characters, so it is not redacted',
    );
    expect(sandbox.requests[0]?.headers.authorization).toBe('Bearer rat');
  });

  test.for(['before', 'while'])(
    'a pipe without an end ends with the run, interrupted %s it is read',
    async (when, { petstore, folder }) => {
      const path = join(folder, 'pipe');
      execFileSync('mkfifo', ['-m', '600', path]);
      const writer = openSync(path, 'r+');
      const ctrlC = new AbortController();

      const running = petstore([...list, '--api-key-file', path], {
        env,
        signal: ctrlC.signal,
      });
      if (when === 'while') await new Promise(setImmediate);
      ctrlC.abort(interrupted(130));

      expect((await running).exitCode).toBe(130);
      closeSync(writer);
    },
  );
});
