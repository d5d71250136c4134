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

  test.skipIf(!hasProc)('of another start or container cannot be seen', () => {
    const me = readOwner(process.pid);

    expect(runs(me)).toBe(true);
    expect(runs({ ...me, born: `another-boot.${me.born?.split('.')[1]}` })).toBe(undefined);
    expect(runs({ ...me, born: `${me.born?.split('.')[0]}.pid:[1]` })).toBe(undefined);
    expect(runs({ ...me, born: undefined })).toBe(undefined);
  });

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
