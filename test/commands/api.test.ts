import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe } from 'vitest';
import { cutBefore } from '../support/import-cases.ts';
import { expect, networkError, outputTo, reply, test, testKey } from '../support/petstore.ts';
import { trials } from '../support/trials.ts';

const post = ['api', 'POST', '/categories', '--data'];
const rabbit = '{"name":"rabbit"}';
const writes = ['POST', 'PUT', 'PATCH', 'DELETE'];

describe('api', () => {
  test.for(['GET', 'HEAD', ...writes])('sends %s', async (method, { petstore, sandbox }) => {
    sandbox.react = () => new Response(null, { status: 204 });

    const result = await petstore(['api', method, '/a%2Fb/é?q=c%20d&e=f g']);

    expect(result).toMatchObject({ exitCode: 0, stdout: '' });
    expect(result.stderr).toContain(`petstore: ${method} /a%2Fb/é`);
    expect(sandbox.requests.map((request) => [request.method, request.url.href])).toEqual([
      [method, 'http://127.0.0.1:4010/v1/a%2Fb/%C3%A9?q=c%20d&e=f%20g'],
    ]);
  });

  test.for([
    ['GET', 'categories', '/v1/categories'],
    ['GET', '/', '/v1/'],
    ['GET', '/pets/{petId}', '/v1/pets/%7BpetId%7D'],
    ['GET', '/pets?of={constructor}', '/v1/pets?of={constructor}'],
    ['POST', 'categories:batch', '/v1/categories:batch'],
    ['POST', 'x?to=https://a.example/../b', '/v1/x?to=https://a.example/../b'],
  ] as const)('sends %s %s to %s', async ([method, path, sent], { petstore, sandbox }) => {
    sandbox.react = () => reply(200, '1');

    expect(await petstore(['api', method, path])).toMatchObject({ exitCode: 0 });

    expect(sandbox.requests.map(({ url }) => url.pathname + url.search)).toEqual([sent]);
  });

  test('has the key, limit and deprecation of any command', async ({ petstore, sandbox }) => {
    const { stdout, stderr } = await petstore('api GET /pets/1');

    expect(stdout).toContain('Bello');
    expect(stderr).toContain('deprecated: GET /pets/1 will be removed on 2027-06-30\n');
    expect(stderr).toContain('rate limit: 59 of 60 left');
    expect(sandbox.requests[0]?.headers.authorization).toBe(`Bearer ${testKey}`);
  });
});

/** What it refuses of a command line is in messages/api.txt. */
describe('what api refuses before anything is sent', () => {
  test.for([
    ['.', 'is a directory'],
    ['bad.json', 'bad.json:2:3): expected a value'],
    ['latin1.json', 'invalid UTF-8 (byte offset 2)'],
    ['big.json', 'is larger than 8 MiB'],
  ] as const)('a body in the file %s: %s', async ([name, says], { petstore, sandbox, folder }) => {
    writeFileSync(join(folder, 'bad.json'), '{"a":\n  }');
    writeFileSync(join(folder, 'latin1.json'), Buffer.from('{"\xe9":1}', 'latin1'));
    if (name === 'big.json') writeFileSync(join(folder, name), ' '.repeat(2 ** 23 + 1));

    const { exitCode, stderr } = await petstore([...post, `@${join(folder, name)}`]);

    expect(exitCode).toBe(2);
    expect(stderr).toContain(says);
    expect(sandbox.requests).toHaveLength(0);
  });

  test('a path that leads out of the base URL, whatever it is', async ({ petstore, sandbox }) => {
    const dots = ['/', '.', '..', '%2e', '%2E', '%2f', '%5c', '%252e', '//', '\\'];
    const others = ['?', '#', '@', ':', 'a', 'é', '🐈', ' ', '%', '\t', '\n', '\ud800', '\u3002'];
    const rest = fc.array(fc.constantFrom(...dots, ...others)).map((parts) => parts.join(''));
    sandbox.react = () => reply(200, '1');
    await fc.assert(
      fc.asyncProperty(fc.constantFrom('/', ''), rest, async (first, rest) => {
        sandbox.requests.length = 0;
        const path = first + rest;
        const { exitCode } = await petstore(['api', '--no-input', 'GET', path]);

        const [sent] = sandbox.requests;
        expect(exitCode).toBe(sent ? 0 : 2);
        if (!sent) return;
        expect(sent.url.href).toMatch(/^http:\/\/127\.0\.0\.1:4010\/v1\//);
      }),
      trials(500),
    );
  });
});

describe('the body of a request', () => {
  const exact = ' {"id": 9007199254740993, "w": 1.0,\n "u": "\\u00e9é"}\n';

  test.for([
    [exact, ''],
    ['@FILE', ''],
    ['@FILE', '\ufeff'],
    ['-', ''],
    ['@-', ''],
  ] as const)('is sent as it is: %j, %j', async ([word, mark], { petstore, sandbox, folder }) => {
    const file = join(folder, 'body.json');
    writeFileSync(file, mark + exact);
    sandbox.reactions.push(reply(200, '1'));

    await petstore([...post, word.replace('FILE', file)], { stdin: exact });

    const headers = { 'content-type': 'application/json' };
    expect(sandbox.requests[0]).toMatchObject({ body: exact, headers });
  });

  test('is left out, and so is its type, where there is none', async ({ petstore, sandbox }) => {
    await petstore('api DELETE /categories/7');

    expect(sandbox.requests[0]?.body).toBeUndefined();
    expect(sandbox.requests[0]?.headers).not.toHaveProperty('content-type');
  });
});

describe('--dry-run', () => {
  test.for([
    [...post, rabbit],
    ['categories', 'create', 'rabbit'],
  ])('shows the request but for its key: %s %s', async (argv, { petstore, sandbox }) => {
    const table = await petstore([...argv, '--dry-run']);
    const json = await petstore([...argv, '--dry-run', '--json']);

    const shown = JSON.parse(json.stdout);
    expect(shown).toMatchObject({
      method: 'POST',
      url: 'http://127.0.0.1:4010/v1/categories',
      headers: { 'content-type': 'application/json', authorization: 'Bearer [key]' },
      body: { name: 'rabbit' },
    });
    // What api prints is JSON without a format.
    const cells = [' POST ', shown.url, '"Bearer [key]"', rabbit];
    for (const text of argv[0] === 'api' ? [json.stdout] : cells) {
      expect(table.stdout).toContain(text);
    }
    expect(table.stdout + json.stdout).not.toContain(testKey);
    expect(sandbox.requests).toHaveLength(0);
  });

  test.for([
    ['PETSTORE_API_KEY', 4],
    ['PETSTORE_BASE_URL', 2],
  ] as const)('needs %s as the request does', async ([name, exitCode], { petstore }) => {
    const result = await petstore([...post, rabbit, '--dry-run'], { env: { [name]: '' } });

    expect(result).toMatchObject({ exitCode, stdout: '' });
  });
});

describe('the outcome of a request through api', () => {
  test('a write whose connection broke is never sent again', async ({ petstore, sandbox }) => {
    sandbox.react = () => cutBefore;
    for (const [n, method] of writes.entries()) {
      const { exitCode, stdout, stderr } = await petstore(['api', method, '/x']);

      expect({ exitCode, stdout }).toEqual({ exitCode: 6, stdout: '' });
      expect(stderr).toBe(
        'petstore: 127.0.0.1:4010 closed the connection\n' +
          'It may have been carried out.\n' +
          'Check before you retry. Run: petstore api GET PATH\n',
      );
      expect(sandbox.requests).toHaveLength(n + 1);
    }
  });

  test('is done even when the answer cannot be printed', async ({ petstore, sandbox }) => {
    const stdout = outputTo(() => Promise.reject(networkError('ENOSPC')));

    const write = await petstore([...post, rabbit, '--json'], { context: { stdout } });
    const read = await petstore('api GET /categories --json', { context: { stdout } });

    expect(write.exitCode).toBe(74);
    expect(write.events().at(-1)).toMatchObject({ kind: 'output', outcome: 'done' });
    expect(read.events().at(-1)).not.toHaveProperty('outcome');
    expect(sandbox.categories).toHaveLength(1);
  });
});

test('--verbose says each try, and no key or cookie', async ({ petstore, sandbox }) => {
  const answer = reply(200, '1', { 'set-cookie': 'session=1' });
  sandbox.reactions.push(networkError('ECONNRESET'), answer);

  const result = await petstore('api GET /x -v');

  const said = result.stderr.split('\n').map((line) => line.replace('petstore: ', ''));
  expect(said).toEqual(
    expect.arrayContaining([
      'profile production: http://127.0.0.1:4010/v1',
      'The key comes from PETSTORE_API_KEY and ends in cdef.',
      '> GET http://127.0.0.1:4010/v1/x',
      '< 127.0.0.1:4010 closed the connection (0 ms)',
      '> GET http://127.0.0.1:4010/v1/x (attempt 2)',
      '> authorization: Bearer [key]',
      '< 200, 1 bytes (0 ms)',
      '< set-cookie: [cookie]',
    ]),
  );
  expect(result.stderr).not.toContain(testKey);
});
