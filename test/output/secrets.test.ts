import { writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe } from 'vitest';
import { expect, reply, test } from '../support/petstore.ts';
import { trials } from '../support/trials.ts';
import { formats } from '../support/values.ts';

const digits = '34567890';
const secret = 'ky+7Canary/%41"<b>=\\Zq9~f';
/** As it may turn up in texts: as it is, in JSON, in a URL, in Base64 wherever in what was encoded. */
const forms = [
  secret,
  JSON.stringify(secret).slice(1, -1),
  Buffer.from(secret).toString('base64').replace(/=+$/, ''),
  Buffer.from(secret).toString('base64url'),
  encodeURIComponent(secret),
  encodeURIComponent(secret).replace(/%../g, (code) => code.toLowerCase()),
  ...[0, 1, 2].flatMap((before) => [
    insideBase64(before, 'base64'),
    insideBase64(before, 'base64url'),
  ]),
];
/** More than a list that is laid out all at once. */
const manyRows = 11_000;

describe('a number is never touched, although it holds the key:', () => {
  test.for(formats)('%s', async (format, { petstore, sandbox }) => {
    sandbox.react = () =>
      reply(200, '[{"id":1234567890123,"name":"a 34567890 b","more":[34567890,{"n":34567890.5}]}]');
    const env = { PETSTORE_API_KEY: digits };

    for (const argv of [
      ['categories', 'list'],
      ['api', 'GET', '/x'],
    ]) {
      const { stdout } = await petstore([...argv, '-o', format], { env });

      expect(stdout).toContain('1234567890123');
      expect(stdout).toContain('a [key] b');
      if (argv[0] === 'api') expect(stdout).toContain('34567890.5');
      expect(stdout).not.toMatch(/\d\[key\]|\[key\]\d/);
    }
  });

  test('in an event', async ({ petstore, sandbox, clock }) => {
    sandbox.react = () =>
      reply(200, [], {
        'x-ratelimit-limit': '34567890',
        'x-ratelimit-remaining': '34567890',
        'x-ratelimit-reset': String(Math.floor(clock.now() / 1_000) + 42),
      });
    const env = { PETSTORE_API_KEY: digits };

    const json = await petstore(['categories', 'list', '--json'], { env });
    const text = await petstore(['categories', 'list'], { env });

    expect(json.stderr).toContain('"limit":34567890,"remaining":34567890');
    // A message is one text, in which numbers cannot be told from the key.
    expect(text.stderr).toContain('[key] of [key] left');
  });
});

describe('names of fields and structure are never touched:', () => {
  test.for(formats)(
    '%s where the key is the name of a field',
    async (format, { petstore, sandbox }) => {
      sandbox.react = () => reply(200, [{ id: 1, name: 'dog', description: 'the description' }]);
      const argv = ['categories', 'list', '-o', format];

      const { stdout } = await petstore(argv, { env: { PETSTORE_API_KEY: 'description' } });
      const plain = await petstore(argv);

      const narrow = (table: string) => table.replace(/[ ─]+/g, ' ');
      // Unlike the brackets, plain words stand in YAML without quotes.
      const hidden = format === 'yaml' ? '"the [key]"' : 'the [key]';
      expect(narrow(stdout)).toBe(narrow(plain.stdout).replace('the description', hidden));
    },
  );

  test('of one record', async ({ petstore, sandbox }) => {
    sandbox.react = () => reply(200, { id: 1, description: 'x' });
    const env = { PETSTORE_API_KEY: 'description' };

    for (const format of formats) {
      const { stdout } = await petstore(['pets', 'get', '1', '-o', format], { env });

      expect(stdout).toContain('description');
    }
  });

  test.for(['rate_limit', 'remaining', 'exitCode', 'not_sent', 'retryAfter'])(
    'of an event where the key is %s',
    async (key, { petstore, sandbox }) => {
      sandbox.react = () =>
        reply(429, { code: 'x', message: 'y', status: 429 }, { 'retry-after': '900' });
      const argv = ['categories', 'create', 'dog', '--json', '--max-wait', '0'];

      const { events } = await petstore(argv, { env: { PETSTORE_API_KEY: key } });

      expect(events().at(-1)).toMatchObject({
        event: 'error',
        kind: 'rate_limited',
        outcome: 'refused',
        retryAfter: expect.any(Number),
        exitCode: 75,
      });
    },
  );

  test('the blanks of an indentation, which are no secret', async ({ petstore, sandbox }) => {
    sandbox.react = () => reply(200, { a: { b: { c: { d: { e: 'x' } } } } });
    const env = { PETSTORE_API_KEY: undefined };
    const capture = async () => ({ exitCode: 0, stdout: `a-key-0123456789\n${' '.repeat(8)}\n` });
    await petstore(['config', 'set', 'base-url', 'http://127.0.0.1:4010/v1'], { env });
    await petstore(['config', 'set', 'api-key-command', 'x'], { env });

    const { stdout } = await petstore(['api', 'GET', '/x', '--json'], {
      env,
      context: { capture },
    });

    expect(stdout).toContain('        "d": {\n          "e": "x"');
  });
});

test('no beginning of a key is left where a header field is cut short', async ({
  petstore,
  sandbox,
}) => {
  const key = 'abcdefghijklmnopqrstuvwxyz-0123456789-ABCDEFGHIJKLMNOPQRSTUVWXYZ';
  const headers = { 'x-long': `${'-'.repeat(280)}${key}` };
  sandbox.react = () => reply(200, [], headers);

  const { stderr } = await petstore(['categories', 'list', '-v'], {
    env: { PETSTORE_API_KEY: key },
  });

  expect(stderr).toContain('-[key]…\n');
  expect(stderr).not.toContain('abcdefgh');
});

test('no beginning of a key is left where a message quotes half a name', async ({
  petstore,
  folder,
}) => {
  const key = 'abcdefghijklmnopqrstuvwxyz-0123456789-ABCDEFGHIJKLMNOPQRSTUVWXYZ'.repeat(4);
  writeFileSync(`${folder}/rows.csv`, `name,${key}\nx,y\n`);

  const { exitCode, stderr } = await petstore(
    ['categories', 'import', `${folder}/rows.csv`, '--dry-run'],
    { env: { PETSTORE_API_KEY: key } },
  );

  expect(exitCode).toBe(2);
  expect(stderr).toContain('unknown column "[key]…"');
  expect(stderr).not.toContain('abcdefgh');
});

describe('a secret that is a word of ours', () => {
  const env = { PETSTORE_API_KEY: 'categories' };

  test('is cut out of what the service says, and of results', async ({ petstore, sandbox }) => {
    const error = { code: 'bad', message: 'no categories for you', status: 500 };
    sandbox.react = ({ method }) =>
      method === 'POST' ? reply(500, error) : reply(200, [{ id: 1, name: 'categories' }]);

    const { stderr } = await petstore(['api', 'POST', '/x', '--data', '{}'], { env });
    const { stdout } = await petstore(['categories', 'list', '-o', 'ndjson'], { env });

    expect(stderr).toContain('no [key] for you');
    expect(stdout).toBe('{"id":1,"name":"[key]"}\n');
  });

  test('keeps no command from being understood', async ({ petstore }) => {
    const { exitCode, stdout } = await petstore(['categories', 'list', '-o', 'csv'], { env });

    expect(exitCode).toBe(4);
    expect(stdout).toBe('');
  });
});

test.for(formats)(
  'a key in the place of a column is not shown: %s',
  async (format, { petstore, sandbox }) => {
    const key = 'a-key-that-nobody-guesses';
    sandbox.react = () => reply(200, '[{"id":1}]');
    const argv = ['orders', 'list', '--columns', `id,${key}`, '-o', format];
    const { stdout, stderr } = await petstore(argv, { env: { PETSTORE_API_KEY: key } });

    expect(stdout + stderr).not.toContain(key);
    expect(stderr).toContain('[key]');
  },
);

describe('a name that the service chose', () => {
  test.for(formats)('shows no key: %s', async (format, { petstore, sandbox }) => {
    const base64 = Buffer.from(secret).toString('base64').replace(/=+$/, '');
    sandbox.react = () => reply(200, { [secret]: 1, [`a ${base64}`]: 2, plain: 5 });

    const { stdout } = await petstore(['pets', 'get', '1', '-o', format], {
      env: { PETSTORE_API_KEY: secret },
    });

    expect(forms.filter((form) => stdout.includes(form))).toEqual([]);
    if (format === 'ndjson') {
      expect(stdout).toMatch(/^\{"\[key\]":1,"a \[key\].?":2,"plain":5\}\n$/);
    }
  });
});

describe('no form of a secret is in a result', () => {
  test('in any format, wherever it stands in the data', async ({ petstore, sandbox }) => {
    const around = fc.string({ maxLength: 4 });
    const text = fc
      .tuple(around, fc.constantFrom('', ...forms), around)
      .map((parts) => parts.join(''));
    const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 3 },
        text,
        fc.integer(),
        fc.constantFrom(null, true),
        fc.array(tie('tree'), { maxLength: 4 }),
        fc.dictionary(text, tie('tree'), { maxKeys: 4 }),
      ),
    }));
    const holds = fc.asyncProperty(tree, fc.constantFrom(...formats), async (tree, format) => {
      sandbox.react = () => reply(200, JSON.stringify(tree));
      const env = { PETSTORE_API_KEY: secret };
      const { stdout, exitCode } = await petstore(['api', 'GET', '/x', '-o', format], { env });

      expect(exitCode).toBe(0);
      expect(forms.filter((form) => stdout.includes(form))).toEqual([]);
      if (format === 'json') expect(shapeOf(JSON.parse(stdout))).toBe(shapeOf(tree));
    });
    await fc.assert(holds, trials(700));
  });

  test.for(formats)(
    'in %s of a list that is printed piece by piece',
    async (format, { petstore, sandbox }) => {
      const rows = Array.from({ length: manyRows }, (_, id) => ({ id, name: `category ${id}` }));
      const found = Object.assign([...rows], {
        777: { id: 34567890777, name: `the ${secret} of it`, description: forms.join(' ') },
      });
      sandbox.react = () => reply(200, found);

      const { stdout, exitCode } = await petstore(['categories', 'list', '-o', format], {
        env: { PETSTORE_API_KEY: secret },
      });

      expect(exitCode).toBe(0);
      expect(forms.filter((form) => stdout.includes(form))).toEqual([]);
      expect(stdout).toContain('the [key] of it');
      expect(stdout).toContain('34567890777');
      expect(stdout).toContain(`category ${manyRows - 1}`);
    },
  );
});

/** The digits of Base64 that the secret alone decides, with so many bytes before it and others after it. */
function insideBase64(before: number, encoding: 'base64' | 'base64url'): string {
  const bytes = Buffer.from('x'.repeat(before) + secret);
  const digits = bytes.toString(encoding);
  return digits.slice(Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6));
}

/** What is left of data when all texts and names are alike: how many fields and items there are, and which numbers. */
function shapeOf(data: unknown): string {
  if (typeof data === 'string') return 'text';
  if (Array.isArray(data)) return `[${data.map(shapeOf)}]`;
  if (typeof data !== 'object' || data === null) return String(data);
  return `{${Object.values(data).map(shapeOf).sort()}}`;
}
