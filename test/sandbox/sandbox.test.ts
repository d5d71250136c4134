import { describe, expect, test } from 'vitest';
import { parseJson } from '../../src/json/json.ts';
import { type PlanName, plans } from '../../src/sandbox/quota.ts';
import { createState } from '../../src/sandbox/sandbox-state.ts';
import { createSandbox } from '../../src/sandbox/server.ts';
import { answer } from '../../src/sandbox/service.ts';
import { startTime } from '../support/clock.ts';

const fish = '{"name":"fish"}';

/** The interface document as tests; the numbers are its sections. */
function service({ plan = 'free' as PlanName, data = '{}' } = {}) {
  const state = createState(parseJson(data), plans[plan]);
  let time = startTime;
  const respond = createSandbox({
    key: 'the-key',
    now: () => time,
    answer: (request) => answer(state, request),
  });
  return {
    ask,
    wait(seconds: number) {
      time += seconds * 1_000;
    },
    async askTimes(count: number) {
      for (let n = 0; n < count; n += 1) await ask('GET', '/categories');
    },
  };

  async function ask(
    method: string,
    path: string,
    {
      authorization = 'Bearer the-key',
      body = '' as string | Uint8Array | null,
      type = 'application/json',
      host = '127.0.0.1',
    } = {},
  ) {
    const headers = { host, 'content-type': type, authorization };
    let isBodyRead = false;
    const reply = await respond({ method, url: `/v1${path}`, headers }, async () => {
      isBodyRead = true;
      return body === null ? null : Buffer.from(body);
    });
    const field = (name: string) => new Headers(reply.headers).get(name);
    return {
      status: reply.status,
      field,
      text: reply.body,
      body: JSON.parse(reply.body),
      isBodyRead,
    };
  }
}

type Reply = Awaited<ReturnType<ReturnType<typeof service>['ask']>>;

const isError = (status: number) => ({
  code: expect.stringMatching(/^[a-z_]+$/),
  message: expect.stringMatching(/\w/),
  status,
});

const limitsOf = ({ field }: Reply) => ({
  limit: Number(field('x-ratelimit-limit')),
  remaining: Number(field('x-ratelimit-remaining')),
  reset: Number(field('x-ratelimit-reset')),
});

test.for([
  ['GET', '/categories', ''],
  ['GET', '/categories', 'Bearer the-key'],
  ['POST', '/categories', 'Bearer another-key'],
  ['POST', '/categories', 'Bearer the-key'],
  ['GET', '/pets/1', ''],
  ['GET', '/pets/1', 'Bearer the-key'],
  ['GET', '/nowhere', ''],
  ['GET', '/nowhere', 'Bearer the-key'],
] as const)('1, 5, 8. %s %s with "%s"', async ([method, path, authorization]) => {
  const { ask } = service();

  const reply = await ask(method, path, { authorization, body: fish });

  const isKnown = authorization === 'Bearer the-key';
  expect(reply.field('content-type')).toBe('application/json');
  expect(reply.field('date')).toBe(new Date(startTime).toUTCString());
  expect(limitsOf(reply)).toMatchObject({ limit: 60, remaining: isKnown ? 59 : 60 });
  if (isKnown) return;
  expect(reply).toMatchObject({ status: 401, body: isError(401), isBodyRead: false });
  expect((await ask('GET', '/categories')).body).toHaveLength(3);
});

describe('2. resources', () => {
  test('ids are int64, to the last digit', async () => {
    const data = '[{"id":9223372036854775807,"name":"last"},{"name":"next"}]';

    const { text } = await service({ data }).ask('GET', '/categories');

    expect(text).toBe('[{"id":9223372036854775807,"name":"last"},{"id":1,"name":"next"}]');
  });
});

describe('4. endpoints', () => {
  test('POST /categories creates one, GET /categories returns all', async () => {
    const { ask } = service();

    const first = await ask('POST', '/categories', { body: '{"name":"fish","description":"wet"}' });
    const same = await ask('POST', '/categories', { body: fish });
    const { status, body } = await ask('GET', '/categories');

    expect(first.status).toBe(201);
    expect(first.body).toEqual({ id: 4, name: 'fish', description: 'wet' });
    expect(same).toMatchObject({ status: 201, body: { id: 5, name: 'fish' } });
    expect(status).toBe(200);
    expect(body.slice(3)).toEqual([first.body, same.body]);
  });

  test.for<[what: string, body: string | Buffer, type?: string]>([
    ['nothing', ''],
    ['no name', '{}'],
    ['null for a name', '{"name":null}'],
    ['a blank name', '{"name":"  "}'],
    ['null for a description', '{"name":"a","description":null}'],
    ['two names', '{"name":"a","name":"b"}'],
    ['a part', '{"name":"a"'],
    ['an id', '{"id":9,"name":"fish"}'],
    ['a form', 'name=a'],
    ['invalid UTF-8', Buffer.from([0x22, 0xff, 0x22])],
    ['plain text', fish, 'text/plain'],
  ])('POST /categories refuses %s and creates nothing', async ([, body, type]) => {
    const { ask } = service();

    const refused = await ask('POST', '/categories', { body, ...(type && { type }) });

    expect(refused).toMatchObject({ status: 400, body: isError(400) });
    expect((await ask('GET', '/categories')).body).toHaveLength(3);
  });

  test('GET /pets/{petId} shows a pet and is deprecated with a sunset date', async () => {
    const { status, body, field } = await service().ask('GET', '/pets/1');

    expect(status).toBe(200);
    expect(body).toMatchObject({ id: 1 });
    expect(field('sunset')).toBe('Wed, 30 Jun 2027 00:00:00 GMT');
    expect(field('deprecation')).toMatch(/^@\d+$/);
  });

  test.for([
    ['GET', '/pets/404'],
    ['GET', '/pets/%ff%'],
    ['GET', '/nowhere'],
    ['GET', '/categories/'],
    ['GET', '/../v1/categories'],
    ['DELETE', '/categories'],
  ] as const)('%s %s is a 404 with an Error', async ([method, path]) => {
    expect(await service().ask(method, path)).toMatchObject({ status: 404, body: isError(404) });
  });
});

describe('8. limits', () => {
  test.for([
    ['free', 60, 1_000],
    ['pro', 300, 10_000],
    ['business', 1_000, 100_000],
  ] as const)('the %s plan has %i a minute and %i a day', async ([plan, minute, day]) => {
    const { ask, askTimes, wait } = service({ plan });
    await askTimes(minute - 1);
    const last = await ask('GET', '/categories');
    const over = await ask('GET', '/categories');
    wait(60);
    const again = await ask('GET', '/categories');

    const reset = startTime / 1_000 + 60;
    expect(limitsOf(last)).toEqual({ limit: minute, remaining: 0, reset });
    expect(over).toMatchObject({ status: 429, body: isError(429) });
    expect(over.field('retry-after')).toBe('60');
    expect(limitsOf(again)).toMatchObject({ limit: minute, remaining: minute - 1 });

    const state = createState({}, plans[plan]);
    state.quota.day = { openedAt: startTime, used: day - 1 };
    const listOrders = { at: startTime, operation: 'GET /v1/store/orders', key: 'valid' } as const;
    expect([answer(state, listOrders).status, answer(state, listOrders).status]).toEqual([
      200, 429,
    ]);
  });

  test('the day has its own end: the headers show the window that runs out first', async () => {
    const { ask, askTimes, wait } = service();
    for (let minute = 0; minute < 16; minute += 1) {
      await askTimes(60);
      wait(60);
    }
    await askTimes(39);

    const last = await ask('GET', '/categories');
    wait(60);
    const over = await ask('GET', '/categories');
    wait(86_400 - 17 * 60);
    const nextDay = await ask('GET', '/categories');

    expect(limitsOf(last)).toMatchObject({ limit: 1_000, remaining: 0 });
    expect(over.status).toBe(429);
    expect(over.field('retry-after')).toBe(String(86_400 - 17 * 60));
    expect(nextDay.status).toBe(200);
  });

  test('repeated requests after a 429 lead to a temporary ban', async () => {
    const { ask, askTimes, wait } = service();
    await askTimes(61);
    const early = [];
    for (let n = 0; n < 3; n += 1) early.push((await ask('GET', '/categories')).body.code);
    wait(61);
    const banned = await ask('GET', '/categories');
    wait(240);
    const free = await ask('GET', '/categories');

    expect(early).toEqual(['rate_limited', 'rate_limited', 'key_banned']);
    expect(banned).toMatchObject({ status: 429, body: { code: 'key_banned' } });
    expect(banned.field('retry-after')).toBe('239');
    expect(free.status).toBe(200);
  });

  test('a client that waits as told is never banned', async () => {
    const { ask, askTimes, wait } = service();
    for (let round = 0; round < 5; round += 1) {
      await askTimes(61);
      wait(60);
    }

    expect((await ask('GET', '/categories')).status).toBe(200);
  });
});

describe('the sandbox itself', () => {
  test('takes the scheme of the credential in any case', async () => {
    const authorization = 'bEARER the-key';

    expect((await service().ask('GET', '/categories', { authorization })).status).toBe(200);
  });

  test.for([
    ['evil.example', '/categories', 403],
    ['evil.example:4010@127.0.0.1', '/categories', 403],
    ['evil.example:4010', '//127.0.0.1/v1/categories', 403],
    ['', '/categories', 400],
    ['[::1]:4010', '/categories', 201],
  ] as const)('answers under the Host %j POST %s with %i', async ([host, path, status]) => {
    const reply = await service().ask('POST', path, { host, body: fish });

    expect(reply).toMatchObject({ status, isBodyRead: status === 201 });
    expect(limitsOf(reply).limit).toBe(60);
    if (status !== 201) expect(reply.body).toEqual(isError(status));
  });

  test.for([
    ['[{"name":7}]', 'categories: item 1: name must be a string, not a number'],
    ['{"dogs":[]}', 'unknown field "dogs"'],
    ['[{"id":1,"name":"a"},{"id":1,"name":"b"}]', 'duplicate category id'],
  ] as const)('refuses the data %s', ([data, reason]) => {
    expect(() => service({ data })).toThrow(reason);
  });

  test('serves data as it is: fields of your own, pets of any form', async () => {
    const data = '[{"id":5,"name":"a"},{"name":"b","legs":4}]';
    const { ask } = service({ data: '{"pets":[{"id":"x y","legs":4}],"orders":[1]}' });

    expect((await service({ data }).ask('GET', '/categories')).text).toBe(
      '[{"id":5,"name":"a"},{"id":6,"name":"b","legs":4}]',
    );
    expect((await ask('GET', '/pets/x%20y?z')).body).toEqual({ id: 'x y', legs: 4 });
    expect((await ask('GET', '/store/orders')).body).toEqual([1]);
    expect((await ask('GET', '/categories')).body).toHaveLength(3);
  });
});
