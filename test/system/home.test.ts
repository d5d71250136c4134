import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { describe } from 'vitest';
import { startFaultyService } from '../bench/import/faulty-service.ts';
import { expect, launcher, test } from '../support/program.ts';

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
    'that is %s: requests go on, saving is exit 74, and an import does not begin',
    { tags: ['setpriv'] },
    async (what, { execute, folder }) => {
      const locked = join(folder, 'locked');
      mkdirSync(locked);
      const rows = join(folder, 'rows.csv');
      writeFileSync(rows, 'name\ndog\n');
      chmodSync(locked, 0o500);
      const service = await startFaultyService({ random: () => 0, share: 0, pace: 0, before: [] });
      const [program = '', ...first] = [...obeying, process.execPath, launcher];
      const run = (...words: string[]) =>
        execute(program, [...first, ...words], {
          env: {
            HOME: what === 'missing' ? join(locked, 'gone') : locked,
            PETSTORE_BASE_URL: service.url,
            PETSTORE_API_KEY: service.key,
          },
          stdin: 'another-key-0001',
        });

      const listed = await run('categories', 'list', '--json');
      const others = [
        await run('config', 'set', 'output', 'json'),
        await run('auth', 'login'),
        await run('categories', 'import', rows, '--yes'),
      ];
      service.close();

      expect(listed).toMatchObject({ code: 0, stdout: '[]\n' });
      expect(listed.stderr).toContain('the rate limit is shared in /tmp/petstore-');
      for (const { code, stderr } of others) {
        expect(code, stderr).toBe(74);
        expect(stderr).toMatch(/^petstore: cannot save .* \(EACCES\)$/m);
      }
      expect(service.arrivals.filter(({ method }) => method === 'POST')).toEqual([]);
      expect(readdirSync(locked)).toEqual([]);
    },
  );

  test('on a network file system leaves the limit log to a folder of the machine, and says so', async ({
    execute,
    folder,
  }) => {
    const network = join(folder, 'network.cjs');
    writeFileSync(
      network,
      `const fs = require('node:fs'); const real = fs.statfsSync;
      fs.statfsSync = (path) => path.startsWith(process.env.NETWORK) ? { type: 0x6969 } : real(path);`,
    );
    const env = {
      HOME: join(folder, 'home'),
      NETWORK: join(folder, 'home'),
    };

    const { code, stderr } = await execute(
      process.execPath,
      ['--require', network, launcher, 'categories', 'list', '--profile', 'sandbox'],
      { env },
    );

    expect(code).toBe(0);
    expect(stderr).toMatch(
      /petstore is on a network file system; the rate limit is shared in \/tmp\/petstore-/,
    );
    expect(logsBelow(env.HOME)).toEqual([]);
  });
});

function logsBelow(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true }).map(String);
  return files.filter((file) => file.includes('limits') && file.endsWith('.log'));
}
