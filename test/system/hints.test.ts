import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe } from 'vitest';
import { quote } from '../../src/text/shell.ts';
import { test as base, expect } from '../support/program.ts';
import { trials } from '../support/trials.ts';

type Followed = {
  readonly hint: string;
  /** Of the file that the hint is about. */
  readonly mode: number;
  /** Whether a part of the name was run as a command. */
  readonly sprang: boolean;
};

const test = base.extend<{ followHint: (name: string) => Promise<Followed> }>({
  /** Has petstore find a key that others can read in a folder of that name, and runs the last line of what it says. */
  followHint: ({ folder, petstore, execute }, use) =>
    use(async (name) => {
      const config = join(folder, name);
      const key = join(config, 'keys', 'production.json');
      mkdirSync(join(config, 'keys'), { recursive: true });
      writeFileSync(key, '{}', { mode: 0o644 });

      const env = { PETSTORE_CONFIG_DIR: config };
      const { stderr } = await petstore(['auth', 'status'], { env });
      const hint = stderr.trimEnd().split('\n').at(-1) ?? '';
      await execute('sh', ['-c', hint]);

      const mode = statSync(key).mode & 0o777;
      return { hint, mode, sprang: existsSync(join(folder, 'pwned')) };
    }),
});

const pastable = [
  `it's; touch pwned #`,
  `'; touch pwned; '`,
  `"; touch pwned; "`,
  `'"'"'; touch pwned #`,
  '$(touch pwned)',
  '`touch pwned`',
  '$HOME ~ * ? [a] {a,b} !x',
  'a & touch pwned | touch pwned > pwned',
  ' spaces  in it ',
  'a\\b; touch pwned #',
  'Łódź, 東京, Αθήνα',
];
const notPastable = [
  'a\\u{1b}; touch pwned #',
  'a\ntouch pwned',
  'a\u001b[31m; touch pwned #',
  'a\u200b; touch pwned #',
  'a\u3164; touch pwned #',
];

describe('the command of a hint, pasted into a shell', () => {
  test.for(pastable)(
    'does what it says where a folder is called %j',
    async (name, { followHint }) => {
      const { hint, mode, sprang } = await followHint(name);

      expect({ hint, mode, sprang }).toEqual({
        hint: expect.stringMatching(/^chmod 600 '/),
        mode: 0o600,
        sprang: false,
      });
    },
  );

  test.for(notPastable)(
    'is not given, and does nothing, where it is called %j',
    async (name, { followHint }) => {
      const { hint, mode, sprang } = await followHint(name);

      expect({ hint, mode, sprang }).toEqual({
        hint: expect.stringMatching(/^chmod 600 \(type the path by hand/),
        mode: 0o644,
        sprang: false,
      });
    },
  );
});

test('quoted text is one word for a shell, whatever is in it', async ({ execute }) => {
  const path = fc
    .oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }), fc.string())
    .map((text) => `/${text.replaceAll('\0', '')}`);
  const paths = fc.sample(path, trials(1_000));
  const mixed = fc.sample(
    fc.array(fc.constantFrom(...`'"\\$\`!;# \n/a-*`), { maxLength: 12 }),
    trials(1_000),
  );
  const texts = [...paths, ...mixed.map((characters) => `/${characters.join('')}`)];
  // What a lone half of a character becomes on its way to a process.
  const words = texts.map((text) => Buffer.from(text).toString());

  const { stdout } = await execute('sh', [], {
    stdin: `printf '%s\\0' ${words.map(quote).join(' ')}`,
  });

  expect(stdout.split('\0').slice(0, -1)).toEqual(words);
});
