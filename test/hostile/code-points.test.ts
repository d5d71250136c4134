import { describe, expect, test } from 'vitest';
import { showText } from '../../src/output/safe-text.ts';

const forbidden =
  /[\p{Cc}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]/u;

describe('text of others', () => {
  test('no single code point of Unicode gets through that should not', () => {
    // Ends where surrogates change from first to second halves, so that no two make a pair.
    const block = 256;
    for (let first = 0; first <= 0x10ffff; first += block) {
      const codes = Array.from({ length: block }, (_, offset) => first + offset);
      expect(showText(String.fromCodePoint(...codes))).not.toMatch(forbidden);
    }
  });
});
