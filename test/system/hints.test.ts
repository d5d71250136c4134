import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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
