import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { cutBefore } from '../support/import-cases.ts';
import { expect, networkError, outputTo, reply, test } from '../support/petstore.ts';
import { trials } from '../support/random.ts';

const post = ['api', 'POST', '/categories', '--data'];

// What api refuses of a command line is in messages/api.txt, and what it sends in http/wire.test.ts.

test('api sends nothing out of the base URL, whatever the path', async ({ petstore, sandbox }) => {
  const dots = ['/', '.', '..', '%2e', '%2E', '%2f', '%5c', '%252e', '//', '\\'];
  const others = ['?', '#', '@', ':', 'a', 'é', '🐈', ' ', '%', '\t', '\n', '\ud800', '\u3002'];
  const rest = fc.array(fc.constantFrom(...dots, ...others)).map((parts) => parts.join(''));
  sandbox.react = () => reply(200, '1');
  await fc.assert(
    fc.asyncProperty(fc.constantFrom('/', ''), rest, async (first, rest) => {
      sandbox.requests.length = 0;
      const { exitCode } = await petstore(['api', '--no-input', 'GET', first + rest]);

      const [sent] = sandbox.requests;
      expect(exitCode).toBe(sent ? 0 : 2);
      if (sent) expect(sent.url.href).toMatch(/^http:\/\/127\.0\.0\.1:4010\/v1\//);
    }),
    trials(300),
  );
});

test.for([
  ['', 'is a directory'],
  ['{"a":\n  }', 'body.json:2:3): expected a value'],
  [Buffer.from('{"\xe9":1}', 'latin1'), 'invalid UTF-8 (byte offset 2)'],
  [' '.repeat(2 ** 23 + 1), 'is larger than 8 MiB'],
] as const)(
  'a body in a file is refused: %#',
  async ([text, says], { petstore, sandbox, folder }) => {
    const file = text === '' ? folder : join(folder, 'body.json');
    if (text !== '') writeFileSync(file, text);

    const { exitCode, stderr } = await petstore([...post, `@${file}`]);

    expect([exitCode, sandbox.requests]).toEqual([2, []]);
    expect(stderr).toContain(says);
  },
);

const exact = ' {"id": 9007199254740993, "w": 1.0,\n "u": "\\u00e9é"}\n';

// The file has a byte order mark.
test.for([exact, '@FILE', '-', '@-'])(
  'a body is sent as it is: %j',
  async (word, { petstore, sandbox, folder }) => {
    const file = join(folder, 'body.json');
    writeFileSync(file, `\ufeff${exact}`);
    sandbox.reactions.push(reply(200, '1'));

    await petstore([...post, word.replace('FILE', file)], { stdin: exact });

    const headers = { 'content-type': 'application/json' };
    expect(sandbox.requests[0]).toMatchObject({ body: exact, headers });
  },
);

test.for([`api POST /categories --data '{"name":"rabbit"}'`, 'categories create rabbit'])(
  '--dry-run shows the request but for its key: %s',
  async (line, { petstore, sandbox }) => {
    const { stdout } = await petstore(`${line} --dry-run -o table`);
    const { json } = await petstore(`${line} --dry-run --json`);

    expect(json).toEqual({
      method: 'POST',
      url: 'http://127.0.0.1:4010/v1/categories',
      headers: expect.objectContaining({ authorization: 'Bearer [key]' }),
      body: { name: 'rabbit' },
    });
    expect(stdout.split('\n')).toEqual([
      '> POST http://127.0.0.1:4010/v1/categories, 17 bytes',
      ...Object.entries(json.headers).map(([name, value]) => `> ${name}: ${value}`),
      '{"name":"rabbit"}',
      '',
    ]);
    expect(sandbox.requests).toHaveLength(0);
  },
);

test('a write says which profile it went to, on a terminal', async ({ petstore }) => {
  const line = `api POST /categories --data '{"name":"rabbit"}'`;
  expect((await petstore(line, { columns: 80 })).stderr).toContain(
    'petstore: done on production\n',
  );
  expect((await petstore(line)).stderr).not.toContain('done');
});

test.for(['POST', 'PUT', 'PATCH', 'DELETE'])(
  'a %s whose connection broke is sent once',
  async (method, { petstore, sandbox }) => {
    sandbox.react = () => cutBefore;

    const stderr = expect.stringContaining('the connection\nIt may have been carried out.\nCheck');
    expect(await petstore(`api ${method} /x`)).toMatchObject({ exitCode: 6, stdout: '', stderr });
    expect(sandbox.requests).toHaveLength(1);
  },
);

test('a write is done even when the answer cannot be printed', async ({ petstore, sandbox }) => {
  const stdout = outputTo(() => Promise.reject(networkError('ENOSPC')));

  const write = await petstore([...post, '{"name":"dog"}', '--json'], { context: { stdout } });
  const read = await petstore('api GET /categories --json', { context: { stdout } });

  expect([write.exitCode, read.exitCode, sandbox.categories.length]).toEqual([74, 74, 1]);
  expect(write.events().at(-1)).toMatchObject({ kind: 'output', outcome: 'done' });
  expect(read.events().at(-1)).not.toHaveProperty('outcome');
});

test('--verbose says each try, and no key or cookie', async ({ petstore, sandbox }) => {
  const answer = reply(200, '1', { 'set-cookie': 'session=1' });
  sandbox.reactions.push(networkError('ECONNRESET'), answer, answer);

  const secrets = ['session=1'];
  const { stderr } = await petstore('api GET /x -v', { secrets });
  await petstore('api GET /x -v --json', { secrets });

  for (const line of [
    'profile production: http://127.0.0.1:4010/v1',
    'The key comes from PETSTORE_API_KEY and ends in cdef.',
    '> #1 GET http://127.0.0.1:4010/v1/x',
    '< #1 127.0.0.1:4010 closed the connection (0 ms)',
    '> #2 GET http://127.0.0.1:4010/v1/x (attempt 2)',
    '> authorization: Bearer [key]',
    '< #2 200, 1 bytes (0 ms)',
    '< set-cookie: [cookie]',
  ]) {
    expect(stderr).toContain(`petstore: ${line}\n`);
  }
});
