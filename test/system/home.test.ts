import { chmodSync, mkdirSync, readdirSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { describe } from 'vitest';
import { expect, launcher, test } from '../support/program.ts';
import { startService } from '../support/service.ts';

/** Modes mean nothing to root unless it gives its privileges up. */
const obeying = process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-all'] : [];

describe('a home folder', () => {
  test('is the one of the system’s own list where HOME is unset', async ({ execute }) => {
    const folder = join(userInfo().homedir, '.config', 'petstore');
    const disk = resolve('test/support/programs/faulty-disk.cjs');
    // The first look there fails, so that nothing is ever written.
    const env = { FAULT: 'EIO', FAULT_FOLDER: folder, FAULT_AT: '1' };
    const args = ['-u', 'HOME', process.execPath, '--require', disk, launcher];

    const { code, stderr } = await execute('env', [...args, 'config', 'set', 'output', 'json'], {
      env,
    });

    expect(code).toBe(2);
    expect(stderr).toContain(`cannot read ${join(folder, 'settings.json')} (EIO)`);
  });

  test.for(['missing', 'read-only'])(
    'that is %s: saving is exit 74, and leaves nothing there',
    { tags: ['setpriv'] },
    async (what, { execute, folder }) => {
      const locked = join(folder, 'locked');
      mkdirSync(locked);
      chmodSync(locked, 0o500);
      const service = await startService();
      const env = {
        HOME: what === 'missing' ? join(locked, 'gone') : locked,
        PETSTORE_BASE_URL: service.url,
        PETSTORE_API_KEY: service.key,
      };
      const [program = '', ...args] = [...obeying, process.execPath, launcher];
      const run = (...argv: string[]) =>
        execute(program, [...args, ...argv], { env, stdin: 'another-key-0001' });

      const ended = await Promise.all([
        run('config', 'set', 'output', 'json'),
        run('auth', 'login'),
      ]);

      for (const { code, stderr } of ended) {
        expect(code, stderr).toBe(74);
        expect(stderr).toMatch(/^petstore: cannot save .* \(EACCES\)$/m);
      }
      expect(readdirSync(locked)).toEqual([]);
    },
  );
});
