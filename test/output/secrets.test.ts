import { writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe } from 'vitest';
import { put } from '../support/import-cases.ts';
import { expect, networkError, reply, test } from '../support/petstore.ts';
import { trials } from '../support/random.ts';
import { formats, type WireRequest } from '../support/values.ts';

/** That no form of the key is in an output is expected of each run with it. */
const withKey = (key: string) => ({ env: { PETSTORE_API_KEY: key }, secrets: [key] });

const secret = 'ky+7Canary/%41"<b>=\\Zq9~f';
/** As it may turn up in texts: as it is, in JSON, in a URL, in Base64 wherever in what was encoded. */
const forms = [
  secret,
  JSON.stringify(secret).slice(1, -1),
  encodeURIComponent(secret),
  encodeURIComponent(secret).replace(/%../g, (code) => code.toLowerCase()),
  ...['', 'x', 'xx'].flatMap((before) => {
    const bytes = Buffer.from(before + secret);
    return [bytes.toString('base64'), bytes.toString('base64url')];
  }),
];

/** Makes an object of fields whose names stay different when a secret is cut out of them. */
const numbered = (fields: readonly (readonly [name: string, value: unknown])[]) =>
  Object.fromEntries(fields.map(([name, value], index) => [`${index}${name}`, value]));

test('no form of a secret is in a result, wherever it stands in the data', async ({
  petstore,
  sandbox,
}) => {
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
  const trees = fc.array(tree, { minLength: 8, maxLength: 12 });
  const holds = fc.asyncProperty(trees, fc.constantFrom(...formats), async (trees, format) => {
    sandbox.react = () => reply(200, JSON.stringify(trees));

    await petstore(`api GET /x -o ${format}`, withKey(secret));
    const { json } = await petstore('api GET /x -o json', withKey(secret));

    expect(shapeOf(json)).toBe(shapeOf(trees));
  });
  await fc.assert(holds, trials(120));
});

describe('the key is cut out of texts that petstore itself makes:', () => {
  const key = 'kyCanary41<b>=Zq9f-0123456789-abcdefghijklmnopqrstuvwxyz';
  const inUrl = encodeURIComponent(key);

  test.for<[line: string, env?: Record<string, string>]>([
    ['config get base-url', { PETSTORE_BASE_URL: `http://127.0.0.1:4010/${inUrl}` }],
    ['config path', { PETSTORE_CONFIG_DIR: `/tmp/${key}` }],
    ['auth status', { PETSTORE_BASE_URL: `http://127.0.0.1:4010/${inUrl}` }],
    ['config list', { PETSTORE_BASE_URL: `http://127.0.0.1:4010/${inUrl}` }],
    ['doctor', { PETSTORE_BASE_URL: `http://127.0.0.1:4010/${inUrl}` }],
    ['categories diff FILE'],
    ['categories import FILE --dry-run'],
    ['categories import FILE --yes'],
    ['categories import FAULTY --yes'],
    ['categories import KEY.csv --yes'],
    ['api GET /pets/KEY'],
    ['orders list --columns id,KEY'],
    ['categories create KEY --dry-run'],
    ['categories create dog'],
    ['categories list --search KEY'],
    ['categories list --verbose'],
  ])('%s', async ([line, env], { petstore, sandbox, folder }) => {
    const refusal = { code: key, message: '-'.repeat(300) + key.repeat(4), status: 422 };
    const headers = { 'x-echo': `${'-'.repeat(280)}${key}`, deprecation: 'true' };
    const found = [{ id: 1, name: `a ${key}`, description: key }];
    sandbox.react = ({ method }) =>
      method === 'GET' ? reply(200, found, headers) : reply(422, refusal, headers);
    const rows = [{ name: `a ${key}`, description: 'y' }, { name: `b ${key}` }];
    const faults = [{ [key]: 1 }, { name: 'a', [key]: 2 }];
    const argv = line
      .replace('FILE', put(folder, JSON.stringify(rows), `${key}.json`))
      .replace('FAULTY', put(folder, JSON.stringify(faults), 'faulty.json'))
      .replace('KEY', inUrl)
      .split(' ');

    let said = '';
    for (const format of ['table', 'json']) {
      const options = { env: { PETSTORE_API_KEY: key, ...env }, secrets: [key] };
      const { stdout, stderr } = await petstore([...argv, '-o', format], options);
      said += stdout + stderr;
    }

    expect(said).toContain('[key]');
    expect(said).not.toMatch(/kyCanary|%3Cb%3E/i);
  });

  test('nor is its beginning where a text is cut', async ({ petstore, sandbox, folder }) => {
    const key = 'abcdefghijklmnopqrstuvwxyz-0123456789-ABCDEFGHIJKLMNOPQRSTUVWXYZ'.repeat(4);
    sandbox.react = () => reply(200, [], { 'x-long': `${'-'.repeat(470)}${key}${key}` });
    writeFileSync(`${folder}/rows.csv`, `name,${key}\nx,y\n`);

    const list = await petstore('categories list -v', withKey(key));
    const plan = await petstore(`categories import ${folder}/rows.csv --dry-run`, withKey(key));

    expect(list.stderr).toMatch(/-\[key\](\[key\])?…?\n/);
    expect(plan.stderr).toContain('unknown column "[key]"');
    expect(list.stderr + plan.stderr).not.toContain('abcdefgh');
  });
});

describe('no body of an error shows the key:', () => {
  const long = `${secret}-${'0123456789'.repeat(40)}`;
  const html = secret.replace('<', '&lt;').replace('>', '&gt;').replace('"', '&quot;');
  const page = (title: string) => `<html><title>${title}</title>${title}`;
  /** The body ends there, and the connection breaks. */
  const brokenOff = (text: string) => async (request: WireRequest) => {
    request.onSent();
    const body = (async function* () {
      yield Buffer.from(text);
      throw networkError('ECONNRESET');
    })();
    return { status: 422, headers: {}, body };
  };

  test.for<[what: string, key: string, body: string | Uint8Array | ReturnType<typeof brokenOff>]>([
    ...forms.map((form): [string, string, string] => ['a form', secret, `no ${form}`]),
    ...forms.map((form): [string, string, string] => ['in a title', secret, page(`no ${form}`)]),
    ['in JSON of PHP', secret, `{"n":1,"n":"${forms[1]?.replaceAll('/', '\\/')}"}`],
    ['in HTML', secret, page(`no\n&#124; ${html}`)],
    ['nested', secret, JSON.stringify({ error: { errors: [{ [secret]: { msg: secret } }] } })],
    ['nested in what is read', secret, JSON.stringify({ errors: [{ error: { detail: secret } }] })],
    ['where a reason is cut', secret, JSON.stringify({ error: `${'-'.repeat(290)}${secret}` })],
    ['where a body is cut', secret, `x\n${'-'.repeat(990)}${secret}`],
    ['where a line is cut', secret, `${'-'.repeat(235)}${secret}`],
    ['where no more is read', long, long.repeat(1_000)],
    ['half of it, where no more is read', secret, `${' '.repeat(65_526)}${secret}`],
    ['half of it, where it broke off', secret, brokenOff(`no ${secret.slice(0, 12)}`)],
    ['half of it in JSON', secret, brokenOff(`{"error": "no ${secret.slice(0, 12)}`)],
    ['in UTF-16', secret, Buffer.from(`\ufeffno ${secret}`, 'utf16le')],
    ['with a mark and bytes that are no text', secret, `\ufeffno \ud800 ${secret}`],
  ])('%s', async ([, key, body], { petstore, sandbox }) => {
    sandbox.react = () => (typeof body === 'function' ? body : new Response(body, { status: 422 }));

    for (const line of ['categories list -v', 'categories create dog -v --json']) {
      const { exitCode, stderr } = await petstore(line, withKey(key));

      expect(exitCode).toBe(3);
      expect(stderr).not.toMatch(/ky\+7|k\\u(?:\{0\}|0000)y/);
      expect(stderr).not.toContain(html);
    }
  });
});

test('no header of a response shows the key', async ({ petstore, sandbox }) => {
  const key = 'canary-0123456789';
  const headers = { reason: key, kind: `a ${key}`, event: key, outcome: key, [`x-${key}`]: 'y' };
  sandbox.react = () => reply(200, [], headers);

  const { stderr } = await petstore('categories list -v --json', withKey(key));

  expect(stderr).toContain('"reason":"[key]"');
  expect(stderr).toContain('"x-[key]":"y"');
});

test.for(formats)(
  'a number is never touched, although it holds the key, as %s',
  async (format, { petstore, sandbox }) => {
    const body = '[{"id":1234567890123,"name":"a 34567890 b","more":[34567890,{"n":34567890.5}]}]';
    sandbox.react = () => reply(200, body);

    const env = { PETSTORE_API_KEY: '34567890' };
    const { stdout } = await petstore(`api GET /x -o ${format}`, { env });

    for (const text of ['1234567890123', 'a [key] b', '34567890.5']) expect(stdout).toContain(text);
    expect(stdout).not.toMatch(/\d\[key\]|\[key\]\d/);
  },
);

test.for(['34567890', 'remaining'])(
  'no name and no number of an event is touched where the key is %s',
  async (key, { petstore, sandbox }) => {
    const headers = {
      'x-ratelimit-limit': '34567890',
      'x-ratelimit-remaining': '34567889',
      'x-ratelimit-reset': String(Date.UTC(2026, 10, 20, 15, 5, 50) / 1_000),
      sunset: 'Fri, 01 Jan 2027 00:00:00 GMT',
    };
    sandbox.reactions.push(reply(200, '{"id":1}', headers));

    const { events } = await petstore('pets get 1 --json', { env: { PETSTORE_API_KEY: key } });

    const [operation, sunset] = ['GET /pets/{petId}', '2027-01-01T00:00:00Z'];
    const resetAt = expect.any(String);
    expect(events()).toEqual([
      { event: 'deprecation', operation, sunset, daysLeft: 41 },
      { event: 'rate_limit', limit: 34567890, remaining: 34567889, resetAt },
    ]);
  },
);

/** What is left of data when all texts and names are alike: how many fields and items there are, and which numbers. */
function shapeOf(data: unknown): string {
  if (typeof data === 'string') return 'text';
  if (Array.isArray(data)) return `[${data.map(shapeOf)}]`;
  if (typeof data !== 'object' || data === null) return String(data);
  return `{${Object.values(data).map(shapeOf).sort()}}`;
}
