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
      reply(200, '{"id":1}', { ...limits(34567888), ...endOfPets }),
    );

    const refused = await petstore(get, { env });
    // Who comes back then is never early.
    const end = Date.parse(String(refused.events()[0]?.resetAt));
    expect(end).toBeGreaterThanOrEqual(Math.floor(clock.now()));
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
    // It waits a millisecond longer than it says, for fractions of one.
    expect(first?.waitMs).toBe(Math.ceil(clock.uptime() - start) - 1);
    expect((await petstore([...get, '--quiet'], { env })).stderr).toBe('');
    expect(others.slice(-2)).toEqual([deprecation, { ...rateLimit, remaining: 34567889, resetAt }]);
  });
});

/** One that URLs write in another way, and one that may be a word of the service. */
const keysOfText = [
  'kyCanary41<b>=Zq9f-0123456789-abcdefghijklmnopqrstuvwxyz',
  'kyCanary_0123456789_plain',
];

describe('the key is cut out of texts that petstore itself makes:', () => {
  test.for([
    ['a setting', 'config get base-url', 'PETSTORE_BASE_URL'],
    ['a path', 'config path', 'PETSTORE_CONFIG_DIR'],
    ['a status', 'auth status', 'PETSTORE_BASE_URL'],
    ['the settings', 'config list', 'PETSTORE_BASE_URL'],
    ['what is checked', 'doctor', 'PETSTORE_BASE_URL'],
    ['what differs', 'categories diff FILE'],
    ['a plan', 'categories import FILE --dry-run'],
    ['a report', 'categories import FILE --yes'],
    ['faults of a file', 'categories import FAULTY --yes'],
    ['a file that is missing', 'categories import KEY --yes'],
    ['an operation', 'api GET /pets/KEY'],
    ['a request', 'categories create KEY --dry-run'],
    ['a refusal that is cut short', 'categories create dog'],
    ['what was searched for', 'categories list --search KEY'],
    ['headers', 'categories list --verbose'],
  ] as const)('%s', async ([, line, variable], { petstore, sandbox, folder }) => {
    for (const key of keysOfText) {
      const inUrl = encodeURIComponent(key);
      const places = {
        PETSTORE_BASE_URL: `http://127.0.0.1:4010/${inUrl}`,
        PETSTORE_CONFIG_DIR: `/tmp/${key}`,
      };
      const env = { PETSTORE_API_KEY: key, ...(variable && { [variable]: places[variable] }) };
      const category = { id: 1, name: `a ${key}`, description: key };
      const refusal = { code: key, message: '-'.repeat(300) + key.repeat(4), status: 422 };
      const headers = { 'x-echo': `${'-'.repeat(280)}${key}` };
      sandbox.react = ({ method }) =>
        method === 'GET'
          ? reply(200, [category], { ...headers, ...endOfPets })
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
