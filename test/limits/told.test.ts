import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { startTime } from '../support/clock.ts';
import { expect, type Fixtures, type Reaction, reply, test } from '../support/petstore.ts';
import { expectTold } from '../support/told.ts';
import { plans } from '../support/values.ts';

const never = new AbortController().signal;
const minute = 60_000;
const list = ['categories', 'list', '--json'];
const listNow = [...list, '--max-wait', '0'];

const answer = (status: number, retryAfter?: number) =>
  reply(status, {}, retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) });

/** Returns a response whose body takes that long after its head. */
function slowBody(clock: Fixtures['clock'], status: number, retryAfter: number): Reaction {
  return async ({ onSent }) => {
    onSent();
    const body = (async function* () {
      await clock.sleep(20_000, never);
      yield Buffer.from('{}');
    })();
    return { status, headers: { 'retry-after': String(retryAfter) }, body };
  };
}

describe('a wait that the service names', () => {
  test.for([
    [429, 'rate limit exceeded (429)'],
    [503, 'the service is unavailable (503)'],
  ] as const)(
    'binds other processes as soon as the head of a %i has come',
    async ([status, message], { petstore, sandbox, clock }) => {
      sandbox.reactions.push(slowBody(clock, status, 40));

      const first = petstore(listNow);
      await clock.sleep(1_000, never);
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
    ['a 429', 429, 300],
    ['a 503', 503, 300],
    ['the third 429 in a row', 429, 900],
  ] as const)(
    'is not made shorter by %s that comes later and names less',
    async ([, status, told], { petstore, sandbox, clock }) => {
      // Both are in flight when the first of them is answered.
      await petstore(list);
      sandbox.reactions.push(
        async ({ onSent }) => {
          onSent();
          await clock.sleep(1_000, never);
          return { status: 429, headers: { 'retry-after': String(told) }, body: of('{}') };
        },
        async ({ onSent }) => {
          onSent();
          await clock.sleep(2_000, never);
          return { status, headers: { 'retry-after': '5' }, body: of('{}') };
        },
      );

      await Promise.all([petstore(listNow), petstore(listNow)]);
      const { events } = await petstore(listNow);

      expectTold(Date.parse(String(events()[0]?.resetAt)) - startTime - 1_000, told);
      expect(sandbox.requests).toHaveLength(3);
    },
  );
});

describe('a told wait', () => {
  test.for([
    ['with another key', 'PETSTORE_API_KEY', 'test-key-fedcba9876543210'],
    ['of another service', 'PETSTORE_BASE_URL', 'http://127.0.0.1:4011/v1'],
  ] as const)('bind no request %s', async ([, name, value], { petstore, sandbox }) => {
    sandbox.react = ({ headers, url }) => {
      const isOther = url.port === '4011' || headers.authorization?.includes('fedcba');
      return isOther ? reply(200, []) : answer(429, 600);
    };
    await petstore(listNow);

    const other = await petstore(listNow, { env: { [name]: value } });
    const same = await petstore(listNow);

    expect([other.exitCode, same.exitCode]).toEqual([0, 75]);
    expect(sandbox.requests).toHaveLength(2);
  });
});

describe('429 in a row', () => {
  test.for<[string, number[], number]>([
    ['two', [429, 429], 1],
    ['three', [429, 429, 429], 300],
    ['three, with a 500 between them', [429, 429, 500, 429], 300],
    ['three, with a success between them', [429, 429, 200, 429], 1],
    ['two and a 503', [429, 503, 429], 1],
  ])('%s: the next wait', async ([, statuses, wait], { petstore, sandbox, clock }) => {
    const left = [...statuses];
    sandbox.react = () => {
      const status = left.shift();
      return status === undefined || status === 200 ? undefined : answer(status, 1);
    };

    for (const _ of statuses) {
      await petstore(['categories', 'create', `pet ${left.length}`, '--max-wait', '0']);
      if (left.length > 0) await clock.sleep(10_000, never);
    }
    const { events, exitCode } = await petstore(listNow);

    expect(exitCode).toBe(75);
    const { retryAfter } = events()[0] as { retryAfter: number };
    if (wait === 300) expect(retryAfter).toBe(300);
    else expect(retryAfter).toBeLessThan(60);
    expect(sandbox.requests).toHaveLength(statuses.length);
  });

  test('the third does not cut a longer wait to five minutes', async ({
    petstore,
    sandbox,
    clock,
  }) => {
    for (const retryAfter of [1, 1, 900]) {
      sandbox.reactions.push(answer(429, retryAfter));
      await petstore(listNow);
      await clock.sleep(10_000, never);
    }

    const { events } = await petstore(listNow);

    // Ten seconds of it are over.
    expect(events()[0]?.retryAfter).toBeGreaterThanOrEqual(890);
  });
});

describe('a key that is rejected', () => {
  test.for<[string, number[], seconds: number, boolean]>([
    ['with 401 after a 429', [200, 429, 401], 60, true],
    ['with 403 after a 429', [200, 429, 403], 60, true],
    ['nine minutes after a 429', [200, 429, 401], 540, true],
    ['eleven minutes after a 429', [200, 429, 401], 660, false],
    ['after a 503', [200, 503, 401], 60, false],
    ['and never worked', [429, 401], 60, false],
    ['without a 429', [200, 401], 60, false],
  ])('%s: does it count as banned?', async (row, { petstore, sandbox, clock }) => {
    const [, statuses, seconds, isBanned] = row;
    const left = [...statuses];
    sandbox.react = () => {
      const status = left.shift() ?? 200;
      if (status === 200) return undefined;
      return answer(status, status === 429 || status === 503 ? 1 : undefined);
    };
    for (const _ of statuses) {
      if (left.length === 1) await clock.sleep(seconds * 1_000, never);
      await petstore(listNow);
    }

    const { exitCode, events } = await petstore(listNow);

    expect(exitCode).toBe(isBanned ? 75 : 0);
    if (!isBanned) return;
    expect(events()).toMatchObject([{ retryAfter: 300, outcome: 'not_sent' }]);
    expect(sandbox.requests).toHaveLength(statuses.length);
  });
});

describe('--max-wait', () => {
  test.for([
    ['70s', 0, 3],
    ['50s', 75, 2],
  ] as const)(
    '%s is for all waits of a request together, 30 s each',
    async ([maxWait, exitCode, sent], { petstore, sandbox, clock }) => {
      sandbox.reactions.push(answer(429, 30), answer(429, 30));

      const result = await petstore([...list, '--max-wait', maxWait]);

      expect(result.exitCode).toBe(exitCode);
      expect(sandbox.requests).toHaveLength(sent);
      expect(clock.now() - startTime).toBeLessThan(70_000);
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

async function* of(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
