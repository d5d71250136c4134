import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeWindows, expect } from '../support/windows.ts';

const printArguments = 'process.stdout.write(JSON.stringify(process.argv.slice(1)))';

describeWindows((test) => {
  test('runs petstore and node by name, which the variable Path names', async ({ petstore }) => {
    const own = await petstore(['sandbox', '--', 'petstore', 'categories', 'list', '--json']);
    const node = await petstore(['sandbox', '--', 'node', '-p', 'process.env.PETSTORE_BASE_URL']);

    expect(own.code, own.stderr).toBe(0);
    expect(JSON.parse(own.stdout)).toHaveLength(3);
    expect(node.code, node.stderr).toBe(0);
    expect(node.stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1\n$/);
  });

  test('passes arguments on as they are', async ({ petstore }) => {
    const words = ['two words', 'a "quote"', 'C:\\folder\\', '100%', 'a&b', 'a^b', '!', ''];

    const { stdout } = await petstore(['sandbox', '--', 'node', '-e', printArguments, ...words]);

    expect(JSON.parse(stdout)).toEqual(words);
  });

  test('ends as its program did', async ({ petstore }) => {
    const { code, stderr } = await petstore(['sandbox', '--', 'node', '-e', 'process.exit(3)']);

    expect(code, stderr).toBe(3);
  });

  test('runs a batch file, whose path has a blank', async ({ petstore, folder }) => {
    mkdirSync(join(folder, 'my scripts'));
    writeFileSync(
      join(folder, 'my scripts', 'script.cmd'),
      '@petstore categories create owl --json\r\n@echo %1\r\n@exit 3\r\n',
    );

    const { code, stdout } = await petstore([
      ...['sandbox', '--', '.\\my scripts\\script.cmd', 'two words'],
    ]);

    expect(stdout).toBe('{\n  "id": 4,\n  "name": "owl"\n}\n"two words"\r\n');
    expect(code).toBe(3);
  });

  test('an unknown program is a usage error', async ({ petstore }) => {
    const { code, stdout, stderr } = await petstore(['sandbox', '--', 'nothing-here', 'x']);

    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('cannot run nothing-here: command not found');
  });
});
