import { describe } from 'vitest';
import { put } from '../support/import-cases.ts';
import { expect, reply, test } from '../support/petstore.ts';

const limits = (remaining: number) => ({
  ...{ 'x-ratelimit-limit': '34567890', 'x-ratelimit-remaining': String(remaining) },
  'x-ratelimit-reset': String(Date.UTC(2026, 10, 20, 15, 5, 50) / 1_000),
});
const endOfPets = { deprecation: 'true', sunset: 'Fri, 01 Jan 2027 00:00:00 GMT' };
const rateLimit = { event: 'rate_limit', limit: 34567890 };
const deprecation = {
  event: 'deprecation',
  operation: 'GET /pets/{petId}',
  sunset: '2027-01-01T00:00:00Z',
  daysLeft: 41,
};
const wait = { event: 'wait', resetAt: expect.any(String), waitMs: expect.any(Number) };
const get = ['pets', 'get', '1', '--json', '--max-wait', 'inf'];

/** Numbers, names and values of events: whatever the key is, they stay. */
const keys = ['34567890', 'remaining', 'rate_limit', 'deprecation', 'operation'];

describe('an event is what it is, although the key', () => {
  test.for(keys)('is %s', async (key, { petstore, sandbox, clock }) => {
    const env = { PETSTORE_API_KEY: key };
    sandbox.reactions.push(
      reply(429, { code: 'x', message: 'y', status: 429 }, { 'retry-after': '25' }),
      reply(200, '{"id":1}', { ...limits(0), ...endOfPets }),
      reply(200, '{"id":1}', { ...limits(34567889), ...endOfPets }),
    );

    const refused = await petstore(get, { env });
    // Times are fractions of a millisecond, too.
    await clock.sleep(0.3, new AbortController().signal);
    const start = clock.uptime();
    const waited = await petstore(get, { env });

    const resetAt = expect.any(String);
    expect(refused.events()).toEqual([
      { ...wait, reason: '429' },
      deprecation,
      { ...rateLimit, remaining: 0, resetAt },
    ]);
    const [first, ...others] = waited.events();
    expect(first).toEqual({ ...wait, reason: 'window', limit: 34567890, remaining: 0 });
    expect(first?.waitMs).toBe(Math.ceil(clock.uptime() - start));
    expect(others.slice(-2)).toEqual([deprecation, { ...rateLimit, remaining: 34567889, resetAt }]);
  });
});

const key = 'kyCanary41<b>=Zq9f-0123456789-abcdefghijklmnopqrstuvwxyz-ABCDEFG';
const inUrl = `http://127.0.0.1:4010/v1/${encodeURIComponent(key)}`;

describe('the key is cut out of texts that petstore itself makes:', () => {
  test.for([
    ['a setting', 'config get base-url', { PETSTORE_BASE_URL: inUrl }],
    ['a path', 'config path', { PETSTORE_CONFIG_DIR: `/tmp/${key}` }],
    ['a status', 'auth status', { PETSTORE_BASE_URL: inUrl }],
    ['the settings', 'config list', { PETSTORE_BASE_URL: inUrl }],
    ['what is checked', 'doctor --all', { PETSTORE_BASE_URL: inUrl }],
    ['what differs', 'categories diff FILE'],
    ['a plan', 'categories import FILE --dry-run'],
    ['a report', 'categories import FILE --yes'],
    ['faults of a file', 'categories import FAULTY --yes'],
    ['a file that is missing', 'categories import NAME --yes'],
    ['an operation', 'api GET /pets/KEY'],
    ['a request', 'categories create NAME --dry-run'],
    ['a refusal that is cut short', 'categories create NAME'],
    ['what was searched for', 'categories list --search NAME'],
    ['headers', 'categories list --verbose'],
  ] as const)('%s', async ([, line, more = {}], { petstore, sandbox, folder }) => {
    const category = { id: 1, name: `a ${key}`, description: key };
    const refusal = { code: key, message: '-'.repeat(300) + key.repeat(3), status: 422 };
    sandbox.react = ({ method }) =>
      method === 'GET'
        ? reply(200, [category], { 'x-echo': key, ...endOfPets })
        : reply(422, refusal, { 'x-echo': `${'-'.repeat(280)}${key}` });
    const rows = [{ name: `a ${key}`, description: 'y' }, { name: `b ${key}` }];
    const file = put(folder, JSON.stringify(rows), 'rows.json');
    const faulty = put(
      folder,
      JSON.stringify([{ [key]: 1 }, { name: 'a', [key]: 2 }]),
      'faulty.json',
    );
    const argv = line
      .replace('FILE', file)
      .replace('FAULTY', faulty)
      .replace('KEY', encodeURIComponent(key))
      .split(' ')
      .map((word) => word.replace('NAME', `x ${key}`));
    const env = { PETSTORE_API_KEY: key, ...more };

    let said = '';
    for (const format of ['table', 'json', 'csv', 'raw']) {
      const { stdout, stderr } = await petstore([...argv, '-o', format], { env });
      said += stdout + stderr;
    }

    expect(said).toContain('[key]');
    expect(said).not.toMatch(/kyCanary|%3Cb%3E/i);
  });
});

describe('a create that cannot be printed', () => {
  test.for([
    ['EIO', 74, /\(EIO\)/],
    ['ENOSPC', 74, /\(ENOSPC\)/],
  ] as const)(
    'with %s ends with %i and says that it was created',
    async ([code, exit, says], { petstore, sandbox }) => {
      const write = () => Promise.reject(Object.assign(new Error(code), { code }));
      const stdout = { isTTY: false, columns: undefined, stream: undefined, write };
      const create = (name: string, ...more: string[]) =>
        petstore(['categories', 'create', name, ...more], { context: { stdout } });

      const text = await create('dog');
      const json = await create('cat', '--json');

      expect([text.exitCode, json.exitCode]).toEqual([exit, exit]);
      expect(text.stderr).toMatch(says);
      expect(text.stderr).toMatch(/created with id 1\b/);
      expect(json.events().at(-1)).toMatchObject({ event: 'error', outcome: 'created' });
      expect(sandbox.categories).toHaveLength(2);
    },
  );
});
