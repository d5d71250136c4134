import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { describe } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { launcher, test } from '../support/program.ts';

/** This one, and those that the variable lists, separated by colons. */
const nodes = [process.execPath, ...(process.env.PETSTORE_TEST_NODES ?? '').split(':')].filter(
  Boolean,
);

/** Command lines against a fresh sandbox, the last one with a base URL and a key that were saved. */
const script = `
petstore categories create ferret --json &&
petstore categories list &&
petstore pets get 9007199254740993 -o ndjson &&
petstore config set base-url "$PETSTORE_BASE_URL" &&
echo "$PETSTORE_API_KEY" | petstore auth login &&
unset PETSTORE_API_KEY PETSTORE_BASE_URL &&
petstore categories list -o ndjson --max-wait 0
`;

describe.concurrent.each(nodes)('on %s', (node) => {
  test('answers --version and --help', async ({ execute, expect }) => {
    const version = await execute(node, [launcher, '--version']);
    const help = await execute(node, [launcher, '--help']);

    expect(version).toEqual({ code: 0, stdout: `${manifest.version}\n`, stderr: '' });
    expect(help).toMatchObject({ code: 0, stdout: expect.stringContaining('categories list') });
  });

  test('creates, lists, saves settings and a key, and uses them', async ({
    execute,
    folder,
    expect,
  }) => {
    writeFileSync(join(folder, 'data.json'), '[{"id":9223372036854775807,"name":"last"}]');

    const argv = ['sandbox', '--data', 'data.json', '--', 'sh', '-c', script];
    const env = { PATH: `${dirname(node)}:${process.env.PATH}` };
    const { code, stdout, stderr } = await execute(node, [launcher, ...argv], { env });

    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout.slice(0, stdout.indexOf('}') + 1)).name).toBe('ferret');
    expect(stdout).toContain('│ 9223372036854775807 │ last');
    expect(stdout).toContain('{"id":9007199254740993,');
    expect(stdout).toMatch(
      /^\{"id":9223372036854775807,"name":"last"\}\n\{"id":\d+,"name":"ferret"\}$/m,
    );
    expect(stderr).toMatch(/^rate limit: 58 of 60 left, resets in (1m|\d+s) \(\d\d:\d\d:\d\dZ\)$/m);
  });
});

test.for([
  ['18.20.4', 'categories list -p sandbox', 2],
  ['20.18.3', '--version', 2],
  ['20.19.0', '--version', 0],
  ['21.0.0', 'doctor -p sandbox', 0],
] as const)(
  'Node %s for petstore %s: exit %i',
  async ([version, line, exit], { execute, folder, expect }) => {
    const older = join(folder, 'older.cjs');
    writeFileSync(
      older,
      `Object.defineProperty(process.versions, 'node', { value: '${version}' })`,
    );

    const argv = ['-r', older, launcher, ...line.split(' ')];
    const { code, stdout, stderr } = await execute(process.execPath, argv);

    expect(code, stderr).toBe(exit);
    if (exit === 0) return;
    const needed = manifest.engines.node.replace('>=', '');
    const found = `${process.version} (${process.execPath})`;
    const says = `petstore needs Node ${needed} or later; this is ${found}\nNothing was sent.\n`;
    expect([stdout, stderr]).toEqual(['', says]);
  },
);

test('the launcher is written in the language of Node 8, which can then say what it needs', ({
  expect,
}) => {
  const text = readFileSync(launcher, 'utf8');
  const writeFor = (target: ts.ScriptTarget) =>
    ts.transpile(text, { target, module: ts.ModuleKind.CommonJS });

  expect(writeFor(ts.ScriptTarget.ES2017)).toBe(writeFor(ts.ScriptTarget.ESNext));
});

test('a checkout that is not built says how to build it', async ({ execute, folder, expect }) => {
  for (const part of ['bin', 'package.json', 'build.mjs']) {
    cpSync(part, join(folder, part), { recursive: true });
  }

  const list = await execute(process.execPath, ['bin/petstore.js', 'categories', 'list']);
  const build = await execute(process.execPath, ['build.mjs']);

  expect(list).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('\nRun: npm ci --include=dev\n'),
  });
  expect(build).toMatchObject({
    code: 1,
    stderr: 'the build needs the development packages: npm ci --include=dev\n',
  });
});
