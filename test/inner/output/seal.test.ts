import { expect, test } from 'vitest';
import { sealLines } from '../../../src/output/safe-text.ts';

test('what bypassed showText is stopped at the way out', () => {
  expect(sealLines('a\u001b[31m\nb\rc')).toBe('a\\u{1b}[31m\nb\\u{d}c');
});
