import { describe } from 'vitest';
import { expect, reply, test } from '../support/petstore.ts';

const checkBaseUrl =
  'Check the base URL, which must include the version prefix (such as /v1): petstore config list\n';

describe('pets get', () => {
  test('shows the pet as it came, and that the operation goes away', async ({ petstore }) => {
    const result = await petstore(['pets', 'get', '9007199254740993']);

    expect(result.exitCode).toBe(0);
    expect(result.stdout).toContain('│ id       │ 9007199254740993 │');
    expect(result.stderr).toContain(
      'deprecated: GET /pets/{petId} will be removed on 2027-06-30\n',
    );
  });

  test('the date of the Sunset header is in the event', async ({ petstore }) => {
    const { events } = await petstore(['pets', 'get', '1', '--json']);

    expect(events()[0]).toEqual({
      event: 'deprecation',
      operation: 'GET /pets/{petId}',
      sunset: '2027-06-30T00:00:00Z',
      daysLeft: 221,
    });
  });

  test.for([
    ['Sun, 20 Dec 2026 15:04:00 GMT', 'will be removed on 2026-12-20', 30],
    ['Sun, 20 Dec 2026 15:03:59 GMT', 'will be removed on 2026-12-20, in 29 days', 29],
    ['Sat, 21 Nov 2026 23:59:59 GMT', 'will be removed on 2026-11-21, in 1 day', 1],
    ['Fri, 20 Nov 2026 15:04:00 GMT', 'will be removed on 2026-11-20, in less than a day', 0],
    ['Fri, 20 Nov 2026 15:03:59 GMT', 'was scheduled to be removed on 2026-11-20', -1],
    ['Thu, 01 Jan 1970 00:00:00 GMT', 'was scheduled to be removed on 1970-01-01', -20_778],
  ] as const)(
    'says how near the date is, and stays a success: %s',
    async ([sunset, says, daysLeft], { petstore, sandbox }) => {
      sandbox.react = () => reply(200, '{}', { sunset });

      const shown = await petstore(['pets', 'get', '1'], { columns: 200 });
      const json = await petstore(['pets', 'get', '1', '--json']);

      expect([shown.exitCode, json.exitCode]).toEqual([0, 0]);
      expect(shown.stderr).toContain(`\u001b[33mdeprecated: GET /pets/{petId} ${says}\u001b[39m\n`);
      expect(json.events()[0]).toMatchObject({ event: 'deprecation', daysLeft });
    },
  );

  test.for([{}, { sunset: 'next summer' }])(
    'says that no date is published when the header is %o',
    async (headers, { petstore, sandbox }) => {
      sandbox.reactions.push(reply(200, '{}', headers), reply(200, '{}', headers));

      const text = await petstore(['pets', 'get', '1']);
      const json = await petstore(['pets', 'get', '1', '--json']);

      expect(text.stderr).toContain('will be removed; no date is published');
      expect(json.events()[0]).toMatchObject({ event: 'deprecation', sunset: null });
    },
  );

  test('a pet that does not exist: exit 3, in the words of the service alone', async ({
    petstore,
  }) => {
    const result = await petstore(['pets', 'get', '404']);

    expect(result).toMatchObject({ exitCode: 3, stdout: '' });
    expect(result.stderr).toMatch(
      /\npetstore: the service refused the request \(404 not_found\): no such pet\n$/,
    );
  });

  test.for(['<h1>Not Found</h1>', '{"message":"no Route matched with those values"}'])(
    'a 404 that is no Error of the service asks for the base URL: %s',
    async (body, { petstore, sandbox }) => {
      sandbox.reactions.push(reply(404, body));

      const { exitCode, stderr } = await petstore(['pets', 'get', '1']);

      expect(exitCode).toBe(3);
      expect(stderr).toContain(checkBaseUrl);
    },
  );

  test.for([
    ['categories', 'list'],
    ['categories', 'create', 'rabbit'],
    ['orders', 'list'],
  ])(
    'a 404 where no id was asked for does, also with an Error of the service: %s %s',
    async (argv, { petstore, sandbox }) => {
      sandbox.reactions.push(reply(404, { code: 'not_found', message: 'no such path' }));

      const { exitCode, stderr } = await petstore(argv);

      expect(exitCode).toBe(3);
      expect(stderr).toContain(`(404 not_found): no such path\n`);
      expect(stderr.endsWith(checkBaseUrl)).toBe(true);
    },
  );

  test('an id with a slash stays one path segment', async ({ petstore, sandbox }) => {
    await petstore(['pets', 'get', 'a/../b?c#d']);

    expect(sandbox.requests[0]?.url.pathname).toBe('/v1/pets/a%2F..%2Fb%3Fc%23d');
    expect(sandbox.requests[0]?.url.search).toBe('');
  });

  test('numbers keep every digit and their form', async ({ petstore, sandbox }) => {
    const pet =
      '{"id":9223372036854775807,"weight":1.0,"big":1e3,"zero":-0,"list":[12345678901234567890]}';
    sandbox.reactions.push(reply(200, pet));

    expect((await petstore(['pets', 'get', '1', '-o', 'ndjson'])).stdout).toBe(`${pet}\n`);
  });
});

describe('an answer that is no record at all', () => {
  test.for([
    [['pets', 'get', '1'], '[]'],
    [['pets', 'get', '1'], 'null'],
    [['orders', 'list'], 'null'],
    [['orders', 'list'], '"none"'],
  ] as const)('%j: %s is exit 5', async ([argv, body], { petstore, sandbox }) => {
    sandbox.reactions.push(reply(200, body));

    expect(await petstore(argv)).toMatchObject({ exitCode: 5, stdout: '' });
  });
});

describe('orders list', () => {
  test('shows the orders with a column for each field that comes', async ({ petstore }) => {
    const { stdout } = await petstore(['orders', 'list']);

    expect(stdout).toContain('│ id │ petId            │ quantity │ complete │');
    expect(stdout).toContain('│ 2  │ 9007199254740993 │ 2        │ false    │');
  });

  test.for([
    ['an object', '{"total":2,"orders":[{"id":1}]}', '│ orders │ [{"id":1}] │'],
    ['a list of words', '["a","b"]', '│ a     │'],
    ['a record of what every object has', '[{"constructor":1},{"a":2}]', '│             │ 2 │'],
    ['records that differ', '[{"a":1},{"b":null}]', '│   │ null │'],
  ] as const)(
    '%s is shown as it comes: the document promises no shape',
    async ([, body, shows], { petstore, sandbox }) => {
      sandbox.reactions.push(reply(200, body), reply(200, body));

      const table = await petstore(['orders', 'list']);
      const json = await petstore(['orders', 'list', '--json']);

      expect(table.exitCode).toBe(0);
      expect(table.stdout).toContain(shows);
      expect(json.stdout.replace(/\s/g, '')).toBe(body);
    },
  );

  test('no orders are a sentence on stderr, or an empty list', async ({ petstore, sandbox }) => {
    sandbox.react = () => reply(200, '[]');

    const table = await petstore(['orders', 'list', '-q']);
    const text = await petstore(['orders', 'list']);
    const api = await petstore(['api', 'GET', '/store/orders']);
    const json = await petstore(['orders', 'list', '--json']);

    expect(table).toMatchObject({ exitCode: 0, stdout: '', stderr: '' });
    expect(text).toMatchObject({ stdout: '', stderr: 'petstore: No orders.\n' });
    expect(api).toMatchObject({ stdout: '', stderr: 'petstore: The list is empty.\n' });
    expect(json).toMatchObject({ stdout: '[]\n', stderr: '' });
  });
});
