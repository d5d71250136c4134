import { expect, reply, test } from '../support/petstore.ts';

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

test.for([
  ['{"total":2,"orders":[{"id":1}]}', '│ orders │ [{"id":1}] │'],
  ['["a","b"]', '│ a     │'],
  ['[{"a":1},{"b":null}]', '│   │ null │'],
])(
  'orders list shows %s: no shape is promised',
  async ([body = '', shows], { petstore, sandbox }) => {
    sandbox.react = () => reply(200, body);

    const table = await petstore('orders list');
    const json = await petstore('orders list --json');

    expect(table.stdout).toContain(shows);
    expect(json.stdout.replace(/\s/g, '')).toBe(body);
  },
);

test.for([
  ['orders list -q', '', ''],
  ['orders list', '', 'petstore: No orders.\n'],
  ['api GET /store/orders', '[]\n', ''],
  ['orders list --json', '[]\n', ''],
] as const)('no orders: %s', async ([line, stdout, stderr], { petstore, sandbox }) => {
  sandbox.react = () => reply(200, '[]');

  expect(await petstore(line)).toMatchObject({ exitCode: 0, stdout, stderr });
});
