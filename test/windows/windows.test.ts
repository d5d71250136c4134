import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { launcher } from '../support/program.ts';
import { openService } from '../support/service.ts';
import { configFolder, describeWindows, expect, windowsPath } from './windows.ts';

/** Opens a file for a moment again and again, like a virus scanner. */
const opener = `
  const fs = require('node:fs');
  setInterval(() => {
    try {
      const file = fs.openSync(process.argv[1], Number(process.argv[2]));
      setTimeout(() => fs.closeSync(file), 100);
    } catch {}
  }, 150);
  console.log('opens');
`;

const names = Array.from({ length: 200 }, (_, n) => `pet ${String(n).padStart(3, '0')}`);
const unlimited = { limit: 1_000_000, length: 60_000 };
const plan = { minute: unlimited, day: { ...unlimited, length: 86_400_000 } };

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

describeWindows((test) => {
  test('creates and lists as table, JSON and CSV, with line ends as everywhere', async ({
    petstore,
  }) => {
    const onSandbox = (...args: string[]) => petstore([...args, '-p', 'sandbox']);

    const created = await onSandbox('categories', 'create', 'ferret', '--json');
    const table = await onSandbox('categories', 'list');
    const json = await onSandbox('categories', 'list', '--json');
    const csv = await onSandbox('categories', 'list', '-o', 'csv', '--columns', 'id,name');

    expect(created).toMatchObject({ code: 0, stdout: '{\n  "id": 4,\n  "name": "ferret"\n}\n' });
    expect(table).toMatchObject({ code: 0, stdout: expect.stringContaining('│ 4  │ ferret │') });
    expect(JSON.parse(json.stdout)).toHaveLength(4);
    expect(csv.stdout).toBe('id,name\n1,dog\n2,cat\n3,rabbit\n4,ferret\n');
  });

  test.for(['echo %KEY% | node', 'node <key.txt'])(
    'takes a key from %s of cmd.exe',
    async (line, { start, petstore, folder }) => {
      const { url, key, close } = await openService();
      writeFileSync(join(folder, 'key.txt'), `${key}\r\n`);
      const login = `node ${windowsPath(launcher)} auth login --base-url ${url}`;
      const command = line.replace('node', login);

      const stored = await start(command.replace('%KEY%', key)).ended;
      const listed = await petstore(['categories', 'list', '--base-url', url]);
      close();

      expect(stored).toMatchObject({ code: 0, stdout: '' });
      expect(listed).toMatchObject({ code: 0 });
    },
  );

  test('prints paths that can be pasted', async ({ petstore, folder }) => {
    const settings = join(configFolder(folder), 'settings.json');
    const path = windowsPath(settings);

    const plain = await petstore(['config', 'path']);
    const json = await petstore(['config', 'path', '--json']);
    mkdirSync(configFolder(folder), { recursive: true });
    writeFileSync(settings, '{');
    const broken = await petstore(['config', 'get', 'output']);

    expect(plain).toEqual({ code: 0, stdout: `${path}\n`, stderr: '' });
    expect(JSON.parse(json.stdout)).toEqual({ path });
    expect(broken.code).toBe(2);
    expect(broken.stderr).toContain(path);
  });

  test.for([
    ['a reader', 'opens it', '0'],
    // libuv's UV_FS_O_EXLOCK: nobody else may have it open.
    ['a scanner', 'locks it', `${0x10000000}`],
  ] as const)(
    'settings are read and saved while %s %s again and again',
    async (row, { petstore, start, folder }) => {
      const settings = windowsPath(join(configFolder(folder), 'settings.json'));
      await petstore(['config', 'set', 'max-wait', '9m']);
      await start('node', ['-e', opener, settings, row[2]]).printed;

      for (const value of ['1m', '2m', '3m', '4m', '5m']) {
        const saved = await petstore(['config', 'set', 'max-wait', value, '-p', `p${value}`]);
        const read = await petstore(['config', 'get', 'max-wait', '-p', `p${value}`]);

        expect(saved.code, saved.stderr).toBe(0);
        expect(read).toEqual({ code: 0, stdout: `${value}\n`, stderr: '' });
      }
      const { profiles } = JSON.parse(
        readFileSync(join(configFolder(folder), 'settings.json'), 'utf8'),
      );
      expect(Object.keys(profiles)).toHaveLength(6);
    },
  );

  test('killed again and again, an import creates each row exactly once', async ({
    petstore,
    start,
    folder,
    onTestFinished,
  }) => {
    const service = await openService({ plan });
    onTestFinished(service.close);
    const path = join(folder, 'rows.csv');
    writeFileSync(path, ['name', ...names].join('\r\n'));
    const argv = ['categories', 'import', windowsPath(path), '--yes', '--settle', '500ms'];
    for (const requests of [0, 2, 10, 25, 40]) {
      const reached = service.requests.length + requests;
      const { ended, kill } = start('node', [windowsPath(launcher), ...argv], {
        env: service.env,
      });
      await service.arrived(reached);
      kill();
      await ended;
    }

    const { code, stderr } = await petstore(argv, { env: service.env });

    expect(code, stderr).toBe(0);
    expect(service.state.categories.map(({ name }) => name).sort()).toEqual(names);
  });

  const inSandbox = test.extend('sandbox', ({ petstore, folder }) => {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    return (...command: readonly string[]) => petstore(['sandbox', '--', ...command]);
  });

  inSandbox.for([
    [3, ['node', 'show.js', 'a b'], '["a b"]\n'],
    [3, ['node.exe', 'show.js'], '[]\n'],
    [5, ['.\\hello.cmd', 'x'], 'hello from cmd "x"\r\n'],
    [5, ['hello', 'x'], 'hello from cmd "x"\r\n'],
    [4, ['./script'], ''],
    [3, ['petstore', 'categories', 'get', '99'], ''],
    [0, ['petstore', 'config', 'set', 'output', 'json'], ''],
    [7, ['cmd', '/c', 'exit 7'], ''],
    [3, ['node', 'leave.js'], ''],
    [2, ['./bad.exe', 'x'], ''],
  ] as const)('a sandbox ends with %i after %j', async ([code, command, stdout], { sandbox }) => {
    expect(await sandbox(...command)).toMatchObject({ code, stdout });
  });

  // For a batch file a quote in one argument would change what an & in another one means.
  inSandbox('a sandbox passes arguments on as they are', async ({ sandbox }) => {
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

  inSandbox(
    'a sandbox sets one Path, the petstore of that run before the programs of the user',
    async ({ sandbox }) => {
      const paths = 'Object.entries(process.env).filter(([name]) => /^path$/i.test(name))';

      const { stdout } = await sandbox('node', '-p', `JSON.stringify(${paths})`);

      expect(JSON.parse(stdout)).toEqual([
        [
          expect.stringMatching(/^path$/i),
          expect.stringMatching(/^[^;]+petstore-sandbox-[^;]+;[^;]+bin;/),
        ],
      ]);
    },
  );
});
