import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { showText } from '../../../src/output/safe-text.ts';
import { commandOn, quote, quoteFor, shellWord } from '../../../src/text/shell.ts';
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
        expect(isGiven && showText(command)).toBe(isGiven && command);
      }),
      trials(5_000),
    );
  });

  test.for([
    ['/home/anna/x', `rm -r '/home/anna/x'`],
    [`/home/it's/x`, `rm -r '/home/it'"'"'s/x'`],
    ['C:\\Users\\anna\\x', `Remove-Item -Recurse -LiteralPath 'C:\\Users\\anna\\x'`],
    [`d:/it's 100% $x/x`, `Remove-Item -Recurse -LiteralPath 'd:/it''s 100% $x/x'`],
    ['C:\\it’s\\x', `Remove-Item -Recurse -LiteralPath 'C:\\it’’s\\x'`],
    ['\\\\server\\share\\x', `Remove-Item -Recurse -LiteralPath '\\\\server\\share\\x'`],
  ] as const)('%s: %s', ([path, command]) => {
    expect(commandOn('rm -r', path)).toBe(command);
  });

  test('that is too long for a line of an error is not one', () => {
    expect(commandOn('rm', `/${'x'.repeat(250)}`)).toMatch(/^rm \(type the path by hand/);
  });
});

describe('a word for a command in a message', () => {
  test.for([
    ['rabbit', 'rabbit'],
    ['-5', '-5'],
    ['犬', `'犬'`],
    ['guinea pig', `'guinea pig'`],
    [`it's`, `'it'"'"'s'`],
    ['$(rm)', `'$(rm)'`],
    ['~', `'~'`],
    ['', `''`],
    ['-rf', undefined],
    ['--json', undefined],
    ['a\\b', `'a\\b'`],
    ['a\\u{7}', undefined],
    ['a\u0007', undefined],
    ['x'.repeat(251), undefined],
  ])('%s: %s', ([text, word]) => {
    expect(shellWord('linux', text ?? '')).toBe(word);
  });

  test.for([
    ['rabbit', 'rabbit'],
    ['guinea pig', '"guinea pig"'],
    [`it's & it’s`, `"it's & it’s"`],
    [`it's 100%`, `'it''s 100%'`],
    ['it’s „x“', `'it’’s „x“'`],
    ['$env:x `n', `'$env:x \`n'`],
    ['a\\b', `"a\\b"`],
    ['a\\', undefined],
    ['say "hi"', undefined],
    ['', undefined],
    ['--json', undefined],
  ])('%s in PowerShell: %s', ([text, word]) => {
    expect(shellWord('win32', text ?? '')).toBe(word);
  });

  test.for([
    ['linux', `'/it'"'"'s/x'`],
    ['win32', `"/it's/x"`],
  ])('always in quotes on %s: %s', ([platform, word]) => {
    expect(quoteFor(platform ?? '', `/it's/x`)).toBe(word);
  });
});
