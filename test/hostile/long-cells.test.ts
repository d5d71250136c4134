import { describe } from 'vitest';
import { ExactNumber } from '../../src/json/exact.ts';
import { expect, test } from '../support/petstore.ts';

describe('the lines of a table', () => {
  test.for(['犬', 'a\u0301', '\u001b', '👩‍👩‍👧'])(
    'are cut out of a megabyte of %j at once',
    async (character, { petstore, sandbox }) => {
      const name = character.repeat(1e6 / Buffer.byteLength(JSON.stringify(character).slice(2)));
      sandbox.categories.push({ id: new ExactNumber('1'), name });

      const { stdout } = await petstore(['categories', 'list', '--no-color'], { columns: 40 });

      expect(stdout.split('\n')[3]).toContain('…');
    },
  );
});
