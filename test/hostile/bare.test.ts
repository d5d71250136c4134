import { symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe } from 'vitest';
import { expect, test } from '../support/program.ts';
import { isNightly } from '../support/trials.ts';

const planted = `import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

test('needs a program without saying so', () => {
  expect(spawnSync('redis-server', ['--version']).status).toBe(0);
});
`;

describe.runIf(isNightly)('the bare run of CI', () => {
  test('fails a test that needs a program which is installed on this machine, and does not skip', {
    tags: ['redis-server'],
  }, async ({ execute, folder }) => {
    const clone = join(folder, 'clone');
    await execute('git', ['clone', '-q', resolve('.'), clone]);
    symlinkSync(resolve('node_modules'), join(clone, 'node_modules'));
    writeFileSync(join(clone, 'test/http/planted.test.ts'), planted);
    const command = ['npx', 'vitest', 'run', 'test/http/planted.test.ts'];

    const bare = await execute(resolve('.ci/bare'), command, { cwd: clone });
    const full = await execute('env', command, { cwd: clone });

    expect(bare.stdout).toContain('1 failed');
    expect(full.stdout).toContain('1 passed');
    expect([bare.code, full.code]).toEqual([1, 0]);
  });
});
