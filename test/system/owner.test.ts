import { existsSync } from 'node:fs';
import { isRunning, readOwner } from '../../src/store/owner.ts';
import { expect, test } from '../support/program.ts';

const hasProc = existsSync('/proc/self/stat');
const me = readOwner(process.pid);
const [boot, namespace] = me.born?.split('.') ?? [];
const failing = (code: string) => () => {
  throw Object.assign(new Error(code), { code });
};

test('a process runs until it is killed', async ({ spawn }) => {
  const { child, ended } = spawn('cat', [], { stdin: null });
  const owner = readOwner(child.pid ?? 0);
  const before = isRunning(owner, me, process.kill);
  child.kill('SIGKILL');
  await ended;

  expect([before, isRunning(owner, me, process.kill)]).toEqual([true, false]);
});

test.for([
  ['of somebody else', me, 'EPERM', true],
  ['that has ended', me, 'ESRCH', false],
  ['of another machine', { ...me, host: 'elsewhere' }, 'ESRCH', undefined],
  ['of another start', { ...me, born: `another.${namespace}` }, 'ESRCH', undefined],
  ['of a container', { ...me, born: `${boot}.pid:[1]` }, 'ESRCH', undefined],
  ['of who knows when', { ...me, born: undefined }, 'ESRCH', hasProc ? undefined : false],
] as const)('whether a process %s runs is known or not', ([, owner, code, runs]) => {
  expect(isRunning(owner, me, failing(code))).toBe(runs);
});
