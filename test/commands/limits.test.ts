import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { startTime } from '../support/clock.ts';
import { expect, reply, silence, test, testKey } from '../support/petstore.ts';
import { expectTold } from '../support/told.ts';

const limits = ['limits', '--json'];
const refuse = (retryAfter: string) => reply(429, '', { 'retry-after': retryAfter });

describe('limits', () => {
  test('asks nobody, knows nothing and makes nothing at first', async ({
    petstore,
    sandbox,
    folder,
  }) => {
    const { stdout, exitCode } = await petstore(limits);

    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      minute: { source: 'unknown' },
      day: { source: 'unknown' },
      inFlight: 0,
      wait: null,
      store: null,
    });
    expect(sandbox.requests).toHaveLength(0);
    await petstore(['doctor']);
    expect(existsSync(join(folder, 'state', 'limits'))).toBe(false);
  });

  test('says how to get values where none are recorded, once', async ({ petstore }) => {
    const before = await petstore(['limits', '-p', 'production']);
    await petstore(['categories', 'list']);
    const after = await petstore(['limits']);

    expect(before.stderr).toBe(
      'petstore: no values recorded yet; to get them (one request): petstore limits --refresh --profile production\n',
    );
    expect(after.stderr).not.toContain('no values recorded');
  });

  test('says how to get current values where the recorded windows have ended', async ({
    petstore,
    clock,
  }) => {
    await petstore(['categories', 'list']);
    await clock.sleep(63_000, new AbortController().signal);

    const { stderr } = await petstore(['limits']);

    expect(stderr).toBe(
      'petstore: the recorded windows have ended; to get current values (one request): petstore limits --refresh\n',
    );
  });

  test('sends no one to --refresh while a wait is in force', async ({ petstore, sandbox }) => {
    sandbox.reactions.push(refuse('900'));
    await petstore(['categories', 'list']);

    const { stderr } = await petstore(['limits']);

    expect(stderr).not.toContain('--refresh');
  });

  test('shows what other commands heard, and our own count of the day', async ({
    petstore,
    sandbox,
  }) => {
    await petstore(['categories', 'list']);
    await petstore(['categories', 'create', 'rabbit']);

    const json = await petstore(limits);
    const table = await petstore(['limits']);

    expect(JSON.parse(json.stdout)).toMatchObject({
      minute: {
        limit: 60,
        remaining: 58,
        used: 2,
        resetAt: '2026-11-20T15:05:00Z',
        source: 'service',
      },
      day: { used: 2, source: 'own count' },
    });
    expect(table.stdout).toContain(
      '│ minute │ 60    │ 58        │ 2    │ 2026-11-20T15:05:00Z │ service   │',
    );
    expect(table.stdout).toContain(
      '│ day    │       │           │ 2    │                      │ own count │',
    );
    expect(sandbox.requests).toHaveLength(2);
  });

  test('--refresh spends one request to hear it from the service', async ({
    petstore,
    sandbox,
  }) => {
    const { stdout } = await petstore([...limits, '--refresh']);

    expect(JSON.parse(stdout).minute).toMatchObject({ limit: 60, remaining: 59 });
    expect(sandbox.requests).toHaveLength(1);
  });

  test('--refresh that is refused shows the wait, and is a failure: exit 75', async ({
    petstore,
    sandbox,
  }) => {
    sandbox.reactions.push(refuse('900'));

    const { exitCode, stdout, stderr } = await petstore(['limits', '--refresh']);

    expect(exitCode).toBe(75);
    expect(stdout).toContain('│ minute │');
    expect(stderr).toContain('next request in 15m');
    expect(sandbox.requests).toHaveLength(1);
  });

  test('--refresh reads a key from standard input once', async ({ petstore }) => {
    const env = { PETSTORE_API_KEY: undefined };

    const { exitCode, stdout } = await petstore([...limits, '--refresh', '--api-key-file', '-'], {
      env,
      stdin: testKey,
    });

    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout).minute).toMatchObject({ remaining: 59 });
  });

  test('--refresh shows what it heard, also where nothing can be written', async ({ petstore }) => {
    const blocked = '/dev/null/state';
    const env = { PETSTORE_STATE_DIR: blocked };
    const context = { temporary: blocked };

    const { stdout, stderr } = await petstore(['limits', '--refresh'], { env, context });

    expect(stdout).toContain('│ minute │ 60    │ 59 ');
    expect(
      stderr.match(/the rate limit is not shared with other petstore processes/g),
    ).toHaveLength(1);
  });

  test('shows a wait in force and its reason; --reset forgets it', async ({
    petstore,
    sandbox,
  }) => {
    sandbox.reactions.push(refuse('900'));
    await petstore(['categories', 'list']);

    const waiting = await petstore(limits);
    const text = await petstore(['limits']);
    const refused = await petstore(['categories', 'list']);
    await petstore(['limits', '--reset']);
    const again = await petstore(['categories', 'list']);

    const { reason, until } = JSON.parse(waiting.stdout).wait;
    expect(reason).toBe('429');
    expectTold(Date.parse(until) - startTime, 900);
    expect(text.stderr).toMatch(
      /^petstore: rate limit exceeded \(429\); next request in 15m( [1-3]s)? \(2026-11-20T15:19:0[0-3]Z\)\n$/,
    );
    expect(refused.exitCode).toBe(75);
    expect(again.exitCode).toBe(0);
    expect(sandbox.requests).toHaveLength(2);
  });
});

describe('what one command learned holds for the next', () => {
  test('a told wait above --max-wait: exit 75 at once, nothing sent', async ({
    petstore,
    sandbox,
  }) => {
    sandbox.reactions.push(refuse('3600'));
    await petstore(['categories', 'list']);

    const result = await petstore(['categories', 'create', 'rabbit']);

    expect(result.exitCode).toBe(75);
    expect(result.stderr).toBe(
      [
        'petstore: rate limit exceeded (429)',
        'Nothing was sent.',
        'Retry in 1h (2026-11-20T16:04:02Z), or let petstore wait: --max-wait 3603s',
        '',
      ].join('\n'),
    );
    expect(sandbox.requests).toHaveLength(1);
  });

  test('after the day is used up nothing is sent, and a higher plan is named', async ({
    petstore,
    sandbox,
    clock,
  }) => {
    Object.assign(sandbox.quota.day, { used: 999, openedAt: startTime });
    await petstore(['categories', 'list']);
    const before = sandbox.requests.length;

    const results = [];
    for (let n = 0; n < 20; n += 1) results.push(await petstore(['categories', 'create', `c${n}`]));

    for (const { exitCode, stderr } of results) {
      expect(exitCode).toBe(75);
      expect(stderr).toContain(
        'petstore: rate limit reached: 1000 requests per day\nNothing was sent.\n',
      );
      expect(stderr).toContain('Retry in 24h (2026-11-21T15:04:01Z). A higher plan allows more');
    }
    expect(sandbox.requests).toHaveLength(before);
    expect(clock.now()).toBe(startTime);
  });

  test('a service that only refuses gets three requests in five minutes, whoever asks', async ({
    petstore,
    sandbox,
    clock,
  }) => {
    sandbox.reactions.push(...Array.from({ length: 99 }, () => refuse('1')));
    while (clock.now() < startTime + 285_000) {
      await petstore(['categories', 'list', '--max-wait', '10s']);
      await clock.sleep(5_000, new AbortController().signal);
    }

    expect(sandbox.requests).toHaveLength(3);
  });

  test('a wait for a request that never comes back is shown, and no longer than asked', async ({
    petstore,
    sandbox,
    clock,
  }) => {
    const asked = new Promise<void>((resolve) => {
      sandbox.reactions.push(() => {
        resolve();
        return silence;
      });
    });
    const pending = petstore(['categories', 'list', '--timeout', '1h']);
    const release = clock.hold();
    await asked;
    const sleep = (ms: number, signal: AbortSignal) => {
      release();
      return clock.sleep(ms, signal);
    };

    const { exitCode, events } = await petstore(['orders', 'list', '--max-wait', '7s', '--json'], {
      context: { sleep },
    });

    expect(exitCode).toBe(75);
    expect(events()).toMatchObject([
      { event: 'wait', reason: 'probe' },
      { event: 'error', kind: 'rate_limited', outcome: 'not_sent' },
    ]);
    await pending;
  });

  test('a key that stops working after a 429 is left alone, and that is said', async ({
    petstore,
    sandbox,
  }) => {
    await petstore(['categories', 'list']);
    sandbox.reactions.push(refuse('1'), reply(401, { code: 'banned', message: 'no', status: 401 }));
    const refused = await petstore(['categories', 'list']);

    const after = await petstore(['categories', 'list']);

    expect(refused.exitCode).toBe(4);
    expect(after.exitCode).toBe(75);
    expect(after.stderr).toContain(
      'your API key seems to be temporarily banned: it was rejected after a 429',
    );
  });

  describe('a ban that the service tells', () => {
    const banned = () =>
      reply(
        429,
        { code: 'key_banned', message: 'this key is banned for a while', status: 429 },
        {
          'retry-after': '300',
          'x-ratelimit-limit': '60',
          'x-ratelimit-remaining': '0',
          'x-ratelimit-reset': String(startTime / 1_000 + 58),
        },
      );
    /** Without the seconds of 5m 2s and 15:09:02Z, which may be up to three. */
    const rounded = (text: string) =>
      text.replace(/(5m) [1-3]s/, '$1').replace(/(15:09):0[0-3]Z/, '$1Z');
    const says = [
      'petstore: your API key is temporarily banned: too many requests after a 429',
      'Nothing was sent.',
      'Banned since 2026-11-20T15:04:00Z; retry in 5m (2026-11-20T15:09Z). Nothing is sent before then; see petstore limits',
      '',
    ];

    test('is an error since when, until when, why and what to do, with no other time beside it', async ({
      petstore,
      sandbox,
    }) => {
      sandbox.reactions.push(banned());

      const refused = await petstore(['categories', 'list']);
      const after = await petstore(['categories', 'create', 'rabbit']);

      expect(refused.exitCode).toBe(75);
      expect(rounded(refused.stderr)).toBe(
        [
          says[0],
          'The service responded with 429; nothing has been sent since.',
          ...says.slice(2),
        ].join('\n'),
      );
      expect(after.exitCode).toBe(75);
      expect(rounded(after.stderr)).toBe(says.join('\n'));
      expect(sandbox.requests).toHaveLength(1);
    });

    test('is shown by limits, in text as in JSON', async ({ petstore, sandbox }) => {
      sandbox.reactions.push(banned());
      await petstore(['categories', 'list']);

      const text = await petstore(['limits']);
      const json = await petstore(limits);

      expect(rounded(text.stderr)).toBe(
        'petstore: your API key is temporarily banned: too many requests after a 429; since 2026-11-20T15:04:00Z; next request in 5m (2026-11-20T15:09Z); nothing is sent before then\n',
      );
      const { until, ...wait } = JSON.parse(json.stdout).wait;
      expectTold(Date.parse(until) - startTime, 300);
      expect(wait).toEqual({
        reason: 'banned',
        why: 'your API key is temporarily banned: too many requests after a 429',
        since: '2026-11-20T15:04:00Z',
      });
    });

    test('is what is waited for, where that is allowed', async ({ petstore, sandbox }) => {
      sandbox.reactions.push(banned());

      const { exitCode, stderr } = await petstore(['categories', 'list', '--max-wait', '10m']);

      expect(exitCode).toBe(0);
      expect(rounded(stderr)).toContain(
        'petstore: your API key is temporarily banned, next request in 5m (15:09Z)\n',
      );
    });
  });

  test.for(['text', 'json'])(
    'the line on the limit is left out beside an error that says when to retry: %s',
    async (format, { petstore, sandbox }) => {
      Object.assign(sandbox.quota.minute, { used: 60, openedAt: startTime });
      const argv = [
        'categories',
        'list',
        '--max-wait',
        '0',
        ...(format === 'json' ? ['--json'] : []),
      ];

      const { exitCode, stderr } = await petstore(argv);

      expect(exitCode).toBe(75);
      expect(stderr).not.toMatch(/rate limit: |"rate_limit"/);
    },
  );

  test('where no folder can be written, one notice says that others are not seen', async ({
    petstore,
    folder,
  }) => {
    const { writeFileSync } = await import('node:fs');
    writeFileSync(`${folder}/file`, '');
    const blocked = `${folder}/file/state`;
    const env = { PETSTORE_STATE_DIR: blocked };
    const context = { temporary: blocked };

    const result = await petstore(['categories', 'create', 'rabbit', '--if-missing'], {
      env,
      context,
    });

    expect(result.exitCode).toBe(0);
    expect(
      result.stderr.match(/the rate limit is not shared with other petstore processes/g),
    ).toHaveLength(1);
  });
});
