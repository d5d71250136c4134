import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isSurelyNewCategory, NewCategory } from '../../../src/api/resources.ts';
import { trials } from '../../support/trials.ts';

test('what is quickly taken for a new category is one, and the other way round', () => {
  const field = fc.option(
    fc.oneof(fc.string(), fc.constantFrom(' ', '\u3000\t', '\ufeff'), fc.anything()),
    { nil: undefined },
  );
  const fields = fc.record({ name: field, description: field }, { requiredKeys: [] });
  fc.assert(
    fc.property(fields, (it) => {
      expect(isSurelyNewCategory(it)).toBe(NewCategory.safeParse(it).success);
    }),
    trials(1_000),
  );
});
