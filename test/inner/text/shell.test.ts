import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { escapeText } from '../../../src/json/safe-text.ts';
import { commandOn, quoteForShell } from '../../../src/text/shell.ts';
import { trials } from '../../support/random.ts';

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
        expect(isGiven && command).toBe(isGiven && `rm ${quoteForShell(`/${text}`)}`);
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
