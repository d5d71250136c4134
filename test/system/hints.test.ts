import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { quoteForShell } from '../../src/text/shell.ts';
import { expect, test } from '../support/petstore.ts';
import { trials } from '../support/random.ts';

test('a hint pasted into a shell does what it says, and no harm', async ({ petstore, folder }) => {
  const name = `it's $(touch pwned); touch pwned #`;
  const keys = join(folder, name, 'keys');
  const key = join(keys, 'production.json');
  mkdirSync(keys, { recursive: true });
  writeFileSync(key, '{}', { mode: 0o644 });

  const env = { PETSTORE_API_KEY: undefined, PETSTORE_CONFIG_DIR: join(folder, name) };
  const { stderr } = await petstore('auth status', { env });
  const [, command = ''] = /^Run: (.*)$/m.exec(stderr) ?? [];
  spawnSync('sh', ['-c', command], { cwd: folder });

  expect(statSync(key).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toEqual([name]);
});

const row = '{"NAME":"ant","Description":"six legs","Extra":1,"__proto__":{}}';
test.for([
  ['rows.json', `[${row},{"name":"bee","it's":2}]`],
  ['rows.ndjson', `${row}\n{"name":"bee","a.\\"b":2}\n`],
  [`it's $(touch pwned) [1].JSON`, `[${row},{"name":"bee","size":2}]`],
] as const)(
  'the hint for %s makes a file that has its data: %s',
  { tags: ['jq'] },
  async ([name, text], { petstore, folder, sandbox }) => {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    const load = (path: string) => petstore(['categories', 'import', path, '--yes', '-q']);

    const { stderr } = await load(file);
    const [, command = ''] = /Run: (jq .*)$/m.exec(stderr) ?? [];
    execFileSync('sh', ['-c', command], { cwd: folder });
    const [copy = ''] = readdirSync(dirname(file)).filter((name) => name.includes('-new'));
    const { exitCode, stderr: said } = await load(join(dirname(file), copy));

    expect(exitCode, `${stderr}${said}`).toBe(0);
    expect(readFileSync(file, 'utf8')).toBe(text);
    expect(sandbox.categories.map(({ name, description }) => [name, description])).toEqual([
      ['ant', 'six legs'],
      ['bee', undefined],
    ]);
  },
);

test('quoted text is one word for a shell, whatever is in it', () => {
  const path = fc
    .oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }), fc.string())
    .map((text) => text.replaceAll('\0', ''));
  const mixed = fc.array(fc.constantFrom(...`'"\\$\`!;# \n/a-*`), { maxLength: 12 });
  const joined = mixed.map((characters) => characters.join(''));
  const texts = [...fc.sample(path, trials(1_000)), ...fc.sample(joined, trials(1_000))];
  // A lone surrogate becomes U+FFFD on its way to a process.
  const words = texts.map((text) => `/${Buffer.from(text)}`);

  const input = `printf '%s\\0' ${words.map(quoteForShell).join(' ')}`;
  const stdout = execFileSync('sh', [], { input, encoding: 'utf8' });

  expect(stdout.split('\0').slice(0, -1)).toEqual(words);
});
