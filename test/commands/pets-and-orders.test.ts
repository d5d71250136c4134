import { describe } from 'vitest';
import { expect, reply, test } from '../support/petstore.ts';

describe('pets get', () => {
  test('shows the pet as it came, and that the operation goes away', async ({ petstore }) => {
    const table = await petstore('pets get 9007199254740993');
    const { events } = await petstore('pets get 1 --json');

    const operation = 'GET /pets/{petId}';
    const sunset = '2027-06-30T00:00:00Z';
    expect(table.exitCode).toBe(0);
    expect(table.stdout).toContain('│ id       │ 9007199254740993 │');
    expect(table.stderr).toContain(`deprecated: ${operation} will be removed on 2027-06-30\n`);
    expect(events()[0]).toEqual({ event: 'deprecation', operation, sunset, daysLeft: 221 });
  });

  test.for([
    ['Sun, 20 Dec 2026 15:04:00 GMT', 'will be removed on 2026-12-20', 30],
    ['Sat, 21 Nov 2026 23:59:59 GMT', 'will be removed on 2026-11-21, in 1 day', 1],
    ['Fri, 20 Nov 2026 15:04:00 GMT', 'will be removed on 2026-11-20, in less than a day', 0],
    ['Fri, 20 Nov 2026 15:03:59 GMT', 'was scheduled to be removed on 2026-11-20', -1],
    ['', 'will be removed; no date is published', undefined],
  ] as const)('with the date "%s": %s', async ([sunset, says, days], { petstore, sandbox }) => {
    sandbox.react = () => reply(200, '{}', sunset ? { sunset } : {});

    const text = await petstore('pets get 1');
    const json = await petstore('pets get 1 --json');

    expect([text.exitCode, json.exitCode]).toEqual([0, 0]);
    expect(text.stderr).toContain(`deprecated: GET /pets/{petId} ${says}\n`);
    expect(json.events()[0]).toMatchObject(
      days === undefined ? { sunset: null } : { daysLeft: days },
    );
  });

  test('an id with a slash stays one path segment', async ({ petstore, sandbox }) => {
    await petstore('pets get a/../b?c#d');

    expect(sandbox.requests[0]?.url.pathname).toBe('/v1/pets/a%2F..%2Fb%3Fc%23d');
    expect(sandbox.requests[0]?.url.search).toBe('');
  });
});

describe('orders list', () => {
  test.for([
    ['{"total":2,"orders":[{"id":1}]}', '│ orders │ [{"id":1}] │'],
    ['["a","b"]', '│ a     │'],
    ['[{"a":1},{"b":null}]', '│   │ null │'],
  ] as const)('shows %s: no shape is promised', async ([body, shows], { petstore, sandbox }) => {
    sandbox.react = () => reply(200, body);

    const table = await petstore('orders list');
    const json = await petstore('orders list --json');

    expect(table.exitCode).toBe(0);
    expect(table.stdout).toContain(shows);
    expect(json.stdout.replace(/\s/g, '')).toBe(body);
  });

  test.for([
    ['orders list -q', '', ''],
    ['orders list', '', 'petstore: No orders.\n'],
    ['api GET /store/orders', '[]\n', ''],
    ['orders list --json', '[]\n', ''],
  ] as const)('that has none: %s', async ([line, stdout, stderr], { petstore, sandbox }) => {
    sandbox.react = () => reply(200, '[]');

    expect(await petstore(line.split(' '))).toMatchObject({ exitCode: 0, stdout, stderr });
  });
});
