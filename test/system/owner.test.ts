import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { isRunning, ownerOf } from '../../src/disk/owner.ts';

const hasProc = existsSync('/proc/self/stat');
const runs = (owner: ReturnType<typeof ownerOf>) => isRunning(owner, process.kill);

describe('a process', () => {
  test('runs until it is killed', async () => {
    const child = start('process.stdin.resume()');
    const owner = ownerOf(child.pid ?? 0);
    const before = runs(owner);
    const closed = new Promise((resolve) => child.once('close', resolve));
    child.kill('SIGKILL');
    await closed;

    expect(before).toBe(true);
    expect(runs(owner)).toBe(false);
  });

  test.skipIf(!hasProc)('is not taken for another one that had its id before', () => {
    const me = ownerOf(process.pid);

    expect(runs(me)).toBe(true);
    expect(runs({ ...me, born: `${me.born}0` })).toBe(false);
    expect(runs({ ...me, born: undefined })).toBe(true);
    expect(ownerOf(process.ppid).born).not.toBe(me.born);
  });

  test.skipIf(!hasProc)('that ended does not run while its parent has not asked how', async () => {
    const parent = start(
      `const { spawnSync, spawn } = require('node:child_process');
      const child = spawn(process.execPath, ['-e', '']);
      console.log(child.pid);
      spawnSync(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: 'inherit' });`,
    );
    const pid = Number(await new Promise((resolve) => parent.stdout?.once('data', resolve)));

    await expect.poll(() => runs(ownerOf(pid)), { timeout: 10_000 }).toBe(false);
    expect(() => process.kill(pid, 0)).not.toThrow();
    parent.stdin?.end();
  });

  test('of somebody else runs, and so does one of another machine', () => {
    const refuse = () => {
      throw Object.assign(new Error('EPERM'), { code: 'EPERM' });
    };
    const gone = () => {
      throw Object.assign(new Error('ESRCH'), { code: 'ESRCH' });
    };
    const me = ownerOf(process.pid);

    expect(isRunning(me, refuse)).toBe(true);
    expect(isRunning(me, gone)).toBe(false);
    expect(isRunning({ ...me, host: 'elsewhere' }, gone)).toBe(true);
  });
});

function start(script: string): ChildProcess {
  return spawn(process.execPath, ['-e', script], { stdio: ['pipe', 'pipe', 'inherit'] });
}
