import { expect, test } from '../support/petstore.ts';

test('pets get shows the pet as it came, and that the operation goes away', async ({
  petstore,
}) => {
  const table = await petstore('pets get 9007199254740993');
  const { events } = await petstore('pets get 1 --json');

  const operation = 'GET /pets/{petId}';
  const sunset = '2027-06-30T00:00:00Z';
  expect(table.stdout).toContain('│ id       │ 9007199254740993 │');
  expect(table.stderr).toContain(`deprecated: ${operation} will be removed on 2027-06-30\n`);
  expect(events()[0]).toEqual({ event: 'deprecation', operation, sunset, daysLeft: 221 });
});
