import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { startTime } from '../support/clock.ts';
import { expect, reply, test } from '../support/petstore.ts';
import {
  expectTold,
  list,
  listNow,
  minute,
  never,
  refusal,
  respondAfter,
  second,
} from '../support/told.ts';
import { plans } from '../support/values.ts';

describe('a wait that the service names', () => {
  test.for([
    [429, 'rate limit exceeded'],
    [403, 'rate limit exceeded'],
    [503, 'the service is unavailable (503)'],
  ] as const)(
    'binds other processes as soon as the head of a %i has come',
    async ([status, message], { petstore, sandbox, clock }) => {
      sandbox.reactions.push(async ({ onSent }) => {
        onSent();
        const body = (async function* () {
          await clock.sleep(20 * second, never);
          yield Buffer.from('{}');
        })();
        return { status, headers: { 'retry-after': '40' }, body };
      });

      const first = petstore(listNow);
      await clock.sleep(second, never);
      const other = await petstore(listNow);

      expect(other.exitCode).toBe(75);
      const [error] = other.events();
      expect(error).toMatchObject({ message, kind: 'rate_limited', outcome: 'not_sent' });
      expectTold(Date.parse(String(error?.resetAt)) - startTime, 40);
      expect((await first).exitCode).toBe(75);
      expect(sandbox.requests).toHaveLength(1);
    },
  );

  test.for([
    ['with another key', 'PETSTORE_API_KEY', 'test-key-fedcba9876543210'],
    ['of another service', 'PETSTORE_BASE_URL', 'http://127.0.0.1:4011/v1'],
  ] as const)('binds no request %s', async ([, name, value], { petstore, sandbox }) => {
    sandbox.react = ({ headers, url }) => {
      const isOther = url.port === '4011' || headers.authorization?.includes('fedcba');
      return isOther ? reply(200, []) : refusal(600);
    };
    await petstore(listNow);

    const other = await petstore(listNow, { env: { [name]: value } });
    const same = await petstore(listNow);

    expect([other.exitCode, same.exitCode]).toEqual([0, 75]);
    expect(sandbox.requests).toHaveLength(2);
  });
});

test.for<[reset: string, headers: Record<string, string>]>([
  ['no', {}],
  ['an unreadable', { 'x-ratelimit-reset': 'NaN' }],
  ['a far', { 'x-ratelimit-reset': '253402300799' }],
  ['a past', { 'x-ratelimit-reset': String(startTime / second - 60) }],
])(
  'a told wait ends the window of a 429 with %s reset',
  async ([, headers], { petstore, sandbox, clock }) => {
    const full = { 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '0', ...headers };
    sandbox.reactions.push(reply(429, {}, { 'retry-after': '2', ...full }));

    const { exitCode } = await petstore(list);

    expect(exitCode).toBe(0);
    expectTold(clock.now() - startTime, 2);
  },
);

describe('429 in a row', () => {
  test.for<[told: string, drawn: number, answer: () => Response, waits: number[]]>([
    ['one second', 0, () => refusal(1), [2, 3, 300]],
    ['one second', 0.99, () => refusal(1), [2, 4, 300]],
    ['one second and a half', 0, () => refusal(1.5), [3, 4, 300]],
    ['nothing', 0, () => reply(429, {}), [3, 18, 63, 65, 69, 300]],
    ['nothing', 0.99, () => reply(429, {}), [3, 19, 65, 69, 77, 300]],
  ])(
    'that name %s are waited out longer and longer; petstore draws %d',
    async (row, { petstore, sandbox, clock }) => {
      const [, drawn, answer, waits] = row;
      const sentAt: number[] = [];
      sandbox.react = () => {
        sentAt.push(clock.now());
        return sentAt.length > waits.length ? undefined : answer();
      };

      const context = { random: () => drawn };
      const { exitCode } = await petstore([...list, '--max-wait', 'inf'], { context });

      expect(exitCode).toBe(0);
      const seconds = sentAt.slice(1).map((at, n) => Math.round((at - (sentAt[n] ?? 0)) / second));
      expect(seconds).toEqual(waits);
    },
  );

  test('count as one if they were in flight together', async ({ petstore, sandbox, clock }) => {
    for (let n = 0; n <= 10; n += 1) await petstore(list);
    const from = clock.now();
    const refuse = () => respondAfter(clock, second, () => refusal(1));
    sandbox.reactions.push(refuse(), refuse(), refuse());

    const ends = await Promise.all([list, list, list].map((argv) => petstore(argv)));

    expect(ends.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0]);
    expect(sandbox.requests).toHaveLength(17);
    expect(clock.now() - from).toBeLessThan(10 * second);
  });

  test.for<[string, number[], number]>([
    ['three, with a 500 between them', [429, 429, 500, 429], 300],
    ['three, with a success between them', [429, 429, 200, 429], 1],
    ['two and a 503', [429, 503, 429], 1],
  ])('%s: the next wait', async ([, statuses, wait], { petstore, sandbox, clock }) => {
    const left = [...statuses];
    sandbox.react = () => {
      const status = left.shift() ?? 200;
      return status === 200 ? undefined : refusal(1, status);
    };
    for (const _ of statuses) {
      await petstore(['categories', 'create', `pet ${left.length}`, '--max-wait', '0']);
      if (left.length > 0) await clock.sleep(10 * second, never);
    }

    const { events, exitCode } = await petstore(listNow);

    expect(exitCode).toBe(75);
    const retryAfter = Number(events()[0]?.retryAfter);
    // An outcome that is unknown is looked up after a minute.
    if (wait === 300) expect([240, 300]).toContain(retryAfter);
    else expect(retryAfter).toBeLessThan(60);
    expect(sandbox.requests).toHaveLength(statuses.length);
  });
});

describe('--max-wait', () => {
  test('inf never gives up because of the limit', async ({ petstore, sandbox }) => {
    sandbox.reactions.push(...Array.from({ length: 9 }, (_, n) => refusal(1, n % 2 ? 403 : 429)));

    const { exitCode } = await petstore([...list, '--max-wait', 'inf']);

    expect(exitCode).toBe(0);
    expect(sandbox.requests).toHaveLength(10);
  });

  test.for([
    ['70s', 0, 3],
    ['50s', 75, 2],
  ] as const)(
    '%s is for all waits of a request together, 30 s each',
    async ([maxWait, exitCode, sent], { petstore, sandbox, clock }) => {
      sandbox.reactions.push(refusal(30), refusal(30));

      const result = await petstore([...list, '--max-wait', maxWait]);

      expect(result.exitCode).toBe(exitCode);
      expect(sandbox.requests).toHaveLength(sent);
      expect(clock.now() - startTime).toBeLessThan(70 * second);
    },
  );

  test('is for each row of an import, however many wait before it', async ({
    petstore,
    sandbox,
    folder,
  }) => {
    sandbox.plan = { ...plans.free, minute: { limit: 1, length: minute } };
    const file = join(folder, 'pets.csv');
    writeFileSync(file, 'name\nant\nbee\ncat\ndog\nemu\n');

    const argv = ['categories', 'import', file, '--yes', '--max-wait', '70s'];
    const { exitCode } = await petstore(argv);

    expect(exitCode).toBe(0);
    expect(sandbox.categories).toHaveLength(5);
  });
});
