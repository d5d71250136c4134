import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../support/ports.ts';
import { launcher } from '../support/program.ts';
import { openService } from '../support/service.ts';
import { configFolder, describeWindows, expect, windowsPath } from './windows.ts';

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

  test('ends with the exit codes of its failures', async ({ petstore }) => {
    const host = `127.0.0.1:${await freePort()}`;
    const env = { PETSTORE_BASE_URL: `http://${host}/v1`, PETSTORE_API_KEY: 'key-12345678' };

    const unknown = await petstore(['categories', 'lost']);
    const keyless = await petstore(['categories', 'list', '--base-url', 'https://a.example/v1']);
    const refused = await petstore(['categories', 'list', '--timeout', '9s'], { env });

    expect([unknown.code, keyless.code, refused.code]).toEqual([2, 4, 5]);
    expect(refused.stderr).toContain(`petstore: ${host} refused the connection\n`);
  });

  test.for([
    ['echo', 'echo %KEY% | node'],
    ['echo without a blank', 'echo %KEY%| node'],
    ['a file', 'node <key.txt'],
  ] as const)('takes a key from %s of cmd.exe', async ([, line], { start, petstore, folder }) => {
    const { url, key, close } = await openService();
    writeFileSync(join(folder, 'key.txt'), `${key}\r\n`);
    const args = `auth login --base-url ${url}`;
    const command = line.replace('node', `node ${windowsPath(launcher)} ${args}`);

    const stored = await start(command.replace('%KEY%', key)).ended;
    const listed = await petstore(['categories', 'list', '--base-url', url]);
    close();

    expect(stored).toMatchObject({ code: 0, stdout: '' });
    expect(listed).toMatchObject({ code: 0 });
  });

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
});
