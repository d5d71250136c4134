import fc from 'fast-check';
import { describe } from 'vitest';
import { startTime } from '../support/clock.ts';
import { expect, networkError, type Reaction, reply, test } from '../support/petstore.ts';
import { expectTold, list, listNow, windowHeaders } from '../support/told.ts';
import { trials } from '../support/trials.ts';
import type { WireAnswer, WireRequest } from '../support/values.ts';

const create = ['categories', 'create', 'rabbit'];
const seconds = startTime / 1_000;
const limited = (headers: Record<string, string>) => reply(429, '', headers);

const hourAhead = (inSeconds: number) =>
  new Date(startTime + 3_600_000 + inSeconds * 1_000).toUTCString();
/** Ten seconds before the dates below. */
const in1994 = 'Sun, 06 Nov 1994 08:49:27 GMT';

/** An answer whose headers a Response would not take. */
function answerOf(status: number, headers: WireAnswer['headers']): Reaction {
  return async ({ onSent }: WireRequest) => {
    onSent();
    return { status, headers, body: (async function* () {})() };
  };
}

describe('after a 429', () => {
  test('the time is told at once above --max-wait, in whatever form it came', async ({
    petstore,
    sandbox,
    clock,
    folder,
  }) => {
    const { date } = windowHeaders(60, 0);
    const rows: readonly (readonly [told: number, headers: WireAnswer['headers']])[] = [
      [2, { 'retry-after': '1.2' }],
      [1, { 'retry-after': '0' }],
      [1, { 'retry-after': '-5' }],
      [1, { 'retry-after': '' }],
      [60, { 'retry-after': 'soon' }],
      [60, { 'retry-after': '900s' }],
      [60, { 'retry-after': '9'.repeat(20) }],
      [1, {}],
      [9, { 'retry-after': '3, 9' }],
      [9, { 'retry-after': ['3', '9'] }],
      [9, { 'retry-after': ['9', '3'] }],
      [60, { 'retry-after': ['soon', '4'] }],
      [3_000_000, { 'retry-after': '3000000' }],
      [30, { 'retry-after': `${seconds + 30}` }],
      [31, { 'retry-after': `${seconds + 30}.75` }],
      [30, { 'retry-after': `${startTime + 30_000}` }],
      [30, windowHeaders(60, 0, 30)],
      [10, { 'retry-after': hourAhead(10), date: hourAhead(0) }],
      [10, { 'retry-after': 'Sun, 06 Nov 1994 08:49:37 GMT', date: in1994 }],
      [60, { 'retry-after': 'Sunday, 06-Nov-94 08:49:37 GMT', date: in1994 }],
      [60, { 'retry-after': 'Sun, 31 Feb 1994 08:49:37 GMT', date: in1994 }],
      [60, { 'retry-after': 'Sun, 06 Nov 1994 25:49:37 GMT', date: in1994 }],
      [60, { 'retry-after': 'Sun, 06 Nov 1994 08:49:37 UTC', date: in1994 }],
      [60, { 'retry-after': 'Sun, 06 Nov 1994 08:49:37 +0000', date: in1994 }],
      [60, { 'retry-after': '1994-11-06T08:49:37Z', date: in1994 }],
      [60, { 'retry-after': 'after 2099', date: in1994 }],
    ];
    for (const [n, [told, headers]] of rows.entries()) {
      sandbox.reactions.push(answerOf(429, { date, ...headers }));
      const env = { PETSTORE_STATE_DIR: `${folder}/${n}` };

      const maxWait = told > 1_000 ? '2m' : '0';
      const result = await petstore([...list, '--max-wait', maxWait], { env });

      expect(result, JSON.stringify(headers)).toMatchObject({ exitCode: 75, stdout: '' });
      const error = result.events().at(-1);
      expect(error).toMatchObject({ kind: 'rate_limited', outcome: 'refused' });
      expectTold(Number(error?.retryAfter) * 1_000, told);
    }
    expect(clock.now()).toBe(startTime);
    expect(sandbox.requests).toHaveLength(rows.length);
  });

  test('a create is sent again after the wait: it was refused before it was handled', async ({
    petstore,
    sandbox,
  }) => {
    sandbox.reactions.push(limited({ 'retry-after': '5' }));

    expect((await petstore(create)).exitCode).toBe(0);
    expect(sandbox.categories).toHaveLength(1);
  });

  test('a create that was refused, and could not connect after that, is told as refused', async ({
    petstore,
    sandbox,
  }) => {
    sandbox.reactions.push(limited({ 'retry-after': '5' }));
    sandbox.react = () => networkError('ECONNREFUSED');

    const { exitCode, stderr } = await petstore(create);

    expect(exitCode).toBe(5);
    expect(stderr).toContain('The service responded with 429; nothing has been sent since.');
    expect(stderr).not.toContain('Nothing was sent');
  });
});

describe('a 503 with Retry-After', () => {
  test('four times in a row ends a read with exit 75 and the time', async ({
    petstore,
    sandbox,
    clock,
  }) => {
    sandbox.react = () => reply(503, '', { 'retry-after': '1' });

    const { exitCode, events } = await petstore(list);

    expect(exitCode).toBe(75);
    const error = events().at(-1);
    expect(error).toMatchObject({ kind: 'rate_limited', retryAfter: 1, status: 503 });
    // Whole seconds, rounded up.
    const waitMs = Date.parse(String(error?.resetAt)) - clock.now();
    expect(waitMs).toBeGreaterThanOrEqual(1_000);
    expect(waitMs).toBeLessThanOrEqual(2_000);
    expect(sandbox.requests).toHaveLength(4);
  });

  test('leaves a create unknown: it is not sent again, and others wait', async ({
    petstore,
    sandbox,
    clock,
  }) => {
    sandbox.reactions.push(reply(503, '', { 'retry-after': '90' }));

    const created = await petstore([...create, '--json']);
    const listed = await petstore(list);

    expect(created.exitCode).toBe(6);
    expect(created.events().at(-1)).toMatchObject({ kind: 'outcome_unknown', outcome: 'unknown' });
    expect(listed.exitCode).toBe(0);
    expect(clock.now() - startTime).toBeGreaterThanOrEqual(90_000);
    expect(sandbox.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });
});

test('a limit that is known to be used up is not run into: the second request of a command waits', async ({
  petstore,
  sandbox,
  clock,
}) => {
  sandbox.reactions.push(reply(200, '[]', windowHeaders(60, 0, 40)));

  expect((await petstore([...create, '--if-missing'])).exitCode).toBe(0);
  expectTold(clock.now() - startTime, 40);
  expect(sandbox.requests).toHaveLength(2);
});

describe('the headers', () => {
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
      const { events, exitCode } = await petstore(listNow, { env });
      const { stdout } = await petstore('limits --json', { env });

      expect(exitCode).toBe(75);
      const { retryAfter } = events().at(-1) as { retryAfter: number };
      expect(retryAfter).toBeGreaterThanOrEqual(1);
      expect(retryAfter).toBeLessThanOrEqual(366 * 86_400 + 3);
      for (const { limit, remaining, resetAt } of JSON.parse(stdout).items) {
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

  test('tell a reset in any unit, or it counts for nothing', async ({
    petstore,
    sandbox,
    folder,
  }) => {
    const rows: readonly (readonly [told: number | undefined, reset: string | number])[] = [
      [30, 30],
      [30, seconds + 30],
      [30, `${seconds + 29}.372805`],
      [30, startTime + 30_000],
      [0, seconds - 3],
      [undefined, seconds - 60],
      [undefined, seconds + 172_800],
      [undefined, '253402300799'],
      [undefined, 'tomorrow'],
    ];
    for (const [n, [told, reset]] of rows.entries()) {
      sandbox.reactions.push(
        reply(200, [], { ...windowHeaders(60, 5), 'x-ratelimit-reset': String(reset) }),
      );
      const env = { PETSTORE_STATE_DIR: `${folder}/${n}` };

      const limit = (await petstore(list, { env })).events()[0];

      const resetAt = told === undefined ? undefined : startTime + told * 1_000;
      expect(limit && Date.parse(String(limit.resetAt)), String(reset)).toBe(resetAt);
    }
  });
});

test('a slash at the end of the base URL makes no other service', async ({ petstore, sandbox }) => {
  sandbox.reactions.push(limited({ 'retry-after': '600' }));

  for (const end of ['', '/', '//']) {
    const url = `http://127.0.0.1:4010/v1${end}`;
    expect((await petstore([...listNow, '--base-url', url])).exitCode).toBe(75);
  }

  expect(sandbox.requests).toHaveLength(1);
});
