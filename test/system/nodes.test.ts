import { describe } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { nodes } from '../support/nodes.ts';
import { expect, launcher, test } from '../support/program.ts';

/** The built program on every Node that was found, from one command line to the next as a user would type them. */
describe.each(nodes)('on %s', (node) => {
  test('answers --version without loading anything', async ({ execute }) => {
    expect(await execute(node, [launcher, '--version'])).toEqual({
      code: 0,
      stdout: `${manifest.version}\n`,
      stderr: '',
    });
  });

  test('answers --help with the page that help tells, and says when it cannot', async ({
    execute,
  }) => {
    const { stdout } = await execute(node, [launcher, 'help']);

    expect(stdout).toContain('categories list');
    for (const flag of ['--help', '-h']) {
      expect(await execute(node, [launcher, flag])).toEqual({ code: 0, stdout, stderr: '' });
    }
    const full = await execute('sh', ['-c', `'${node}' '${launcher}' --help > /dev/full`]);
    expect(full).toEqual({
      code: 74,
      stdout: '',
      stderr: 'petstore: cannot write to standard output (ENOSPC)\n',
    });
  });

  test('lists, creates and lists again on the sandbox profile', async ({ execute }) => {
    const petstore = (...args: string[]) => execute(node, [launcher, ...args, '-p', 'sandbox']);

    const table = await petstore('categories', 'list');
    const created = await petstore('categories', 'create', 'ferret', '--json');
    const list = await petstore('categories', 'list', '--json');

    expect(table).toMatchObject({ code: 0, stdout: expect.stringContaining('│ 3  │ rabbit │') });
    expect(table.stderr).toMatch(
      /^rate limit: 59 of 60 left, resets in (1m|\d+s) \(\d\d:\d\d:\d\dZ\)\n$/,
    );
    expect(JSON.parse(created.stdout)).toEqual({ id: 4, name: 'ferret' });
    expect(JSON.parse(list.stdout)).toHaveLength(4);
  });

  test('creates and lists against a fresh sandbox from a script', async ({ execute }) => {
    const script = 'petstore categories create rabbit && petstore categories list --json';

    const result = await execute(node, [launcher, 'sandbox', '--', 'sh', '-c', script]);

    expect(result.code).toBe(0);
    expect(result.stdout).toContain('│ 4  │ rabbit │');
    expect(JSON.parse(result.stdout.slice(result.stdout.indexOf('[\n')))).toContainEqual({
      id: 4,
      name: 'rabbit',
    });
  });

  test('keeps an id of int64 to the last digit over the network', async ({ execute, folder }) => {
    const { writeFileSync } = await import('node:fs');
    writeFileSync(`${folder}/data.json`, '[{"id":9223372036854775807,"name":"last"}]');
    const script =
      'petstore categories list -o ndjson; petstore pets get 9007199254740993 -o ndjson';

    const { stdout } = await execute(node, [
      launcher,
      'sandbox',
      '--data',
      'data.json',
      '--',
      'sh',
      '-c',
      script,
    ]);

    expect(stdout).toContain('{"id":9223372036854775807,"name":"last"}\n{"id":9007199254740993,');
  });

  test('saves settings and a key, and uses them', async ({ execute }) => {
    const script = [
      'unset PETSTORE_API_KEY PETSTORE_BASE_URL',
      'petstore config set base-url "$URL"',
      'echo "$KEY" | petstore auth login',
      'petstore categories list -o ndjson',
    ].join(' && ');

    const result = await execute(node, [
      launcher,
      'sandbox',
      '--',
      'sh',
      '-c',
      `URL=$PETSTORE_BASE_URL KEY=$PETSTORE_API_KEY; ${script}`,
    ]);

    expect(result.code).toBe(0);
    expect(result.stdout.split('\n')).toHaveLength(4);
  });

  test('an unreachable host ends with exit 5 and three lines', async ({ execute }) => {
    const env = { PETSTORE_BASE_URL: 'https://127.0.0.1:1/v1', PETSTORE_API_KEY: 'any-key-at-all' };

    const result = await execute(node, [launcher, 'categories', 'list', '--timeout', '9s'], {
      env,
    });

    expect(result).toMatchObject({ code: 5, stdout: '' });
    expect(result.stderr).toContain('petstore: 127.0.0.1:1 refused the connection\n');
  });
});
