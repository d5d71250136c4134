import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mayBeKey } from '../../../src/text/secret.ts';

const lowerCase = 'abcdefghijklmnopqrstuvwxyz';
const anyCase = lowerCase + lowerCase.toUpperCase();

/** SECURITY.md states these shares. Any key with a digit is withheld: commands/key-in-words.test.ts. */
test.each([
  [lowerCase, 20, 1_000, 1_000],
  [lowerCase, 21, 0, 0],
  [anyCase, 16, 0, 50],
  [anyCase, 32, 0, 5],
])(
  'of a thousand keys of %s with %i characters, %i to %i look like words',
  (letters, length, min, max) => {
    const key = fc.string({
      unit: fc.constantFrom(...letters),
      minLength: length,
      maxLength: length,
    });
    const shown = fc.sample(key, 1_000).filter((text) => !mayBeKey(text)).length;

    expect(shown).toBeGreaterThanOrEqual(min);
    expect(shown).toBeLessThanOrEqual(max);
  },
);
