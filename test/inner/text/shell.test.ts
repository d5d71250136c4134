import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { escapeText } from '../../../src/json/safe-text.ts';
import { commandOn, quote, shellWord } from '../../../src/text/shell.ts';
import { trials } from '../../support/trials.ts';

describe('a command on a path', () => {
  test('is quoted and shown just as it is, or not given as a command', () => {
    const name = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 12 }),
      fc.string({ unit: fc.constantFrom(...`'"\\$\`!;# \n/aé\u200b\u3164漢`), maxLength: 12 }),
    );
    fc.assert(
      fc.property(name, (text) => {
        const command = commandOn('rm', `/${text}`);
        const isGiven = !command.startsWith('rm (');
        expect(isGiven && command).toBe(isGiven && `rm ${quote(`/${text}`)}`);
        expect(isGiven && escapeText(command)).toBe(isGiven && command);
      }),
      trials(5_000),
    );
  });

  test.for([
    ['/home/anna/x', `rm -r '/home/anna/x'`],
    [`/home/it's/x`, `rm -r '/home/it'"'"'s/x'`],
    ['C:\\Users\\anna\\x', `rm -r 'C:\\Users\\anna\\x'`],
  ] as const)('%s: %s', ([path, command]) => {
    expect(commandOn('rm -r', path)).toBe(command);
  });

  test('that is too long for a line of an error is not one', () => {
    expect(commandOn('rm', `/${'x'.repeat(250)}`)).toMatch(/^rm \(type the path by hand/);
  });
});

test('a word for a command in a message is quoted for every shell, or not given', () => {
  const rows: readonly (readonly [text: string, word?: string])[] = [
    ['rabbit', 'rabbit'],
    ['-5', '-5'],
    ['犬', `'犬'`],
    ['guinea pig', `'guinea pig'`],
    ['$HOME `x`', `'$HOME \`x\`'`],
    ['~', `'~'`],
    ['', `''`],
    ...[`it's`, 'it’s', 'say "hi"', '$(rm)', 'a & b', '100%', '-rf', '--json'].map(
      (text) => [text] as const,
    ),
    ...['a\\', 'a\\u{7}', 'a\u0007', 'x'.repeat(251)].map((text) => [text] as const),
  ];
  for (const [text, word] of rows) expect(shellWord(text), text).toBe(word);
});
