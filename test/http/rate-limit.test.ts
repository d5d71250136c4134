import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe } from 'vitest';
import { readLimits } from '../../src/api/rate-limit.ts';
import { startTime } from '../support/clock.ts';
import { expect, reply, test } from '../support/petstore.ts';
import { trials } from '../support/trials.ts';
import { interrupted } from '../support/values.ts';

const list = ['categories', 'list'];
const limited = (headers: Record<string, string>) => reply(429, '', headers);
const window = (remaining: number, resetIn: number) => ({
  date: new Date(startTime).toUTCString(),
  'x-ratelimit-limit': '60',
  'x-ratelimit-remaining': String(remaining),
  'x-ratelimit-reset': String(startTime / 1_000 + resetIn),
});

/** The same headers, told so much later. */
function shifted(headers: Record<string, string>, ms: number): Record<string, string> {
  const later = (value: string) => {
    const date = Date.parse(value);
    if (value.endsWith('GMT')) return new Date(date + ms).toUTCString();
    if (/^\d{10}$/.test(value)) return String(Math.ceil(Number(value) + ms / 1_000));
    return /^\d{13}$/.test(value) ? String(Math.ceil(Number(value) + ms)) : value;
  };
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, later(value)]));
}

describe('after a 429', () => {
  test.for([
    { told: 'seconds', headers: { 'retry-after': '34' }, floor: 34 },
    { told: 'a fraction', headers: { 'retry-after': '1.2' }, floor: 2 },
    { told: 'zero', headers: { 'retry-after': '0' }, floor: 1 },
    { told: 'a date', headers: { 'retry-after': 'Fri, 20 Nov 2026 15:04:20 GMT' }, floor: 20 },
    {
      told: 'a date by a clock that is an hour ahead',
      headers: {
        date: 'Fri, 20 Nov 2026 16:04:00 GMT',
        'retry-after': 'Fri, 20 Nov 2026 16:04:10 GMT',
      },
      floor: 10,
    },
    { told: 'two values', headers: { 'retry-after': '3, 9' }, floor: 9 },
    { told: 'a negative number', headers: { 'retry-after': '-5' }, floor: 1 },
    { told: 'words', headers: { 'retry-after': 'soon' }, floor: 1 },
    { told: 'nothing', headers: {}, floor: 1 },
    { told: 'only a reset', headers: window(0, 30), floor: 30 },
    {
      told: 'a reset in milliseconds',
      headers: { ...window(0, 0), 'x-ratelimit-reset': String(startTime + 30_000) },
      floor: 30,
    },
    {
      told: 'a reset in the year 9999',
      headers: { ...window(0, 0), 'x-ratelimit-reset': '253402300799' },
      floor: 1,
    },
  ])(
    'told $told, the next request leaves no earlier than that and at most 3 s later',
    async ({ headers, floor }, { petstore, sandbox, clock, folder }) => {
      const { numRuns } = trials(20);
      for (let run = 0; run < numRuns; run += 1) {
        const jitter = run / numRuns;
        const start = clock.now();
        sandbox.reactions.push(limited(shifted(headers, start - startTime)));

        const result = await petstore(list, {
          env: { PETSTORE_STATE_DIR: `${folder}/${jitter}` },
          context: { random: () => jitter },
        });

        const waited = clock.now() - start;
        expect(result.exitCode).toBe(0);
        expect(waited).toBeGreaterThanOrEqual(floor * 1_000);
        expect(waited).toBeLessThanOrEqual(floor * 1_000 + 3_000);
      }
      expect(sandbox.requests).toHaveLength(2 * numRuns);
    },
  );

  test('a create is sent again after the wait: it was refused before it was handled', async ({
    petstore,
    sandbox,
  }) => {
    sandbox.reactions.push(limited({ 'retry-after': '5' }));

    const result = await petstore(['categories', 'create', 'rabbit']);

    expect(result.exitCode).toBe(0);
    expect(sandbox.categories).toHaveLength(1);
  });

  test('a 503 with Retry-After above --max-wait ends a read with exit 75 and the time, and holds for other processes', async ({
    petstore,
    sandbox,
    clock,
  }) => {
    sandbox.reactions.push(reply(503, '', { 'retry-after': '300' }));

    const first = await petstore([...list, '--json']);
    const second = await petstore(['pets', 'get', '1', '--json']);
    const start = clock.now();
    const third = await petstore(['pets', 'get', '1', '--max-wait', '10m']);

    for (const { exitCode, events } of [first, second]) {
      expect(exitCode).toBe(75);
      expect(events().at(-1)).toMatchObject({
        kind: 'rate_limited',
        message: 'the service is unavailable (503)',
        resetAt: '2026-11-20T15:09:02Z',
        exitCode: 75,
      });
    }
    expect(third.exitCode).toBe(0);
    expect(clock.now() - start).toBeGreaterThanOrEqual(300_000);
    expect(sandbox.requests).toHaveLength(2);
  });

  test('a 503 with Retry-After below --max-wait is waited for by every process', async ({
    petstore,
    sandbox,
    clock,
  }) => {
    sandbox.reactions.push(reply(503, '', { 'retry-after': '40' }));
    const start = clock.now();

    const { exitCode, stderr } = await petstore(list);

    expect(exitCode).toBe(0);
    expect(clock.now() - start).toBe(41_125);
    expect(stderr).toContain('petstore: the service is unavailable, next request in 42s (');
  });

  test('a read that is answered 503 with Retry-After four times ends with exit 75 and the time', async ({
    petstore,
    sandbox,
  }) => {
    sandbox.react = () => reply(503, '', { 'retry-after': '1' });

    const { exitCode, events } = await petstore([...list, '--json']);

    expect(exitCode).toBe(75);
    expect(events().at(-1)).toMatchObject({ kind: 'rate_limited', retryAfter: 1, status: 503 });
    expect(sandbox.requests).toHaveLength(4);
  });

  test('a create that is answered 503 with Retry-After is unknown, not sent again, and others wait', async ({
    petstore,
    sandbox,
    clock,
  }) => {
    sandbox.reactions.push(reply(503, '', { 'retry-after': '90' }));
    const start = clock.now();

    const created = await petstore(['categories', 'create', 'rabbit', '--json']);
    const listed = await petstore(list);

    expect(created.exitCode).toBe(6);
    expect(created.events().at(-1)).toMatchObject({ kind: 'outcome_unknown', outcome: 'unknown' });
    expect(listed.exitCode).toBe(0);
    expect(clock.now() - start).toBeGreaterThanOrEqual(90_000);
    expect(sandbox.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });

  test('rows of an import wait after a 503 with Retry-After, and only what was not created is sent again', async ({
    petstore,
    sandbox,
    folder,
    clock,
  }) => {
    const left: number[] = [];
    const start = clock.now();
    let refused = false;
    sandbox.react = ({ method, body = '' }) => {
      if (method !== 'POST') return undefined;
      left.push(Math.floor((clock.now() - start) / 1_000));
      if (refused || !body.includes('pet 3')) return undefined;
      refused = true;
      return reply(503, '', { 'retry-after': '70' });
    };
    const names = Array.from({ length: 12 }, (_, row) => `pet ${row}\n`);
    const file = join(folder, 'pets.csv');
    writeFileSync(file, `name\n${names.join('')}`);

    const result = await petstore(['categories', 'import', file, '--yes', '--json']);

    expect(result.exitCode).toBe(0);
    expect(sandbox.categories).toHaveLength(12);
    expect(left).toHaveLength(13);
    expect(left.filter((second) => second > 0 && second < 71)).toEqual([]);
  });

  test('a wait is said at its start and every 30 seconds where no line can be rewritten', async ({
    petstore,
    sandbox,
  }) => {
    sandbox.reactions.push(limited({ ...window(0, 60), 'retry-after': '70' }));

    const text = await petstore(list);

    expect(text.stderr.split('\n').slice(0, 3)).toEqual([
      'petstore: rate limit exceeded (429), next request in 1m 12s (2026-11-20T15:05:12Z)',
      'petstore: rate limit exceeded (429), next request in 42s (2026-11-20T15:05:12Z)',
      'petstore: rate limit exceeded (429), next request in 12s (2026-11-20T15:05:12Z)',
    ]);
  });

  test('a wait is an event with JSON output', async ({ petstore, sandbox }) => {
    sandbox.reactions.push(limited({ 'retry-after': '20' }));

    const { events } = await petstore([...list, '--json']);

    expect(events()[0]).toEqual({
      event: 'wait',
      reason: '429',
      resetAt: '2026-11-20T15:04:22Z',
      waitMs: 21_125,
    });
  });

  test.for([
    { maxWait: '10s', retryAfter: '20', seconds: 22 },
    { maxWait: '0', retryAfter: '1', seconds: 3 },
    { maxWait: '2m', retryAfter: '3000000', seconds: 3_000_002 },
  ])(
    'a wait of $retryAfter s above --max-wait $maxWait: exit 75 at once, with the time',
    async ({ maxWait, retryAfter, seconds }, { petstore, sandbox, clock }) => {
      sandbox.reactions.push(limited({ 'retry-after': retryAfter }));

      const result = await petstore([...list, '--max-wait', maxWait, '--json']);

      expect(result).toMatchObject({ exitCode: 75, stdout: '' });
      expect(result.events()).toMatchObject([
        { event: 'error', kind: 'rate_limited', outcome: 'refused', retryAfter: seconds },
      ]);
      expect(clock.now()).toBe(startTime);
      expect(sandbox.requests).toHaveLength(1);
    },
  );

  test('--max-wait 0 tells the time however long the request took', async ({
    petstore,
    sandbox,
    clock,
  }) => {
    sandbox.reactions.push(async (request) => {
      request.onSent();
      await clock.sleep(700, new AbortController().signal);
      return { status: 429, headers: { 'retry-after': '5' }, body: (async function* () {})() };
    });

    const result = await petstore([...list, '--max-wait', '0', '--json']);

    expect(result.exitCode).toBe(75);
    expect(result.events()).toMatchObject([{ kind: 'rate_limited', retryAfter: 7 }]);
    expect(sandbox.requests).toHaveLength(1);
  });

  test('three times in a row, nothing more is sent: exit 75, five minutes', async ({
    petstore,
    sandbox,
  }) => {
    sandbox.reactions.push(...Array.from({ length: 9 }, () => limited({ 'retry-after': '1' })));

    const result = await petstore([...list, '--json']);

    expect(result.exitCode).toBe(75);
    expect(result.events().at(-1)).toMatchObject({ kind: 'rate_limited', retryAfter: 300 });
    expect(sandbox.requests).toHaveLength(3);
  });

  test('Ctrl-C ends a wait at once and sends nothing more', async ({
    petstore,
    sandbox,
    clock,
  }) => {
    const ctrlC = new AbortController();
    sandbox.reactions.push(limited({ 'retry-after': '60' }));
    const sleep = async (ms: number, signal: AbortSignal) => {
      ctrlC.abort(interrupted(130));
      return clock.sleep(ms, signal);
    };

    const result = await petstore(list, { signal: ctrlC.signal, context: { sleep } });

    expect(result).toMatchObject({ exitCode: 130, stdout: '' });
    expect(sandbox.requests).toHaveLength(1);
  });
});

describe('a limit that is known to be used up', () => {
  test('is not run into: the second request of a command waits for the reset', async ({
    petstore,
    sandbox,
    clock,
  }) => {
    sandbox.reactions.push(reply(200, '[]', window(0, 40)));

    const result = await petstore(['categories', 'create', 'rabbit', '--if-missing']);

    expect(result.exitCode).toBe(0);
    expect(clock.now() - startTime).toBe(41_000);
    expect(sandbox.requests).toHaveLength(2);
  });

  test('against the sandbox: 61 requests a minute never meet a 429', async ({
    petstore,
    sandbox,
    clock,
  }) => {
    for (let request = 1; request <= 59; request += 1) await petstore(list);

    const result = await petstore(['categories', 'create', 'rabbit', '--if-missing']);

    expect(result.exitCode).toBe(0);
    expect(sandbox.quota.retryAfter.until).toBe(0);
    expect(clock.now() - startTime).toBe(61_000);
  });
});

describe('the headers', () => {
  const anyHeader = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.integer().map(String),
    fc.double().map(String),
    fc.bigInt({ min: 0n }).map(String),
    fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
  );

  test('no value at all gives a negative or endless wait', () => {
    fc.assert(
      fc.property(anyHeader, anyHeader, anyHeader, anyHeader, (limit, remaining, reset, date) => {
        const headers = {
          date,
          'x-ratelimit-limit': limit,
          'x-ratelimit-remaining': remaining,
          'x-ratelimit-reset': reset,
          'retry-after': reset,
        };
        const { rateLimit, retryAfter: wait = 1_000 } = readLimits(headers, startTime);

        expect(wait).toBeGreaterThanOrEqual(1_000);
        expect(wait).toBeLessThanOrEqual(366 * 86_400_000);
        if (!rateLimit) return;
        expect(rateLimit.remaining).toBeGreaterThanOrEqual(0);
        expect(rateLimit.remaining).toBeLessThanOrEqual(rateLimit.limit);
        expect(rateLimit.resetAt - startTime).toBeGreaterThanOrEqual(0);
        expect(rateLimit.resetAt - startTime).toBeLessThanOrEqual(25 * 3_600_000);
      }),
      trials(2_000),
    );
  });

  test.for([
    { unit: 'seconds from now', reset: '30', expected: 30_000 },
    { unit: 'seconds', reset: String(startTime / 1_000 + 30), expected: 30_000 },
    { unit: 'milliseconds', reset: String(startTime + 30_000), expected: 30_000 },
    { unit: 'microseconds', reset: String((startTime + 30_000) * 1_000), expected: 30_000 },
    { unit: 'seconds, just past', reset: String(startTime / 1_000 - 3), expected: 0 },
    { unit: 'seconds, long past', reset: String(startTime / 1_000 - 60), expected: undefined },
    {
      unit: 'seconds, in two days',
      reset: String(startTime / 1_000 + 172_800),
      expected: undefined,
    },
    { unit: 'a word', reset: 'tomorrow', expected: undefined },
  ])('a reset in $unit', ({ reset, expected }) => {
    const headers = { ...window(5, 0), 'x-ratelimit-reset': reset };

    const { rateLimit } = readLimits(headers, startTime);

    expect(rateLimit && rateLimit.resetAt - startTime).toBe(expected);
  });

  test.for([
    { form: 'IMF-fixdate', value: 'Sun, 06 Nov 1994 08:49:37 GMT' },
    { form: 'RFC 850', value: 'Sunday, 06-Nov-94 08:49:37 GMT' },
    { form: 'asctime', value: 'Sun Nov  6 08:49:37 1994' },
  ])('a date in the form of $form is read', ({ value }) => {
    const date = Date.UTC(1994, 10, 6, 8, 49, 27);

    const headers = { date: new Date(date).toUTCString(), 'retry-after': value };

    expect(readLimits(headers, date).retryAfter).toBe(10_000);
  });

  test.for(['Sun, 31 Feb 1994 08:49:37 GMT', 'Sun, 06 Nov 1994 25:49:37 GMT', '1994-11-06', ''])(
    'the date "%s" is none',
    (value) => {
      expect(readLimits({ 'retry-after': value }, startTime).retryAfter).toBeUndefined();
    },
  );

  const seconds = startTime / 1_000;
  const good = ['60', '59', String(seconds + 30)];
  test.for([
    { what: 'as promised', told: good, says: undefined },
    {
      what: 'in milliseconds',
      told: ['60', '59', String(startTime + 30_000)],
      says: undefined,
    },
    {
      what: 'missing',
      told: [],
      says: 'X-RateLimit-Limit (missing), X-RateLimit-Remaining (missing), X-RateLimit-Reset (missing)',
    },
    { what: 'NaN', told: ['NaN', ...good.slice(1)], says: 'X-RateLimit-Limit ("NaN")' },
    { what: 'negative', told: ['60', '-1', good[2]], says: 'X-RateLimit-Remaining ("-1")' },
    {
      what: 'in the year 9999',
      told: ['60', '59', '253402300799'],
      says: 'X-RateLimit-Reset ("253402300799")',
    },
    {
      what: 'text that acts',
      told: ['60', '59', '\u009b31m'],
      says: 'X-RateLimit-Reset ("\\u{9b}31m")',
    },
    {
      what: 'without end',
      told: ['60', '59', '9'.repeat(9_000)],
      says: `X-RateLimit-Reset ("${'9'.repeat(40)}")`,
    },
  ])('$what: said once, and only when verbose', async ({ told, says }, { petstore, sandbox }) => {
    const names = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'];
    const headers = Object.fromEntries(told.map((value, n) => [names[n], value ?? '']));
    // A read is tried again after a 5xx, so that each run has two answers.
    const twoAnswers = () => [reply(500, {}, headers), reply(200, [], headers)];
    const list = ['categories', 'list'];

    sandbox.reactions.push(...twoAnswers());
    const verbose = await petstore([...list, '-v']);
    sandbox.reactions.push(...twoAnswers());
    const usual = await petstore(list);

    const said = verbose.stderr.split('\n').filter((line) => line.includes('ignored in'));
    expect(said).toEqual(says ? [`petstore: ignored in the response: ${says}`] : []);
    expect(usual.stderr).not.toContain('ignored in');
    expect([verbose.exitCode, usual.exitCode]).toEqual([0, 0]);
  });
});
