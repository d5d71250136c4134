import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe } from 'vitest';
import { startTime } from '../support/clock.ts';
import { expect, networkError, type Reaction, reply, test } from '../support/petstore.ts';
import { expectTold } from '../support/told.ts';
import { trials } from '../support/trials.ts';
import { interrupted, type WireAnswer, type WireRequest } from '../support/values.ts';

const list = ['categories', 'list'];
const limited = (headers: Record<string, string>) => reply(429, '', headers);
const window = (remaining: number, resetIn: number) => ({
  date: new Date(startTime).toUTCString(),
  'x-ratelimit-limit': '60',
  'x-ratelimit-remaining': String(remaining),
  'x-ratelimit-reset': String(startTime / 1_000 + resetIn),
});

const hourAhead = (seconds: number) =>
  new Date(startTime + 3_600_000 + seconds * 1_000).toUTCString();

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
    ['seconds', { 'retry-after': '34' }, 34],
    ['a fraction', { 'retry-after': '1.2' }, 2],
    ['zero', { 'retry-after': '0' }, 1],
    ['a date', { 'retry-after': 'Fri, 20 Nov 2026 15:04:20 GMT' }, 20],
    ['a date by a clock that is ahead', { date: hourAhead(0), 'retry-after': hourAhead(10) }, 10],
    ['two values', { 'retry-after': '3, 9' }, 9],
    ['a negative number', { 'retry-after': '-5' }, 1],
    ['words', { 'retry-after': 'soon' }, 1],
    ['nothing', {}, 1],
    ['only a reset', window(0, 30), 30],
    ['a reset in ms', { ...window(0, 0), 'x-ratelimit-reset': String(startTime + 30_000) }, 30],
    ['a reset in 9999', { ...window(0, 0), 'x-ratelimit-reset': '253402300799' }, 1],
  ] as const)(
    'told %s, the next request leaves at that time or up to 3 s later',
    async (row, { petstore, sandbox, clock, folder }) => {
      const [, headers, floor] = row;
      const { numRuns } = trials(20);
      for (let run = 0; run < numRuns; run += 1) {
        const jitter = run / numRuns;
        const start = clock.now();
        sandbox.reactions.push(limited(shifted(headers, start - startTime)));

        const result = await petstore(list, {
          env: { PETSTORE_STATE_DIR: `${folder}/${jitter}` },
          context: { random: () => jitter },
        });

        expect(result.exitCode).toBe(0);
        expectTold(clock.now() - start, floor);
      }
      expect(sandbox.requests).toHaveLength(2 * numRuns);
    },
  );

  test.for([
    ['the second', ['3', '9'], 9],
    ['the first', ['9', '3'], 9],
    ['the one that makes sense', ['soon', '4'], 4],
  ] as const)(
    'of two Retry-After fields %s counts, which is longer',
    async ([, values, told], { petstore, sandbox }) => {
      sandbox.reactions.push(answerOf(429, { 'retry-after': [...values] }));

      const { events } = await petstore([...list, '--json', '--max-wait', '0']);

      expectTold(Number(events().at(-1)?.retryAfter) * 1_000, told);
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

  test('a create that was refused, and could not connect after that, is told as refused', async ({
    petstore,
    sandbox,
  }) => {
    sandbox.reactions.push(limited({ 'retry-after': '5' }));
    sandbox.react = () => networkError('ECONNREFUSED');

    const { exitCode, stderr } = await petstore(['categories', 'create', 'rabbit']);

    expect(exitCode).toBe(5);
    expect(stderr).toContain('The service responded with 429; nothing has been sent since.');
    expect(stderr).not.toContain('Nothing was sent');
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
      const error = events().at(-1) ?? {};
      const message = 'the service is unavailable (503)';
      expect(error).toMatchObject({ kind: 'rate_limited', message, exitCode: 75 });
      expectTold(Date.parse(String(error.resetAt)) - startTime, 300);
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
    expectTold(clock.now() - start, 40);
    expect(stderr).toMatch(/^petstore: the service is unavailable, next request in 4[0-3]s \(/m);
  });

  test('a read that is answered 503 with Retry-After four times ends with exit 75 and the time', async ({
    petstore,
    sandbox,
    clock,
  }) => {
    sandbox.react = () => reply(503, '', { 'retry-after': '1' });

    const { exitCode, events } = await petstore([...list, '--json']);

    expect(exitCode).toBe(75);
    const error = events().at(-1);
    expect(error).toMatchObject({ kind: 'rate_limited', retryAfter: 1, status: 503 });
    // Whole seconds, rounded up.
    const waitMs = Date.parse(String(error?.resetAt)) - clock.now();
    expect(waitMs).toBeGreaterThanOrEqual(1_000);
    expect(waitMs).toBeLessThanOrEqual(2_000);
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

    const said = text.stderr.split('\n').filter((line) => line.includes('next request in'));
    const form = /^petstore: rate limit exceeded \(429\), next request in (.+) \((.+Z)\)$/;
    const [waits, ends] = [1, 2].map((group) => said.map((line) => form.exec(line)?.[group]));
    expect(waits).toEqual([
      expect.stringMatching(/^1m 1[0-3]s$/),
      expect.stringMatching(/^4\ds$/),
      expect.stringMatching(/^1\ds$/),
    ]);
    expect(new Set(ends).size).toBe(1);
    expectTold(Date.parse(`2026-11-20T${ends?.[0]}`) - startTime, 70);
  });

  test('a wait is an event with JSON output', async ({ petstore, sandbox }) => {
    sandbox.reactions.push(limited({ 'retry-after': '20' }));

    const { events } = await petstore([...list, '--json']);

    const [{ resetAt, waitMs, ...wait } = {}] = events();
    expect(wait).toEqual({ event: 'wait', reason: '429' });
    expectTold(Number(waitMs), 20);
    expectTold(Date.parse(String(resetAt)) - startTime, 20);
  });

  test.for([
    ['10s', 20],
    ['0', 1],
    ['2m', 3_000_000],
  ] as const)(
    'above --max-wait %s, told %i s: exit 75 at once, with the time',
    async (row, { petstore, sandbox, clock }) => {
      const [maxWait, told] = row;
      sandbox.reactions.push(limited({ 'retry-after': String(told) }));

      const result = await petstore([...list, '--max-wait', maxWait, '--json']);

      const [error] = result.events();
      expect(result).toMatchObject({ exitCode: 75, stdout: '' });
      expect(error).toMatchObject({ event: 'error', kind: 'rate_limited', outcome: 'refused' });
      expectTold(Number(error?.retryAfter) * 1_000, told);
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
    expect(result.events()).toMatchObject([{ kind: 'rate_limited' }]);
    expectTold(Number(result.events()[0]?.retryAfter) * 1_000, 5);
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
      if (sandbox.requests.length > 0) ctrlC.abort(interrupted(130));
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
    expectTold(clock.now() - startTime, 40);
    expect(sandbox.requests).toHaveLength(2);
  });

  test('against the sandbox: 61 requests a minute never meet a 429', async ({
    petstore,
    sandbox,
    clock,
  }) => {
    const statuses = new Set<number>();
    sandbox.react = () => async (_request, forward) => {
      const answer = await forward();
      statuses.add(answer.status);
      return answer;
    };
    for (let request = 1; request <= 59; request += 1) await petstore(list);

    const result = await petstore(['categories', 'create', 'rabbit', '--if-missing']);

    expect(result.exitCode).toBe(0);
    expect([...statuses].sort()).toEqual([200, 201]);
    expectTold(clock.now() - startTime, 60);
  });
});

describe('the headers', () => {
  const seconds = startTime / 1_000;
  const anyHeader = fc.oneof(
    fc.integer({ min: 0, max: 100 }).map(String),
    fc.integer({ min: seconds - 100, max: seconds + 100 }).map(String),
    fc.string({ unit: 'binary' }),
    fc.integer().map(String),
    fc.double().map(String),
    fc.bigInt({ min: 0n }).map(String),
    fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
  );

  test('with any value at all give a wait that begins and ends', async ({
    petstore,
    sandbox,
    clock,
    folder,
  }) => {
    let trial = 0;
    const headers = fc.record({
      date: anyHeader,
      'x-ratelimit-limit': anyHeader,
      'x-ratelimit-remaining': anyHeader,
      'x-ratelimit-reset': anyHeader,
      'retry-after': anyHeader,
    });
    const holds = fc.asyncProperty(headers, async (headers) => {
      trial += 1;
      const env = { PETSTORE_STATE_DIR: `${folder}/${trial}` };
      sandbox.reactions.push(answerOf(429, headers));
      const { events, exitCode } = await petstore([...list, '--json', '--max-wait', '0'], { env });
      const { stdout } = await petstore(['limits', '--json'], { env });

      expect(exitCode).toBe(75);
      const { retryAfter } = events().at(-1) as { retryAfter: number };
      expect(retryAfter).toBeGreaterThanOrEqual(1);
      expect(retryAfter).toBeLessThanOrEqual(366 * 86_400 + 3);
      const { minute, day } = JSON.parse(stdout);
      for (const { limit, remaining, resetAt } of [minute, day]) {
        if (resetAt === undefined) continue;
        expect(remaining).toBeGreaterThanOrEqual(0);
        expect(remaining).toBeLessThanOrEqual(limit);
        // It is told in whole seconds.
        expect(Date.parse(resetAt) - clock.now()).toBeGreaterThan(-1_000);
        expect(Date.parse(resetAt) - clock.now()).toBeLessThanOrEqual(25 * 3_600_000 + 3_000);
      }
    });
    await fc.assert(holds, trials(300));
  });

  test.for([
    ['in seconds from now', '30', 30],
    ['in seconds', String(seconds + 30), 30],
    ['in milliseconds', String(startTime + 30_000), 30],
    ['in microseconds', String((startTime + 30_000) * 1_000), 30],
    ['in seconds, just past', String(seconds - 3), 0],
    ['in seconds, long past', String(seconds - 60), undefined],
    ['in seconds, in two days', String(seconds + 172_800), undefined],
    ['in words', 'tomorrow', undefined],
  ] as const)('a reset %s', async ([, reset, told], { petstore, sandbox }) => {
    sandbox.reactions.push(reply(200, [], { ...window(5, 0), 'x-ratelimit-reset': reset }));
    const { events } = await petstore([...list, '--json']);

    const limit = events().find(({ event }) => event === 'rate_limit');
    if (told === undefined) expect(limit).toBeUndefined();
    else expect(Date.parse(String(limit?.resetAt)) - startTime).toBe(told * 1_000);
  });

  test('more left than there is at all is all of it', async ({ petstore, sandbox }) => {
    sandbox.reactions.push(reply(200, [], window(99, 30)));
    const { events } = await petstore([...list, '--json']);

    expect(events()).toMatchObject([{ event: 'rate_limit', limit: 60, remaining: 60 }]);
  });

  test.for([
    ['IMF-fixdate', 'Sun, 06 Nov 1994 08:49:37 GMT', 10],
    ['RFC 850', 'Sunday, 06-Nov-94 08:49:37 GMT', 10],
    ['asctime', 'Sun Nov  6 08:49:37 1994', 10],
    ['a day that is none', 'Sun, 31 Feb 1994 08:49:37 GMT', 1],
    ['an hour that is none', 'Sun, 06 Nov 1994 25:49:37 GMT', 1],
    ['a year', '1994-11-06', 1],
    ['words and a year', 'after 2099', 1],
    ['nothing', '', 1],
  ] as const)('a date in the form of %s', async ([, value, told], { petstore, sandbox }) => {
    const date = new Date(Date.UTC(1994, 10, 6, 8, 49, 27)).toUTCString();
    sandbox.reactions.push(limited({ date, 'retry-after': value }));

    const { events } = await petstore([...list, '--json', '--max-wait', '0']);

    expectTold(Number(events().at(-1)?.retryAfter) * 1_000, told);
  });
});

test('a slash at the end of the base URL makes no other service', async ({ petstore, sandbox }) => {
  sandbox.reactions.push(limited({ 'retry-after': '600' }));

  for (const end of ['', '/', '//']) {
    const url = `http://127.0.0.1:4010/v1${end}`;
    expect((await petstore([...list, '--max-wait', '0', '--base-url', url])).exitCode).toBe(75);
  }

  expect(sandbox.requests).toHaveLength(1);
});

/** An answer whose headers a Response would not take. */
function answerOf(status: number, headers: WireAnswer['headers']): Reaction {
  return async ({ onSent }: WireRequest) => {
    onSent();
    return { status, headers, body: (async function* () {})() };
  };
}
