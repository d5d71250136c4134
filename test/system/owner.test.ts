import { existsSync } from 'node:fs';
import { describe } from 'vitest';
import { isRunning, readOwner } from '../../src/store/owner.ts';
import { expect, test } from '../support/program.ts';

const hasProc = existsSync('/proc/self/stat');
const runs = (owner: ReturnType<typeof readOwner>) => isRunning(owner, process.kill);

describe('a process', () => {
  test('runs until it is killed', async ({ spawn }) => {
    const { child, ended } = spawn('cat', [], { stdin: null });
    const owner = readOwner(child.pid ?? 0);
    const before = runs(owner);
    child.kill('SIGKILL');
    await ended;

    expect(before).toBe(true);
    expect(runs(owner)).toBe(false);
  });

  test.skipIf(!hasProc)('is not taken for another one that had its id before', () => {
    const me = readOwner(process.pid);

    expect(runs(me)).toBe(true);
    expect(runs({ ...me, born: `${me.born}0` })).toBe(false);
    expect(runs({ ...me, born: 'another-boot.1' })).toBe(undefined);
    expect(runs({ ...me, born: undefined })).toBe(true);
    expect(readOwner(process.ppid).born).not.toBe(me.born);
  });

  test.skipIf(!hasProc)(
    'that ended does not run while its parent has not asked how',
    async ({ spawn }) => {
      const script = `const { spawn, spawnSync } = require('node:child_process');
        console.log(spawn('true').pid);
        spawnSync('cat', { stdio: 'inherit' });`;
      const parent = spawn(process.execPath, ['-e', script], { stdin: null });
      await parent.shows('\n');
      const pid = Number(parent.stdout());

      await expect.poll(() => runs(readOwner(pid)), { timeout: 10_000 }).toBe(false);
      expect(() => process.kill(pid, 0)).not.toThrow();
    },
  );

  test('of somebody else runs, and one of another machine cannot be seen', () => {
    const failing = (code: string) => () => {
      throw Object.assign(new Error(code), { code });
    };
    const me = readOwner(process.pid);

    expect(isRunning(me, failing('EPERM'))).toBe(true);
    expect(isRunning(me, failing('ESRCH'))).toBe(false);
    expect(isRunning({ ...me, host: 'elsewhere' }, failing('ESRCH'))).toBe(undefined);
  });
});
