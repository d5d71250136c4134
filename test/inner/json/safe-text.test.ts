import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { escapeLines, escapeText } from '../../../src/json/safe-text.ts';
import { isNightly, trials } from '../../support/trials.ts';

/** All in one pattern, which tries each emoji at each character: what escaping means, were time no matter. */
const plain = new RegExp(
  [
    String.raw`\p{RGI_Emoji}(?:(?<!\ufe0f)\ufe0f)?`,
    String.raw`(?<=[[\u0600-\u0dff\u1780-\u17b3\u17b6-\u180a\u1810-\u18af]&&[\p{L}\p{M}]])(?<!\p{M}{11})[\u200c\u200d\u180b-\u180f]`,
    String.raw`([\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\u{e0000}-\u{e0fff}])`,
    String.raw`((?<=\p{M}{10})\p{M})`,
  ].join('|'),
  'gv',
);
/** The blocks of 4,096 code points with the marks, joiners, emoji, surrogates and selectors. */
const most = [0x0, 0x1, 0x2, 0x3, 0xd, 0xf, 0x1f, 0xe0];

const plainly = (text: string) =>
  text.replace(plain, (found: string, hidden, mark) =>
    hidden || mark ? `\\u{${found.codePointAt(0)?.toString(16)}}` : found,
  );
const inLines = (text: string) => text.replaceAll('\\u{a}', '\n').replaceAll('\\u{9}', '\t');

const isPlain = (text: string) =>
  escapeText(text) === plainly(text) && escapeLines(text) === inLines(plainly(text));

describe('escaping is that of the plain pattern', () => {
  test.for([
    ['alone', ''],
    ['before a selector', '\ufe0f'],
    ['before a keycap', '\u20e3'],
    ['before a selector and a keycap', '\ufe0f\u20e3'],
    ['before a skin tone', '\u{1f3fd}'],
  ])('for every code point %s', ([, next]) => {
    for (const block of isNightly ? Array(0x110).keys() : most) {
      const points = Array.from({ length: 0x1000 }, (_, n) =>
        String.fromCodePoint(0x1000 * block + n),
      );
      expect(points.map((point) => point + next).filter((text) => !isPlain(text))).toEqual([]);
    }
  });

  test('for texts that mix what acts, joins, counts and hides', () => {
    const pieces =
      'a 1 # * 5 \n \t \u001b \u0085 é 猫 ب م क \u094d \u200c \u200d \u180b ᠰ \ufe0f \ufe0e \u20e3 ❤ ☎ © 👩 👧 🏽 🏳 🌈 🇩 🇪 🏴 \u{e0067} \u{e007f} \u0301 \u064e \u3164 \u202e \ud83d \udc69 \\ x\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301';
    const text = fc.array(fc.constantFrom(...pieces.split(/ /)), { maxLength: 30 });
    fc.assert(
      fc.property(text, (parts) => isPlain(parts.join(''))),
      trials(20_000),
    );
  });
});
