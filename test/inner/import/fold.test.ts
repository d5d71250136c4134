import fc from 'fast-check';
import { expect, test } from 'vitest';
import { foldName } from '../../../src/import/fates.ts';
import { hostileName } from '../../support/names.ts';
import { trials } from '../../support/random.ts';

/** Two spellings of one letter, of a space, and of nothing. */
const spellings = [
  ...'a:A ß:ss ẞ:SS ﬁ:FI Ｄ:d ①:1 µ:Μ é:e\u0301 É:e\u0301 ǰ:J\u030c İ:i\u0307 \u212a:k'.split(' '),
  ...'ı:ı ς:Σ σ:ς ŉ:ʼN ﾜ:ワ 한:\u1112\u1161\u11ab ſ:S'.split(' '),
  ...[' :\u00a0', '  :\u3000', ':\u200b', ':\u00ad', ':\u2060', ':\ufe0f'],
].map((pair) => pair.split(':'));

const pair = fc
  .array(fc.constantFrom(...spellings), { maxLength: 12 })
  .map((parts) => [parts.map(([one]) => one).join('x'), parts.map(([, other]) => other).join('x')]);

test('the fold of a fold is the same', () => {
  const name = fc.oneof(hostileName, pair.map(String), fc.string({ unit: 'binary' }));
  fc.assert(
    fc.property(name, (name) => {
      expect(foldName(foldName(name))).toBe(foldName(name));
    }),
    trials(10_000),
  );
});

test('names that differ in the spelling of a letter have one fold', () => {
  fc.assert(
    fc.property(pair, ([one = '', other = '']) => {
      expect(foldName(one)).toBe(foldName(` ${other} `));
    }),
    trials(10_000),
  );
});

test.each([
  ['ırmak', 'irmak'],
  ['résumé', 'resume'],
  ['dog', 'dog 2'],
  ['a-b', 'ab'],
  ['oe', 'œ'],
])('%s and %s are two names', (one, other) => {
  expect(foldName(one)).not.toBe(foldName(other));
});
