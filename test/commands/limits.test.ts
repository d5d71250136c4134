import { describe } from 'vitest';
import { startTime } from '../support/clock.ts';
import { expect, reply, test, testKey } from '../support/petstore.ts';
import { expectTold } from '../support/told.ts';

const limits = ['limits', '--json'];
const list = ['categories', 'list'];
const refuse = (retryAfter: string) => reply(429, '', { 'retry-after': retryAfter });

describe('limits', () => {
  test('sends nothing at first', async ({ petstore, sandbox }) => {
    const { stdout, exitCode } = await petstore(limits);

    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      inFlight: 0,
      wait: null,
      store: null,
      items: [
        { window: 'minute', source: 'unknown' },
        { window: 'day', source: 'unknown' },
      ],
    });
    expect(sandbox.requests).toHaveLength(0);
  });

  test('says how to get values if there are none', async ({ petstore, clock }) => {
    const hint =
      'petstore: no current values; to get them (one request): petstore limits --refresh --profile production\n';
    const limits = ['limits', '-p', 'production'];

    expect((await petstore(limits)).stderr).toBe(hint);
    await petstore(list);
    expect((await petstore(limits)).stderr).toBe('');
    await clock.sleep(63_000, new AbortController().signal);
    expect((await petstore(limits)).stderr).toBe(hint);
  });

  test('shows what other commands heard, and our own count', async ({ petstore, sandbox }) => {
    await petstore(list);
    await petstore('categories create rabbit');

    const json = await petstore(limits);

    const resetAt = '2026-11-20T15:05:00Z';
    expect(JSON.parse(json.stdout).items).toMatchObject([
      { window: 'minute', limit: 60, remaining: 58, used: 2, resetAt, source: 'service' },
      { window: 'day', used: 2, source: 'own count' },
    ]);
    expect(sandbox.requests).toHaveLength(2);
  });

  test('says that the service contradicts the plan', async ({ petstore }) => {
    await petstore('config set plan pro');

    const { stderr } = await petstore('limits --refresh');

    expect(stderr).toContain('plan is pro, but the service says 60/min');
  });

  test('--refresh sends one request', async ({ petstore, sandbox, clock }) => {
    const env = { PETSTORE_API_KEY: undefined };
    const argv = [...limits, '--refresh', '--api-key-file', '-'];
    await clock.sleep(700, new AbortController().signal);

    const { exitCode, stdout, events } = await petstore(argv, { env, stdin: testKey });

    const [{ resetAt } = {}] = events();
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout).items[0]).toMatchObject({ limit: 60, remaining: 59, resetAt });
    expect(sandbox.requests).toHaveLength(1);
  });

  test('shows a wait in force; --reset forgets it', async ({ petstore, sandbox }) => {
    sandbox.reactions.push(refuse('900'));
    await petstore(list);

    const waiting = await petstore(limits);
    const text = await petstore('limits');
    const refused = await petstore(list);
    await petstore('limits --reset');
    const again = await petstore(list);

    const { reason, until } = JSON.parse(waiting.stdout).wait;
    expect(reason).toBe('429');
    expectTold(Date.parse(until) - startTime, 900);
    expect(text.stderr).toMatch(
      /^petstore: rate limit exceeded; next request in 15m( [1-3]s)? \(2026-11-20T15:19:0[0-3]Z\)\n$/,
    );
    expect([refused.exitCode, again.exitCode]).toEqual([75, 0]);
    expect(sandbox.requests).toHaveLength(2);
  });
});

describe('what one command learned holds for the next:', () => {
  test('a day that is used up, for which a higher plan is named', async ({ petstore, sandbox }) => {
    Object.assign(sandbox.quota.day, { used: 999, openedAt: startTime });
    await petstore(list);

    const { exitCode, stderr } = await petstore('categories create fish');

    expect(exitCode).toBe(75);
    expect(stderr).toContain('rate limit reached: 1000 requests per day\nNothing was sent.\n');
    expect(stderr).toContain('Retry in 24h (2026-11-21T15:04:01Z). A higher plan allows more');
    expect(sandbox.requests).toHaveLength(1);
  });

  test('a ban that the service tells', async ({ petstore, sandbox }) => {
    const error = { code: 'key_banned', message: 'this key is banned for a while', status: 429 };
    const window = { 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '0' };
    const reset = { 'x-ratelimit-reset': String(startTime / 1_000 + 58) };
    sandbox.reactions.push(reply(429, error, { 'retry-after': '300', ...window, ...reset }));
    // The seconds of 5m 2s and 15:09:02Z may be up to three.
    const rounded = (text: string) =>
      text.replace(/(5m) [1-3]s/, '$1').replace(/(15:09):0[0-3]Z/, '$1Z');

    const refused = await petstore(list);
    const after = await petstore('categories create rabbit');
    const shown = await petstore('limits');
    const json = await petstore(limits);
    const requests = sandbox.requests.length;
    const waited = await petstore([...list, '--max-wait', '10m']);

    const why = 'the service says your key is banned';
    const until = 'Retry in 5m (2026-11-20T15:09Z). See: petstore limits';
    expect([refused.exitCode, after.exitCode]).toEqual([75, 75]);
    expect(rounded(refused.stderr)).toBe(
      `petstore: ${why}: this key is banned for a while\nThe list was not fetched.\n${until}\n`,
    );
    expect(rounded(after.stderr)).toBe(`petstore: ${why}\nNothing was sent.\n${until}\n`);
    expect(rounded(shown.stderr)).toBe(
      `petstore: ${why}; next request in 5m (2026-11-20T15:09Z)\n`,
    );
    const { until: end, ...wait } = JSON.parse(json.stdout).wait;
    expectTold(Date.parse(end) - startTime, 300);
    expect(wait).toEqual({ reason: 'banned', why });
    expect(requests).toBe(1);
    expect(waited.exitCode).toBe(0);
    expect(rounded(waited.stderr)).toContain(`petstore: next request in 5m (15:09Z): ${why}\n`);
  });
});
