import fc from 'fast-check';

/** What a terminal acts on, what hides, what takes no room, two cells or more, and what forges a table. */
const pieces = [
  ...['\u001b', '\u001b[31m', '\u001b[2J\u001b[H', '\u001b]0;gotcha\u0007'],
  ...['\u001b]52;c;Z290Y2hh\u0007', '\u001b]8;;https://pets.example\u001b\\'],
  ...['\u001b[?1049h', '\u001b[1A', '\u009b31m', '\u009d0;x\u009c', '\u001bc'],
  ...['\u0007', '\b', '\t', '\r', '\n', '\r\n', '\u0085', '\u2028', '\u202e', '\u2066'],
  ...['\u00a0', '\u3000', '\u200b', '\u200d', '\ufeff', '\u00ad', '\ufe0e', '\ufe0f'],
  ...['\u200c', '\ud83d', '\u{e0041}', '\\', '\\u{1b}', '[key]', '│ 9  │ cat │'],
  ...['└────┘', 'e\u0301', '\u0301', 'ก็', 'का', 'ा', 'ക്ഷ', 'ൎ', 'ᄀ', '한', '犬', 'ﾜﾝ'],
  ...['👩‍👩‍👧', '👍🏽', '❤️', '⭐\ufe0f', '1\ufe0f\u20e3', 'می\u200cخواهم', 'क्\u200dष'],
  ...['র\u200d\u09cdযাব', 'ᠬᠠᠷ\u180eᠠ', '🇩🇪', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', 'שלום', 'dog', ' '],
];

/** Names as nobody wants them: any text at all, and much that acts, hides or is hard to measure, heaped too. */
export const hostileName: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.array(fc.constantFrom(...pieces), { maxLength: 40 }).map((parts) => parts.join('')),
  fc
    .tuple(fc.constantFrom(...pieces), fc.integer({ min: 1, max: 300 }), fc.constantFrom(...pieces))
    .map(([piece, times, last]) => `x${piece.repeat(times)}${last}`),
);
