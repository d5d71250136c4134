import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
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

describe('pets get --fail-on-deprecated', () => {
  const argv = ['pets', 'get', '1', '--fail-on-deprecated'];
  const operation = 'GET /pets/{petId} is deprecated';
  const sunsets = (folder: string) => join(folder, 'state/deprecations/sunsets.json');

  test('sends one request, prints no pet, and sends none once the date is known', async ({
    petstore,
    sandbox,
  }) => {
    const first = await petstore(argv);
    const second = await petstore(argv);
    const json = await petstore([...argv, '--json']);

    expect(first).toMatchObject({ exitCode: 3, stdout: '' });
    expect(first.stderr.split('\n').slice(-2)).toEqual([
      `petstore: ${operation}; the service removes it on 2027-06-30`,
      '',
    ]);
    expect(second).toMatchObject({
      exitCode: 3,
      stdout: '',
      stderr: `petstore: ${operation}; the service removes it on 2027-06-30\nNothing was sent.\nTo send the request, leave out --fail-on-deprecated.\n`,
    });
    expect(json.events()).toEqual([
      {
        event: 'error',
        kind: 'refused',
        message: `${operation}; the service removes it on 2027-06-30`,
        hint: 'To send the request, leave out --fail-on-deprecated.',
        outcome: 'not_sent',
        exitCode: 3,
      },
    ]);
    expect(sandbox.requests).toHaveLength(1);
  });

  test('the error after a request says nothing of an outcome', async ({ petstore }) => {
    const { events } = await petstore([...argv, '--json']);

    expect(events().map(({ event }) => event)).toEqual(['deprecation', 'rate_limit', 'error']);
    expect(events().at(-1)).not.toHaveProperty('outcome');
  });

  test.for([{}, { sunset: 'next summer' }])(
    'sends a request each time while the service sends no date: %o',
    async (headers, { petstore, sandbox, folder }) => {
      sandbox.react = () => reply(200, '{"id":1}', headers);

      for (const sent of [1, 2]) {
        const { exitCode, stdout, stderr } = await petstore(argv);

        expect({ exitCode, stdout }).toEqual({ exitCode: 3, stdout: '' });
        expect(stderr.endsWith(`petstore: ${operation}\n`)).toBe(true);
        expect(sandbox.requests).toHaveLength(sent);
      }
      expect(existsSync(dirname(sunsets(folder)))).toBe(false);
    },
  );

  test('the date is past: says that it was scheduled', async ({ petstore, sandbox }) => {
    sandbox.react = () => reply(200, '{}', { sunset: 'Sun, 01 Nov 2026 00:00:00 GMT' });

    for (const _ of [1, 2]) {
      const { exitCode, stderr } = await petstore(argv);

      expect(exitCode).toBe(3);
      expect(stderr).toContain(`${operation}; it was scheduled to be removed on 2026-11-01\n`);
    }
    expect(sandbox.requests).toHaveLength(1);
  });

  test.for(['1', '404'])(
    'knows the date from a run without the flag, of pet %s',
    async (id, { petstore, sandbox }) => {
      await petstore(['pets', 'get', id]);

      expect((await petstore(argv)).stderr).toContain('Nothing was sent.\n');
      expect(sandbox.requests).toHaveLength(1);
    },
  );

  test('a failure of the request is that failure', async ({ petstore, sandbox }) => {
    sandbox.react = () => reply(404, { code: 'not_found', message: 'no such pet' });

    const { exitCode, stderr } = await petstore(argv);

    expect(exitCode).toBe(3);
    expect(stderr).toContain('(404 not_found): no such pet\n');
  });

  test('the date of another service, or of a new date, is not the one known', async ({
    petstore,
    sandbox,
  }) => {
    await petstore(argv);
    const env = { PETSTORE_BASE_URL: 'http://127.0.0.1:4011/v1' };
    await petstore(argv, { env });
    expect(sandbox.requests).toHaveLength(2);

    sandbox.react = () => reply(200, '{}', { sunset: 'Mon, 01 Feb 2027 00:00:00 GMT' });
    await petstore(['pets', 'get', '1']);

    expect((await petstore(argv)).stderr).toContain('removes it on 2027-02-01\n');
    expect((await petstore(argv, { env })).stderr).toContain('removes it on 2027-06-30\n');
    expect(sandbox.requests).toHaveLength(3);
  });

  test('the sandbox of the profile is a service like any other', async ({ petstore, sandbox }) => {
    sandbox.react = () => reply(200, '{}', { sunset: 'Wed, 30 Jun 2027 00:00:00 GMT' });
    const first = await petstore([...argv, '-p', 'sandbox']);
    sandbox.requests.length = 0;
    const second = await petstore([...argv, '-p', 'sandbox']);

    expect(first.stderr).toContain('removes it on 2027-06-30\n');
    expect(second.stderr).toContain('Nothing was sent.\n');
    expect(sandbox.requests).toHaveLength(0);
  });

  test('the file is private, and written only where the date changes', async ({
    petstore,
    folder,
  }) => {
    await petstore(['pets', 'get', '1']);
    const before = statSync(sunsets(folder));
    await petstore(['pets', 'get', '2']);
    await petstore(argv);

    const { ino, mode } = statSync(sunsets(folder));
    expect({ ino, mode: mode & 0o777 }).toEqual({ ino: before.ino, mode: 0o600 });
    expect(statSync(dirname(sunsets(folder))).mode & 0o777).toBe(0o700);
    expect(JSON.parse(readFileSync(sunsets(folder), 'utf8'))).toEqual({
      'http://127.0.0.1:4010/v1 GET /pets/{petId}': '2027-06-30T00:00:00Z',
    });
  });

  test('the file keeps the last 100 dates', async ({ petstore, folder }) => {
    const old = Array.from({ length: 100 }, (_, n) => [`old ${n}`, '2027-06-30T00:00:00Z']);
    mkdirSync(dirname(sunsets(folder)), { recursive: true, mode: 0o700 });
    writeFileSync(sunsets(folder), JSON.stringify(Object.fromEntries(old)));

    await petstore(['pets', 'get', '1']);

    const names = Object.keys(JSON.parse(readFileSync(sunsets(folder), 'utf8')));
    expect(names).toHaveLength(100);
    expect([names.at(0), names.at(-1)]).toEqual([
      'old 1',
      'http://127.0.0.1:4010/v1 GET /pets/{petId}',
    ]);
  });

  test.for([
    ['no JSON', '{'],
    ['no object', '7'],
    ['null', 'null'],
    ['a number', '{"http://127.0.0.1:4010/v1 GET /pets/{petId}":7}'],
    ['no date', '{"http://127.0.0.1:4010/v1 GET /pets/{petId}":"soon"}'],
    ['too long', `{"a":"${'x'.repeat(70_000)}"}`],
  ] as const)(
    'a file that is %s is as none, and is replaced',
    async ([, text], { petstore, folder, sandbox }) => {
      mkdirSync(dirname(sunsets(folder)), { recursive: true, mode: 0o700 });
      writeFileSync(sunsets(folder), text);

      const first = await petstore(argv);
      const second = await petstore(argv);

      expect([first.exitCode, second.exitCode]).toEqual([3, 3]);
      expect(second.stderr).toContain('Nothing was sent.\n');
      expect(sandbox.requests).toHaveLength(1);
    },
  );

  test('leaves the date to another process that saves one just now', async ({
    petstore,
    folder,
  }) => {
    const lock = `${sunsets(folder)}.lock`;
    mkdirSync(lock, { recursive: true, mode: 0o700 });
    chmodSync(dirname(lock), 0o700);
    writeFileSync(join(lock, 'mark'), '{"pid":1,"host":"here","since":0}');

    const { exitCode, stderr } = await petstore(['pets', 'get', '1', '-v']);

    expect(exitCode).toBe(0);
    expect(stderr).not.toContain('cannot save');
    expect(existsSync(sunsets(folder))).toBe(false);
    expect(existsSync(join(lock, 'mark'))).toBe(true);
  });

  test.for(['a folder that others can write to', 'a link', 'a file', 'no home folder'])(
    '%s is as none, fails no command, and is said with --verbose alone',
    async (what, { petstore, folder, sandbox }) => {
      const state = join(folder, 'state');
      const place = join(state, 'deprecations');
      mkdirSync(state);
      mkdirSync(join(folder, 'elsewhere'));
      if (what === 'a link') symlinkSync(join(folder, 'elsewhere'), place);
      if (what === 'a file') writeFileSync(place, '');
      if (what.startsWith('a folder')) {
        mkdirSync(place);
        chmodSync(place, 0o777);
      }
      const nowhere = { env: { PETSTORE_STATE_DIR: undefined }, context: { home: '' } };
      const options = what === 'no home folder' ? nowhere : {};

      const plain = await petstore(['pets', 'get', '1'], options);
      const verbose = await petstore(['pets', 'get', '1', '-v'], options);
      const failed = await petstore(argv, options);

      expect([plain.exitCode, verbose.exitCode, failed.exitCode]).toEqual([0, 0, 3]);
      expect(plain.stderr).not.toContain('deprecations');
      expect(verbose.stderr.includes('cannot save the sunset date of GET /pets/{petId}: ')).toBe(
        what !== 'no home folder',
      );
      expect(sandbox.requests).toHaveLength(3);
    },
  );
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
    expect(text).toMatchObject({ stdout: '', stderr: 'No orders.\n' });
    expect(api).toMatchObject({ stdout: '', stderr: 'The list is empty.\n' });
    expect(json).toMatchObject({ stdout: '[]\n', stderr: '' });
  });
});
