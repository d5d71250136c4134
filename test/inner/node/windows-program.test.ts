import { describe, expect, test } from 'vitest';
import { chooseCall } from '../../../src/node/windows-program.ts';

const plain = { command: 'x', args: ['a b'], options: { stdio: 'inherit' } } as const;
const direct = { ...plain, args: ['found', 'a b'] };
const shell = {
  command: 'cmd.exe',
  args: ['/d', '/s', '/c', '"x ^"a^ b^""'],
  options: { ...plain.options, windowsVerbatimArguments: true },
};

describe('on Windows', () => {
  test.for([
    ['a program is run by the system', direct, 'C:\\x.exe', direct],
    ['a script whose first line names a program is run by that', direct, 'C:\\x.sh', direct],
    ['npm and its like are run by cmd.exe', shell, 'C:\\x.CMD', shell],
    ['a batch file is run by cmd.exe', shell, 'C:\\x.bat', shell],
    ['what does not exist is left to the system', shell, undefined, plain],
    ['a script without a program for it is left to the system', shell, 'C:\\x.sh', plain],
    ['a document is left to the system', shell, 'C:\\x.txt', plain],
    ['a file in a folder x.cmd is left to the system', shell, 'C:\\x.cmd\\y', plain],
  ] as const)('%s', ([, parsed, file, call]) => {
    expect(chooseCall(plain, { ...parsed, file })).toMatchObject(call);
  });

  test('a batch file that does not exist is not found, of which Node would say EINVAL', () => {
    const choose = () => chooseCall({ ...plain, command: 'x.cmd' }, { ...shell, file: undefined });

    expect(choose).toThrow(expect.objectContaining({ code: 'ENOENT' }));
  });
});
