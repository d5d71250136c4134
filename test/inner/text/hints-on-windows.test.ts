import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe } from 'vitest';
import { noticeOfMove } from '../../../src/pacing/log-folder-fault.ts';
import { allowMoreFiles } from '../../../src/text/too-many-files.ts';
import { expect, type RunOptions, test } from '../../support/petstore.ts';
import { readStream } from '../../support/read-input.ts';

const win32 = { platform: 'win32', uid: undefined };

type Hint = {
  readonly argv: readonly string[];
  readonly options?: RunOptions;
  readonly posix: string | RegExp;
  readonly powershell: string | RegExp;
};

const hints: readonly Hint[] = [
  {
    argv: ['categories', 'list'],
    options: { env: { PETSTORE_STATE_DIR: undefined }, context: { home: '' } },
    posix: 'Fix: export PETSTORE_STATE_DIR=/a/folder/of/your/own\n',
    powershell: `Fix: $env:PETSTORE_STATE_DIR = 'C:\\a\\folder\\of\\your\\own'\n`,
  },
  {
    argv: ['categories', 'get', 'guinea pi'],
    posix: `Did you mean petstore categories get 'guinea pig'?\n`,
    powershell: `Did you mean petstore categories get "guinea pig"?\n`,
  },
  {
    argv: ['categories', 'get', `it'z`],
    posix: `Did you mean petstore categories get 'it'"'"'s'?\n`,
    powershell: `Did you mean petstore categories get "it's"?\n`,
  },
  {
    argv: ['categories', 'get', 'say "hy"'],
    posix: `Did you mean petstore categories get 'say "hi"'?\n`,
    powershell: 'petstore categories list --search TEXT\n',
  },
  {
    argv: ['categories', 'export', '/dev/null', '-o', 'csv'],
    posix: 'petstore categories export - > /dev/null\n',
    powershell: 'petstore categories export - > /dev/null\n',
  },
  {
    argv: ['categories', 'import', '/dev/null', '--format', 'csv'],
    posix: 'Read it from standard input instead: pass - and < /dev/null\n',
    powershell: 'Copy it to a regular file first.\n',
  },
  {
    argv: ['sandbox', '--columns', 'PETSTORE_API_KEY'],
    options: { signal: AbortSignal.abort() },
    posix: /^export PETSTORE_API_KEY=sandbox-\w+$/m,
    powershell: /^\$env:PETSTORE_API_KEY = 'sandbox-\w+'$/m,
  },
];

describe('the command of a hint is for PowerShell on Windows', () => {
  test.for(hints)(
    '$powershell',
    async ({ argv, options, posix, powershell }, { petstore, folder }) => {
      for (const name of ['guinea pig', `it's`, 'say "hi"'])
        await petstore(['categories', 'create', name]);
      const temporary = join(folder, 'tmp');
      const run = (context: object) =>
        petstore(argv, { ...options, context: { temporary, ...options?.context, ...context } });

      const elsewhere = await run({});
      const onWindows = await run(win32);

      const says = (text: string | RegExp) =>
        typeof text === 'string' ? expect.stringContaining(text) : expect.stringMatching(text);
      expect(elsewhere.stdout + elsewhere.stderr).toEqual(says(posix));
      expect(onWindows.stdout + onWindows.stderr).toEqual(says(powershell));
    },
  );

  test.for([
    ['UTF-16', Buffer.from('\ufeffname\n', 'utf16le'), undefined],
    [
      'an encoding of one byte per character',
      Buffer.from('name\ncaf\u00e9\n', 'latin1'),
      'If it is Windows-1252: save it as UTF-8 (Excel: CSV UTF-8)',
    ],
  ] as const)('and there is none that converts %s', async ([, bytes, hint], { folder }) => {
    const file = join(folder, 'rows.csv');
    writeFileSync(file, bytes);

    const { failure } = await readStream('csv', Readable.from([]), file, 'win32');

    expect(failure?.message).toMatch(/UTF-8/);
    expect(failure?.details.hint).toBe(hint);
  });

  test.for([
    ['linux', 'Set VISUAL to your editor, for example: export VISUAL=nano'],
    ['win32', `Set VISUAL to your editor, for example: $env:VISUAL = 'notepad'`],
  ])('also where the editor is not found: %s', async ([platform, hint], { petstore }) => {
    const stdin = Object.assign(Readable.from([]), { isTTY: true });
    const launch = async () => 127;
    const context = { stdin, launch, platform: platform ?? '' };

    const { stderr } = await petstore(['config', 'edit', '--no-color'], { columns: 200, context });

    expect(stderr).toContain(`Nothing was saved.\n${hint}\n`);
  });

  test.for([
    ['linux', 'petstore auth login < KEY_FILE'],
    ['win32', 'Get-Content KEY_FILE | petstore auth login'],
  ])('also where a key file takes the place of the terminal: %s', async (row, { petstore }) => {
    const [platform = '', hint] = row;
    const stdin = Object.assign(Readable.from([]), { isTTY: true });

    const { stderr } = await petstore(['auth', 'login'], { context: { stdin, platform } });

    expect(stderr).toContain(`${hint}\n`);
  });

  test('and none that allows more open files', async ({ petstore }) => {
    const error = Object.assign(new Error('too many'), { code: 'EMFILE' });
    const send = () => Promise.reject(error);

    const { stderr } = await petstore(['api', '/categories'], { context: { ...win32, send } });

    expect(stderr).toContain(`${allowMoreFiles('win32')}\n`);
    expect(stderr).not.toContain('ulimit');
    expect(noticeOfMove(win32, error, 'C:\\x', undefined)).toMatch(/Fix: close other programs$/);
  });
});
