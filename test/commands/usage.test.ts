import { Readable } from 'node:stream';
import { describe } from 'vitest';
import { expect, networkError, reply, test, testKey } from '../support/petstore.ts';
import { saveSettings } from '../support/settings-file.ts';
import { interrupted } from '../support/values.ts';

const nowhere = { PETSTORE_BASE_URL: undefined };

test.for([
  ['in a script', undefined, 'petstore config set base-url https://HOST/v1 --profile staging'],
  ['at a terminal', 80, 'petstore auth login --profile staging'],
] as const)('without a base URL: %s', async ([, columns, next], { petstore }) => {
  const stdin = Object.assign(Readable.from(['']), { isTTY: columns !== undefined });
  const env = { ...nowhere, NO_COLOR: '1' };
  const options = columns === undefined ? { env } : { env, columns: 300, context: { stdin } };

  const { exitCode, stderr } = await petstore(['orders', 'list', '-p', 'staging'], options);

  expect(exitCode).toBe(2);
  expect(stderr).toBe(
    `petstore: no base URL set for profile staging\nNothing was sent.\nRun: ${next} (or add --profile sandbox to try it without an account)\n`,
  );
});

describe('an error of a command line that is not understood', () => {
  const production = '{"profiles":{"production":{"output":"json"}}}';
  const staging = '{"profiles":{"staging":{"output":"json"}}}';
  const byDefault = '{"default-profile":"staging","profiles":{"staging":{"output":"json"}}}';

  test.for<[string, string, boolean, Record<string, string>?, string?]>([
    ['no settings', '--json', true],
    ['no settings', '-o json', true],
    ['no settings', '-qvojson', true],
    ['no settings', '-o table --json', true],
    ['no settings', '--json -o table', false],
    ['no settings', '-o=json', false],
    ['no settings', '-pojson', false],
    ['no settings', '-- --json', false],
    ['no settings', '', false],
    ['JSON in the environment', '', true, { PETSTORE_OUTPUT: 'json' }],
    ['JSON in the environment', '-o table', false, { PETSTORE_OUTPUT: 'json' }],
    ['JSON in the settings', '', true, {}, production],
    ['JSON in the default profile', '', true, {}, byDefault],
    ['JSON in a profile', '-p staging', true, {}, staging],
    ['JSON in the profile of the environment', '', true, { PETSTORE_PROFILE: 'staging' }, staging],
    ['JSON in another profile', '-p production', false, { PETSTORE_PROFILE: 'staging' }, staging],
    ['CSV in the environment', '', false, { PETSTORE_OUTPUT: 'csv' }, production],
    ['an unknown format', '', false, {}, production.replace('json', 'xml')],
    ['broken settings', '', false, {}, '{ broken'],
  ])('with %s and "%s" is JSON: %s', async (row, { petstore, folder }) => {
    const [, words, isJson, env = {}, settings] = row;
    if (settings) saveSettings(folder, settings);
    const argv = ['categories', '--lost', ...words.split(' ').filter(Boolean)];

    const { stderr, exitCode } = await petstore(argv, { env });

    expect(exitCode).toBe(2);
    expect(stderr.startsWith('{"event":"error","kind":"usage"')).toBe(isJson);
  });
});

describe('options may stand anywhere, and the last format counts:', () => {
  test.for<readonly [string, RegExp]>([
    ['-q --columns id categories list -o csv', /^id\n1\n$/],
    ['config get output --json', /"value": "table"/],
    ['--query [].id categories list -o raw', /^1\n$/],
    ['categories list --json -qocsv --columns name', /^name\ndog\n$/],
    ['categories list -o csv --json', /^\[\n/],
    ['-o csv categories list --json -o table -ojson', /^\[\n/],
    ['--no-header config list -o csv', /^profile,production,default\nbase-url,/],
    ['pets --no-color get 1', /Bello/],
    ['categories list -V', /^\d+\.\d+\.\d+\n$/],
  ])('%s', async ([line, stdout], { petstore, sandbox }) => {
    if (line.includes('categories')) sandbox.reactions.push(reply(200, [{ id: 1, name: 'dog' }]));

    const result = await petstore(line.split(' '), line.includes('color') ? { columns: 80 } : {});

    expect(result.exitCode).toBe(0);
    expect(result.stdout).toMatch(stdout);
    expect(result.stdout + result.stderr).not.toContain('\u001b');
  });
});

test.for(['-vintage', '-q: quiet', '-o', '-ojson', '-pets', '-h', '-V', '--json', '--'])(
  'a value is a value, whatever option it looks like: %s',
  async (value, { petstore, sandbox }) => {
    const csv = ['-o', 'csv', '--columns', 'name,description', '--no-header'];
    const create = ['categories', 'create', 'dog', '-q', ...csv];

    const { stdout } = await petstore([...create, '--description', value]);
    await petstore([...create, `--description=${value}`]);
    await petstore(['--profile', 'production', ...create, '--description', value]);

    expect(stdout).toBe(`dog,${value}\n`);
    expect(sandbox.categories.map(({ description }) => description)).toEqual([value, value, value]);
  },
);

describe('failures of the service', () => {
  const html = { 'content-type': 'text/html' };
  const elsewhere = { location: 'https://other.example/' };
  const half = '[{"id":1,"name":"'.padEnd(65_535, 'a');

  test.for<[string, number, string | Buffer, string, Record<string, string>?]>([
    ['HTML', 200, '<html>Log in</html>', 'expected JSON, got text/html', html],
    ['nothing', 200, '', 'got an empty body'],
    ['a part', 200, '[{"id":1,"name":"do', 'unexpected end of input at character 17'],
    ['no name', 200, '[{"id":1,"name":"a"},{"id":2}]', 'item 2: name is missing'],
    ['too large an id', 200, '[{"id":9223372036854775808,"name":"a"}]', 'must be a 64-bit integer'],
    [
      'a number for a text',
      200,
      '[{"id":1,"name":"a","description":7}]',
      'description must be a string, not a number',
    ],
    [
      'invalid UTF-8',
      200,
      Buffer.from(`${half}\xe7${'a'.repeat(65_536)}\x8a\xac"}]`, 'latin1'),
      'invalid UTF-8',
    ],
    ['a redirect', 302, '', 'the service redirects to https://other.example/ (302)', elsewhere],
  ])('a list answered with %s (%i)', async (row, { petstore, sandbox }) => {
    const [, status, body, says, given] = row;
    const headers = { 'content-type': 'application/json', ...given };
    sandbox.reactions.push(new Response(body, { status, headers }));

    const result = await petstore(['categories', 'list']);

    expect(result).toMatchObject({ exitCode: 5, stdout: '' });
    expect(result.stderr).toContain(says);
    expect(result.stderr.trimEnd().split('\n').length).toBeLessThanOrEqual(3);
    expect(sandbox.requests).toHaveLength(1);
  });

  const page = '<!doctype html>\n<TITLE lang="en">Access\n denied</TITLE>';
  const to = (location: string) => ({ location });
  test.for<readonly [number, number, string, string, Record<string, string>?]>([
    [401, 4, 'a proxy or firewall probably refused the request (401): "Access denied"', page, html],
    [403, 4, 'a proxy or firewall probably refused the request (403): "Access denied"', page, html],
    [403, 4, 'a proxy or firewall probably refused the request (403)\n', '<html>', html],
    [403, 4, 'the API key does not permit this request (403): no\n', '{"message":"no"}'],
    [400, 3, 'the service refused the request (400): "Access denied"', page, html],
    [407, 3, 'a proxy requires a user name and password (407)\n', ''],
    [413, 3, 'the request is too large for the service or a proxy (413)\n', ''],
    [304, 5, 'a cache answered that nothing has changed, in place of the service (304)\n', ''],
    [
      301,
      5,
      "Run: petstore config set base-url 'https://b.example/v2'\n",
      '',
      to('https://b.example/v2/categories?x'),
    ],
    [301, 5, 'Redirects are not followed. No base URL', '', to('/v1/categories/')],
    [302, 5, 'Redirects are not followed.\n', '', to('https://b.example/login')],
    [
      301,
      5,
      'redirects to https://[hidden]@b.example/v2/categories?[hidden] (301)\nRedirects are not followed.\n',
      '',
      to('https://me:sesame@b.example/v2/categories?token=sesame'),
    ],
    [302, 5, 'Redirects are not followed.\n', '', to('http://b.example/v1/categories')],
  ])('%i is exit %i: %s', async ([status, exitCode, says, body, given], { petstore, sandbox }) => {
    // A 304 has no body.
    const response = new Response(body || null, { status, headers: given ?? {} });
    sandbox.reactions.push(response);

    const result = await petstore(['categories', 'list']);

    expect(result).toMatchObject({ exitCode, stdout: '' });
    expect(result.stderr).toContain(says);
    expect(result.stderr.trimEnd().split('\n').length).toBeLessThanOrEqual(3);
  });

  test.for([
    ['EAI_AGAIN', 4, 'cannot resolve host pets.example: temporary DNS failure after 4 tries\nRun'],
    ['ENOTFOUND', 1, 'cannot resolve host pets.example\nCheck'],
  ] as const)('%s: %i requests, exit 5', async ([code, count, says], { petstore, sandbox }) => {
    sandbox.react = () => networkError(code);

    const result = await petstore(['categories', 'list', '--base-url', 'https://pets.example/v1']);

    expect(result).toMatchObject({ exitCode: 5, stdout: '' });
    expect(result.stderr).toContain(`petstore: ${says}`);
    expect(sandbox.requests).toHaveLength(count);
  });

  test('a write that was refused is said when the run is terminated meanwhile', async ({
    petstore,
    sandbox,
  }) => {
    const interruption = new AbortController();
    sandbox.reactions.push(async (_request, forward) => {
      const response = await forward();
      interruption.abort(interrupted(143));
      return response;
    });

    const argv = ['api', 'POST', '/categories', '--data', '{}'];
    const result = await petstore(argv, { signal: interruption.signal });

    expect(result).toMatchObject({ exitCode: 143, stdout: '' });
    expect(result.stderr).toContain('refused the request');
  });

  test('a create that is never answered ends after 30 s', async ({ petstore, sandbox, clock }) => {
    const start = clock.now();
    sandbox.reactions.push('stall');

    const result = await petstore(['categories', 'create', 'frog', '--max-wait', '0']);

    expect(result).toMatchObject({ exitCode: 6, stdout: '' });
    expect(result.stderr).toContain('the request to 127.0.0.1:4010 timed out after 30s');
    expect(clock.now() - start).toBeGreaterThanOrEqual(30_000);
  });

  test('--max-wait 0 does not forbid to retry a read', async ({ petstore, sandbox }) => {
    sandbox.reactions.push(reply(503, ''), networkError('ECONNREFUSED'));

    expect((await petstore(['categories', 'list', '--max-wait', '0'])).exitCode).toBe(0);
  });

  test('an Error is shown in one line, and whole in the event', async ({ petstore, sandbox }) => {
    const own = { code: 'too_odd', message: 'x'.repeat(50_000), status: 422 };
    sandbox.react = () => reply(422, own);

    const { stderr } = await petstore(['categories', 'create', 'x']);
    const { events } = await petstore(['categories', 'create', 'x', '--json']);

    expect(Math.max(...stderr.split('\n').map((line) => line.length))).toBeLessThan(600);
    expect(events().at(-1)).toMatchObject({ kind: 'refused', code: 'too_odd', status: 422 });
  });
});

test.for<readonly [string, boolean, string | undefined]>([
  ['orders list', false, undefined],
  ['orders list', true, undefined],
  ['categories create x', false, 'not_sent'],
  ['categories create x', true, 'unknown'],
])('a bug in sending ends %s, sent: %s', async ([command, isSent, outcome], { petstore }) => {
  let requests = 0;
  const send = async ({ onSent }: { readonly onSent: () => void }) => {
    requests += 1;
    if (isSent) onSent();
    throw new TypeError('no such method');
  };

  const result = await petstore([...command.split(' '), '--json'], { context: { send } });

  expect(result).toMatchObject({ exitCode: 1, stdout: '' });
  const message = 'unexpected internal error: TypeError: no such method';
  expect(result.events().at(-1)).toMatchObject({ kind: 'internal', message, exitCode: 1 });
  expect(result.events().at(-1)?.outcome).toBe(outcome);
  expect(requests).toBe(1);
});

test('a bug is said without the key, with its stack if --verbose', async ({ petstore }) => {
  const random = () => {
    throw new TypeError(`cannot use ${testKey}`);
  };
  for (const flag of ['--quiet', '--verbose', '--json']) {
    const result = await petstore(['orders', 'list', flag], { context: { random } });

    expect(result, flag).toMatchObject({ exitCode: 1, stdout: '' });
    expect(result.stderr).toContain('unexpected internal error: TypeError: cannot use [key]');
    expect(result.stderr).not.toContain(testKey);
    expect(result.stderr.includes('    at '), flag).toBe(flag === '--verbose');
  }
});

test.for([
  ['EMFILE', 'too many open files', 'ulimit -n'],
  ['ERR_MODULE_NOT_FOUND', 'petstore was replaced or removed while', 'Run the command again'],
] as const)('%s is no bug: exit 74 with the way out', async ([code, says, hint], { petstore }) => {
  const random = () => {
    throw networkError(code);
  };

  const result = await petstore(['orders', 'list'], { context: { random } });

  expect(result).toMatchObject({ exitCode: 74, stdout: '' });
  expect(result.stderr).toContain(`petstore: ${says}`);
  expect(result.stderr).toContain(hint);
});

test('an import that finds its program replaced when it sends ends at once', async ({
  petstore,
}) => {
  const send = async () => {
    throw networkError('ERR_MODULE_NOT_FOUND');
  };
  const argv = ['categories', 'import', '-', '--yes', '--format', 'csv', '--max-wait', 'inf'];

  const result = await petstore(argv, { stdin: 'name\ndog\n', context: { send } });

  expect(result).toMatchObject({ exitCode: 74, stdout: '' });
  expect(result.stderr).toContain('petstore: petstore was replaced or removed');
});

test.for([[''], ['categories']] as const)(
  '"petstore %s" at a terminal asks for help: exit 0, on stdout',
  async ([line], { petstore }) => {
    const argv = line.split(' ').filter(Boolean);
    const help = await petstore([...argv, '--help'], { columns: 80 });

    const result = await petstore(argv, { columns: 80, env: { PETSTORE_OUTPUT: 'json' } });
    const withFlag = await petstore([...argv, '--quiet'], { columns: 80 });

    expect(result).toMatchObject({ exitCode: 0, stdout: help.stdout, stderr: '' });
    expect(withFlag).toMatchObject({ exitCode: 2, stdout: '' });
  },
);
