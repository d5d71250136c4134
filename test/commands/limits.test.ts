import { startTime } from '../support/clock.ts';
import { expect, reply, test, testKey } from '../support/petstore.ts';
import { expectTold, list, listNow, never, second } from '../support/told.ts';

test('limits sends nothing, and says how to get values', async ({ petstore, sandbox, clock }) => {
  const hint =
    'petstore: no current values; to get them (one request): petstore limits --refresh --profile production\n';
  const said = async () => (await petstore('limits -p production')).stderr;

  const items = ['minute', 'day'].map((window) => ({ window, source: 'unknown' }));
  const nothing = { inFlight: 0, wait: null, store: null, items };
  expect((await petstore('limits --json')).json).toEqual(nothing);
  expect(await said()).toBe(hint);
  expect(sandbox.requests).toHaveLength(0);
  await petstore(list);
  expect(await said()).toBe('');
  await clock.sleep(63 * second, never);
  expect(await said()).toBe(hint);
});

test('limits shows what other commands heard, and our own count', async ({ petstore, sandbox }) => {
  await petstore(list);
  await petstore('categories create rabbit');

  const { json } = await petstore('limits --json');

  const resetAt = '2026-11-20T15:05:00Z';
  expect(json.items).toMatchObject([
    { window: 'minute', limit: 60, remaining: 58, used: 2, resetAt, source: 'service' },
    { window: 'day', used: 2, source: 'own count' },
  ]);
  expect(sandbox.requests).toHaveLength(2);
});

test('limits --refresh sends one request', async ({ petstore, sandbox, clock }) => {
  await clock.sleep(700, never);

  const env = { PETSTORE_API_KEY: undefined };
  const line = 'limits --json --refresh --api-key-file -';
  const { exitCode, json, events } = await petstore(line, { env, stdin: testKey });

  const [{ resetAt } = {}] = events();
  expect([exitCode, sandbox.requests.length]).toEqual([0, 1]);
  expect(json.items[0]).toMatchObject({ limit: 60, remaining: 59, resetAt });
});

test('limits shows a wait in force; --reset forgets it', async ({ petstore, sandbox }) => {
  sandbox.reactions.push(reply(429, {}, { 'retry-after': '900' }));
  await petstore(listNow);

  const { wait } = (await petstore('limits --json')).json;
  const { stderr } = await petstore('limits');
  const refused = await petstore(listNow);
  await petstore('limits --reset');
  const again = await petstore(listNow);

  expect(wait.reason).toBe('429');
  expectTold(Date.parse(wait.until) - startTime, 900);
  expect(rounded(stderr)).toBe(
    'petstore: rate limit exceeded; next request in 15m (2026-11-20T15:19Z)\n',
  );
  expect([refused.exitCode, again.exitCode, sandbox.requests.length]).toEqual([75, 0, 2]);
});

test('a day that is used up holds for the next command, which names a higher plan', async ({
  petstore,
  sandbox,
}) => {
  Object.assign(sandbox.quota.day, { used: 999, openedAt: startTime });
  await petstore(list);

  const { exitCode, stderr } = await petstore('categories create fish');

  expect([exitCode, sandbox.requests.length]).toEqual([75, 1]);
  expect(stderr).toContain('rate limit reached: 1000 requests per day\nNothing was sent.\n');
  expect(stderr).toContain('Retry in 24h (2026-11-21T15:04:01Z). A higher plan allows more');
});

test('a ban that the service tells holds for the next command', async ({ petstore, sandbox }) => {
  const error = { code: 'key_banned', message: 'this key is banned for a while', status: 429 };
  sandbox.reactions.push(reply(429, error, { 'retry-after': '300' }));

  const refused = await petstore('categories list');
  const after = await petstore('categories create rabbit');
  const shown = await petstore('limits');
  const { wait } = (await petstore('limits --json')).json;

  const why = 'the service says your key is banned';
  const until = 'Retry in 5m (2026-11-20T15:09Z). See: petstore limits';
  expect([refused.exitCode, after.exitCode, sandbox.requests.length]).toEqual([75, 75, 1]);
  expect(rounded(after.stderr)).toBe(`petstore: ${why}\nNothing was sent.\n${until}\n`);
  expect(rounded(shown.stderr)).toBe(`petstore: ${why}; next request in 5m (2026-11-20T15:09Z)\n`);
  expectTold(Date.parse(wait.until) - startTime, 300);
  expect(wait).toMatchObject({ reason: 'banned', why });
});

/** Leaves out the seconds of 5m 2s and 15:09:02Z, which may be up to three. */
function rounded(text: string): string {
  return text.replace(/(\dm) [1-3]s/, '$1').replace(/(15:\d\d):0[0-3]Z/, '$1Z');
}
