import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { put } from '../support/import-cases.ts';
import { expect, test } from '../support/petstore.ts';

describe('a column that a command does not have is refused before anything is sent or changed', () => {
  test.for([
    'categories list',
    'categories get dog',
    'categories create dog',
    'categories create dog --if-missing',
    'categories import FILE --yes',
    'categories import FILE --dry-run',
    'categories diff FILE',
    'limits --refresh',
    'auth status --check',
    'doctor --check',
    'config list',
    'config get max-wait',
    'config path',
    'profile list',
  ])('%s', async (line, { petstore, sandbox, folder }) => {
    const file = put(folder, 'name\nferret\n');
    const argv = line.split(' ').map((word) => (word === 'FILE' ? file : word));
    await petstore(['config', 'set', 'output', 'csv']);

    for (const more of [[], ['-o', 'json'], ['-o', 'raw']]) {
      const result = await petstore([...argv, '--columns', 'id,nope', ...more]);

      expect(result).toMatchObject({ exitCode: 2, stdout: '' });
      expect(result.stderr).toContain('unknown column');
    }
    expect(sandbox.requests).toEqual([]);
    expect(existsSync(join(folder, 'config', 'settings.json'))).toBe(true);
  });
});
