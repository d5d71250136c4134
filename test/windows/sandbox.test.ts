import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeWindows, expect } from './windows.ts';

/** What lies in the folder in which petstore runs. */
const files = {
  'show.js': 'console.log(JSON.stringify(process.argv.slice(2)));\nprocess.exit(3);\n',
  'hello.cmd': '@echo off\r\necho hello from cmd %*\r\nexit /b 5\r\n',
  'forward.cmd': '@node show.js %*\r\n',
  'bad.exe': 'not a program',
  script: '#!/usr/bin/env node\nprocess.exit(4);\n',
  'leave.js': `
    const hold = 'fs.openSync(process.env.PETSTORE_STATE_DIR + "/held", 0x10000102); setTimeout(() => {}, 5000)';
    const options = { detached: true, stdio: ['ignore', 'pipe', 'ignore'] };
    const code = hold + '; console.log(1)';
    require('node:fs').mkdirSync(process.env.PETSTORE_STATE_DIR, { recursive: true });
    const child = require('node:child_process').spawn(process.execPath, ['-e', code], options);
    child.stdout.once('data', () => process.exit(3));
  `,
};

const plain = [
  ...['a b', '', 'a^b', 'a&b', 'a&&echo hacked', 'a|b', '<x>', '(p)', 'wow!', '!PATH!', '^'],
  ...['back\\', 'back \\', 'C:\\a b\\', 'ümläut €', 'a,b;c=d', '*', "it's"],
];
const quoted = ['a"b', 'say "hi there"', '{"name":"guinea pig"}'];
// Wine's cmd.exe takes these for variables also where that of Windows does not.
const percents = ['50%', '%Path%', '^^"%"', '%%'];

describeWindows((base) => {
  const test = base.extend('sandbox', ({ petstore, folder }) => {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    return (...command: readonly string[]) => petstore(['sandbox', '--', ...command]);
  });

  test.for([
    [3, ['node', 'show.js', 'a b'], '["a b"]\n'],
    [3, ['node.exe', 'show.js'], '[]\n'],
    [5, ['.\\hello.cmd', 'x'], 'hello from cmd "x"\r\n'],
    [5, ['hello', 'x'], 'hello from cmd "x"\r\n'],
    [4, ['./script'], ''],
    [3, ['petstore', 'categories', 'get', '99'], ''],
    [0, ['petstore', 'config', 'set', 'output', 'json'], ''],
    [7, ['cmd', '/c', 'exit 7'], ''],
    [3, ['node', 'leave.js'], ''],
  ] as const)('ends with %i after %j', async ([code, command, stdout], { sandbox }) => {
    expect(await sandbox(...command)).toMatchObject({ code, stdout });
  });

  test('sandbox -- ./bad.exe is a usage error', async ({ sandbox }) => {
    const { code, stdout, stderr } = await sandbox('./bad.exe', 'x');

    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('petstore: cannot run ./bad.exe (');
  });

  test('lists and creates by the name petstore, in the sandbox of that run', async ({
    sandbox,
  }) => {
    const name = 'a"&echo hacked';

    const list = await sandbox('petstore', 'categories', 'list', '--json');
    const created = await sandbox('petstore', 'categories', 'create', name, '--json');

    expect(JSON.parse(list.stdout)).toHaveLength(3);
    expect(JSON.parse(created.stdout)).toEqual({ id: 4, name });
  });

  // For a batch file a quote in one argument would change what an & in another one means.
  test('passes arguments on as they are', async ({ sandbox }) => {
    for (const [program, words] of [
      [
        ['node', 'show.js'],
        [...plain, ...quoted, ...percents],
      ],
      [['.\\forward.cmd'], plain],
      [['.\\forward.cmd'], quoted],
    ] as const) {
      const { stdout } = await sandbox(...program, ...words, 'end');
      expect(JSON.parse(stdout), program[0]).toEqual([...words, 'end']);
    }
  });

  test('sets one Path, the petstore of that run before the programs of the user', async ({
    sandbox,
  }) => {
    const paths = 'Object.entries(process.env).filter(([name]) => /^path$/i.test(name))';

    const { stdout } = await sandbox('node', '-p', `JSON.stringify(${paths})`);

    expect(JSON.parse(stdout)).toEqual([
      [
        expect.stringMatching(/^path$/i),
        expect.stringMatching(/^[^;]+petstore-sandbox-[^;]+;[^;]+bin;/),
      ],
    ]);
  });
});
