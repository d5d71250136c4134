import { expect, test } from 'vitest';
import { exact, type JsonObject } from '../../../src/json/exact.ts';
import { survey } from '../../../src/output/grid.ts';

/** So many records with so many fields in common, in pieces of a thousand. */
function* records(thousands: number, fields: number): Generator<JsonObject[]> {
  const names = Array.from({ length: fields }, (_, n) => `field${n}`);
  const record = Object.fromEntries(names.map((name) => [name, exact(1)]));
  for (let n = 0; n < thousands; n += 1) yield Array(1_000).fill(record);
}

test.for([
  { thousands: 100, fields: 20, columns: 20 },
  { thousands: 10, fields: 100, columns: 100 },
  // A cell for each would fill the memory.
  { thousands: 100, fields: 21, columns: 1 },
])(
  '$thousands thousand records with $fields fields have $columns columns',
  async ({ thousands, fields, columns }) => {
    const { there } = await survey(records(thousands, fields), undefined);

    expect(there).toHaveLength(columns);
  },
);

test('a long list has the columns that are asked for', async () => {
  const { toRecords } = await survey(records(600, 2), 2);

  expect(toRecords([{ field0: 'a' }])).toEqual([{ field0: 'a' }]);
});
