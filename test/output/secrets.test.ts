import { writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe } from 'vitest';
import { put } from '../support/import-cases.ts';
import { expect, reply, test } from '../support/petstore.ts';
import { trials } from '../support/trials.ts';
import { formats } from '../support/values.ts';

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
const formsIn = (text: string) => forms.filter((form) => text.includes(form));
const withKey = (key: string | undefined) => ({ env: { PETSTORE_API_KEY: key } });

/** More than a list that is laid out all at once. */
const manyRows = 11_000;
/** Makes an object of fields whose names stay different when a secret is cut out of them. */
const numbered = (fields: readonly (readonly [name: string, value: unknown])[]) =>
  Object.fromEntries(fields.map(([name, value], index) => [`${index}${name}`, value]));

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
        fc.array(fc.tuple(text, tie('tree')), { maxLength: 4 }).map(numbered),
      ),
    }));
    const holds = fc.asyncProperty(tree, fc.constantFrom(...formats), async (tree, format) => {
      sandbox.react = () => reply(200, JSON.stringify(tree));
      const argv = ['api', 'GET', '/x', '-o', format];
      const { stdout, exitCode } = await petstore(argv, withKey(secret));

      expect(exitCode).toBe(0);
      expect(formsIn(stdout)).toEqual([]);
      if (format === 'json') expect(shapeOf(JSON.parse(stdout))).toBe(shapeOf(tree));
    });
    await fc.assert(holds, trials(700));
  });

  test.for(['ndjson', 'table'])(
    'of many rows and names, as %s',
    async (format, { petstore, sandbox }) => {
      const rows = Array.from({ length: manyRows }, (_, id) => ({ id, name: `category ${id}` }));
      const found = Object.assign([...rows], {
        777: { id: 34567890777, name: `the ${secret} of it`, description: forms.join(' ') },
      });
      sandbox.reactions.push(reply(200, found));
      sandbox.reactions.push(reply(200, { [secret]: 1, [`a ${secret}`]: 2, plain: 5 }));

      const list = await petstore(['categories', 'list', '-o', format], withKey(secret));
      const pet = await petstore(['pets', 'get', '1', '-o', format], withKey(secret));

      expect([list.exitCode, pet.exitCode]).toEqual([0, 0]);
      expect(formsIn(list.stdout + pet.stdout)).toEqual([]);
      for (const text of ['the [key] of it', '34567890777', `category ${manyRows - 1}`]) {
        expect(list.stdout).toContain(text);
      }
      if (format === 'ndjson') expect(pet.stdout).toBe('{"[key]":1,"a [key]":2,"plain":5}\n');
    },
  );

  test.for(formats)('in the place of a column, as %s', async (format, { petstore, sandbox }) => {
    sandbox.react = () => reply(200, '[{"id":1}]');
    const argv = ['orders', 'list', '--columns', `id,${secret}`, '-o', format];
    const { stdout, stderr } = await petstore(argv, withKey(secret));

    expect(formsIn(stdout + stderr)).toEqual([]);
    expect(stderr).toMatch(/unknown column \\?"\[key\]\\?"; the response has/);
  });
});

describe('the key is cut out of texts that petstore itself makes:', () => {
  /** One that URLs write in another way, and one that may be a word of the service. */
  const keys = [
    'kyCanary41<b>=Zq9f-0123456789-abcdefghijklmnopqrstuvwxyz',
    'kyCanary_0123456789_plain',
  ];

  test.for([
    ['config get base-url', 'PETSTORE_BASE_URL'],
    ['config path', 'PETSTORE_CONFIG_DIR'],
    ['auth status', 'PETSTORE_BASE_URL'],
    ['config list', 'PETSTORE_BASE_URL'],
    ['doctor', 'PETSTORE_BASE_URL'],
    ['categories diff FILE'],
    ['categories import FILE --dry-run'],
    ['categories import FILE --yes'],
    ['categories import FAULTY --yes'],
    ['categories import KEY.csv --yes'],
    ['api GET /pets/KEY'],
    ['categories create KEY --dry-run'],
    ['categories create dog'],
    ['categories list --search KEY'],
    ['categories list --verbose'],
  ] as const)('%s', async ([line, variable], { petstore, sandbox, folder }) => {
    for (const key of keys) {
      const inUrl = encodeURIComponent(key);
      const places = {
        PETSTORE_BASE_URL: `http://127.0.0.1:4010/${inUrl}`,
        PETSTORE_CONFIG_DIR: `/tmp/${key}`,
      };
      const env = { PETSTORE_API_KEY: key, ...(variable && { [variable]: places[variable] }) };
      const refusal = { code: key, message: '-'.repeat(300) + key.repeat(4), status: 422 };
      const headers = { 'x-echo': `${'-'.repeat(280)}${key}`, deprecation: 'true' };
      sandbox.react = ({ method }) =>
        method === 'GET'
          ? reply(200, [{ id: 1, name: `a ${key}`, description: key }], headers)
          : reply(422, refusal, headers);
      const rows = [{ name: `a ${key}`, description: 'y' }, { name: `b ${key}` }];
      const faults = [{ [key]: 1 }, { name: 'a', [key]: 2 }];
      const argv = line
        .replace('FILE', put(folder, JSON.stringify(rows), `${key}.json`))
        .replace('FAULTY', put(folder, JSON.stringify(faults), 'faulty.json'))
        .replace('KEY', inUrl)
        .split(' ');

      let said = '';
      for (const format of ['table', 'json', 'csv', 'raw']) {
        const { stdout, stderr } = await petstore([...argv, '-o', format], { env });
        said += stdout + stderr;
      }

      expect(said).toContain('[key]');
      expect(said).not.toMatch(/kyCanary|%3Cb%3E/i);
    }
  });

  test('nor is its beginning where a text is cut', async ({ petstore, sandbox, folder }) => {
    const key = 'abcdefghijklmnopqrstuvwxyz-0123456789-ABCDEFGHIJKLMNOPQRSTUVWXYZ'.repeat(4);
    sandbox.react = () => reply(200, [], { 'x-long': `${'-'.repeat(470)}${key}${key}` });
    writeFileSync(`${folder}/rows.csv`, `name,${key}\nx,y\n`);

    const list = await petstore('categories list -v', withKey(key));
    const argv = ['categories', 'import', `${folder}/rows.csv`, '--dry-run'];
    const plan = await petstore(argv, withKey(key));

    expect(list.stderr).toMatch(/-\[key\](\[key\])?…?\n/);
    expect(plan.stderr).toContain('unknown column "[key]"');
    expect(list.stderr + plan.stderr).not.toContain('abcdefgh');
  });
});

test('no header of a response shows the key', async ({ petstore, sandbox }) => {
  const key = 'canary-0123456789';
  const headers = { reason: key, kind: `a ${key}`, event: key, outcome: key, [`x-${key}`]: 'y' };
  sandbox.react = () => reply(200, [], headers);

  const { stderr } = await petstore('categories list -v --json', withKey(key));

  expect(stderr).toContain('"reason":"[key]"');
  expect(stderr).toContain('"x-[key]":"y"');
  expect(stderr).not.toContain(key);
});

describe('a number is never touched, although it holds the key:', () => {
  test.for(formats)('%s', async (format, { petstore, sandbox }) => {
    sandbox.react = () =>
      reply(200, '[{"id":1234567890123,"name":"a 34567890 b","more":[34567890,{"n":34567890.5}]}]');

    for (const argv of [
      ['categories', 'list'],
      ['api', 'GET', '/x'],
    ]) {
      const { stdout } = await petstore([...argv, '-o', format], withKey('34567890'));

      expect(stdout).toContain('1234567890123');
      expect(stdout).toContain('a [key] b');
      if (argv[0] === 'api') expect(stdout).toContain('34567890.5');
      expect(stdout).not.toMatch(/\d\[key\]|\[key\]\d/);
    }
  });
});

test.for(['34567890', 'remaining', 'rate_limit'])(
  'no name and no number of an event is touched where the key is %s',
  async (key, { petstore, sandbox }) => {
    const headers = {
      'x-ratelimit-limit': '34567890',
      'x-ratelimit-remaining': '34567889',
      'x-ratelimit-reset': String(Date.UTC(2026, 10, 20, 15, 5, 50) / 1_000),
      sunset: 'Fri, 01 Jan 2027 00:00:00 GMT',
    };
    sandbox.reactions.push(reply(200, '{"id":1}', headers));

    const { events } = await petstore('pets get 1 --json', withKey(key));

    const [operation, sunset] = ['GET /pets/{petId}', '2027-01-01T00:00:00Z'];
    const resetAt = expect.any(String);
    expect(events()).toEqual([
      { event: 'deprecation', operation, sunset, daysLeft: 41 },
      { event: 'rate_limit', limit: 34567890, remaining: 34567889, resetAt },
    ]);
  },
);

test('a field keeps its name where the key is description', async ({ petstore, sandbox }) => {
  sandbox.reactions.push(reply(200, [{ id: 1, name: 'dog', description: 'a description' }]));

  const { stdout } = await petstore('categories list -o ndjson', withKey('description'));

  expect(stdout).toBe('{"id":1,"name":"dog","description":"a [key]"}\n');
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
