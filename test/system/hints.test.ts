import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { quoteForShell } from '../../src/text/shell.ts';
import { expect, test } from '../support/petstore.ts';
import { trials } from '../support/trials.ts';

const quoted = /^chmod 600 '/;
const byHand = /^chmod 600 \(type the path by hand/;

/** Names of folders, with the hint about a file in them, and the mode of the file once a shell has run that hint. */
const rows = [
  [`it's; touch pwned #`, quoted, 0o600],
  ['$(touch pwned)', quoted, 0o600],
  ['$HOME ~ * ? [a] {a,b} !x', quoted, 0o600],
  ['a\ntouch pwned', byHand, 0o644],
  ['a\u001b[31m; touch pwned #', byHand, 0o644],
] as const;

test.for(rows)(
  'a hint pasted into a shell does no harm in %j',
  async ([name, hint, mode], { petstore, folder }) => {
    const keys = join(folder, name, 'keys');
    const key = join(keys, 'production.json');
    mkdirSync(keys, { recursive: true });
    writeFileSync(key, '{}', { mode: 0o644 });

    const env = { PETSTORE_API_KEY: undefined, PETSTORE_CONFIG_DIR: join(folder, name) };
    const { stderr } = await petstore('auth status', { env });
    const command = stderr.trimEnd().split('\n').at(-1)?.replace('Run: ', '') ?? '';
    spawnSync('sh', ['-c', command], { cwd: folder });

    expect(command).toMatch(hint);
    expect(statSync(key).mode & 0o777).toBe(mode);
    expect(existsSync(join(folder, 'pwned'))).toBe(false);
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
