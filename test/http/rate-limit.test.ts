import fc from 'fast-check';
import { describe } from 'vitest';
import { startTime } from '../support/clock.ts';
import { expect, networkError, type Reaction, reply, test } from '../support/petstore.ts';
import { expectTold } from '../support/told.ts';
import { trials } from '../support/trials.ts';
import type { WireAnswer, WireRequest } from '../support/values.ts';

const list = ['categories', 'list'];
const create = ['categories', 'create', 'rabbit'];
const seconds = startTime / 1_000;
const limited = (headers: Record<string, string>) => reply(429, '', headers);
const window = (remaining: number, resetIn: number) => ({
  date: new Date(startTime).toUTCString(),
  'x-ratelimit-limit': '60',
  'x-ratelimit-remaining': String(remaining),
  'x-ratelimit-reset': String(seconds + resetIn),
});
const windowWith = (reset: string | number) => ({
  ...window(5, 0),
  'x-ratelimit-reset': String(reset),
});

const hourAhead = (inSeconds: number) =>
  new Date(startTime + 3_600_000 + inSeconds * 1_000).toUTCString();
/** Ten seconds before the dates below. */
const in1994 = 'Sun, 06 Nov 1994 08:49:27 GMT';

/** The same headers, told so much later. */
function shifted(headers: Record<string, string>, ms: number): Record<string, string> {
  const later = (value: string) => {
    if (value.endsWith('GMT')) return new Date(Date.parse(value) + ms).toUTCString();
    return /^\d{10}$/.test(value) ? String(Math.ceil(Number(value) + ms / 1_000)) : value;
  };
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, later(value)]));
}

/** An answer whose headers a Response would not take. */
function answerOf(status: number, headers: WireAnswer['headers']): Reaction {
  return async ({ onSent }: WireRequest) => {
    onSent();
    return { status, headers, body: (async function* () {})() };
  };
}

describe('after a 429', () => {
  test.for([
    ['seconds', { 'retry-after': '34' }, 34],
    ['a date', { 'retry-after': 'Fri, 20 Nov 2026 15:04:20 GMT' }, 20],
    ['a date by a clock that is ahead', { date: hourAhead(0), 'retry-after': hourAhead(10) }, 10],
    ['nothing', {}, 1],
    ['only a reset', window(0, 30), 30],
  ] as const)(
    'told %s, the next request leaves at that time or up to 3 s later',
    async ([, headers, floor], { petstore, sandbox, clock, folder }) => {
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

  test('the time is told at once above --max-wait, in whatever form it came', async ({
    petstore,
    sandbox,
    clock,
    folder,
  }) => {
    const rows: readonly (readonly [
      told: number,
      retryAfter: string | number | string[],
      date?: string,
    ])[] = [
      [2, '1.2'],
      [1, '0'],
      [1, '-5'],
      [1, 'soon'],
      [1, ''],
      [9, '3, 9'],
      [9, ['3', '9']],
      [9, ['9', '3']],
      [4, ['soon', '4']],
      [3_000_000, '3000000'],
      [30, seconds + 30],
      [31, `${seconds + 30}.75`],
      [30, startTime + 30_000],
      [10, 'Sun, 06 Nov 1994 08:49:37 GMT', in1994],
      [10, 'Sunday, 06-Nov-94 08:49:37 GMT', in1994],
      [10, 'Sun Nov  6 08:49:37 1994', in1994],
      [1, 'Sun, 31 Feb 1994 08:49:37 GMT', in1994],
      [1, 'Sun, 06 Nov 1994 25:49:37 GMT', in1994],
      [1, '1994-11-06', in1994],
      [1, 'after 2099', in1994],
    ];
    for (const [n, [told, retryAfter, date = window(0, 0).date]] of rows.entries()) {
      const retry = Array.isArray(retryAfter) ? retryAfter : String(retryAfter);
      const headers = { 'retry-after': retry, ...(date === undefined ? {} : { date }) };
      sandbox.reactions.push(answerOf(429, headers));
      const env = { PETSTORE_STATE_DIR: `${folder}/${n}` };

      const maxWait = told > 1_000 ? '2m' : '0';
      const result = await petstore([...list, '--max-wait', maxWait, '--json'], { env });

      expect(result, retryAfter.toString()).toMatchObject({ exitCode: 75, stdout: '' });
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
  sandbox.reactions.push(reply(200, '[]', window(0, 40)));

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
      [30, (startTime + 30_000) * 1_000],
      [0, seconds - 3],
      [undefined, seconds - 60],
      [undefined, seconds + 172_800],
      [undefined, '253402300799'],
      [undefined, 'tomorrow'],
    ];
    for (const [n, [told, reset]] of rows.entries()) {
      sandbox.reactions.push(reply(200, [], windowWith(reset)));
      const env = { PETSTORE_STATE_DIR: `${folder}/${n}` };

      const limit = (await petstore([...list, '--json'], { env })).events()[0];

      const resetAt = told === undefined ? undefined : startTime + told * 1_000;
      expect(limit && Date.parse(String(limit.resetAt)), String(reset)).toBe(resetAt);
    }
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
