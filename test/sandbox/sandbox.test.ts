import { describe, expect, test } from 'vitest';
import { parseJson } from '../../src/json/json.ts';
import { type PlanName, plans } from '../../src/sandbox/quota.ts';
import { createState } from '../../src/sandbox/sandbox-state.ts';
import { createSandbox } from '../../src/sandbox/server.ts';
import { answer } from '../../src/sandbox/service.ts';
import { startTime } from '../support/clock.ts';

// The interface document as tests; the numbers are its sections.

const fish = '{"name":"fish"}';

test.for([
  ['GET', '/categories', ''],
  ['POST', '/categories', 'Bearer another-key'],
  ['GET', '/pets/1', ''],
  ['GET', '/nowhere', ''],
] as const)('1, 5, 8. %s %s with "%s" is a 401 that costs nothing', async (row) => {
  const [method, path, authorization] = row;
  const { ask } = service();

  const refused = await ask(method, path, { authorization, body: fish });
  const list = await ask('GET', '/categories');

  expect(refused).toMatchObject({ status: 401, body: errorOf(401), isBodyRead: false });
  expect(refused.field('content-type')).toBe('application/json');
  expect(refused.field('date')).toBe(new Date(startTime).toUTCString());
  expect(limitsOf(refused)).toMatchObject({ limit: 60, remaining: 60 });
  expect(limitsOf(list)).toMatchObject({ limit: 60, remaining: 59 });
  expect(list.body).toHaveLength(3);
});

describe('4. endpoints', () => {
  test('POST /categories creates one, GET /categories returns all', async () => {
    const { ask } = service();

    const first = await ask('POST', '/categories', { body: '{"name":"fish","description":"wet"}' });
    const same = await ask('POST', '/categories', { body: fish });
    const list = await ask('GET', '/categories');

    const wet = { id: 4, name: 'fish', description: 'wet' };
    expect(first).toMatchObject({ status: 201, body: wet });
    expect(same).toMatchObject({ status: 201, body: { id: 5, name: 'fish' } });
    expect(list.status).toBe(200);
    expect(list.body.slice(3)).toEqual([wet, { id: 5, name: 'fish' }]);
  });

  test.for<[what: string, body: string | Buffer, type?: string]>([
    ['nothing', ''],
    ['no name', '{}'],
    ['a blank name', '{"name":"  "}'],
    ['null for a description', '{"name":"a","description":null}'],
    ['two names', '{"name":"a","name":"b"}'],
    ['a part', '{"name":"a"'],
    ['an id', '{"id":9,"name":"fish"}'],
    ['invalid UTF-8', Buffer.from([0x22, 0xff, 0x22])],
    ['plain text', fish, 'text/plain'],
  ])('POST /categories refuses %s and creates nothing', async ([, body, type]) => {
    const { ask } = service();

    const refused = await ask('POST', '/categories', { body, ...(type && { type }) });

    expect(refused).toMatchObject({ status: 400, body: errorOf(400) });
    expect((await ask('GET', '/categories')).body).toHaveLength(3);
  });

  test('GET /pets/{petId} shows a pet and is deprecated with a sunset date', async () => {
    const { status, body, field } = await service().ask('GET', '/pets/1');

    expect({ status, body }).toMatchObject({ status: 200, body: { id: 1 } });
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
    expect(await service().ask(method, path)).toMatchObject({ status: 404, body: errorOf(404) });
  });
});

describe('8. limits', () => {
  test.for([
    ['free', 60, 1_000],
    ['pro', 300, 10_000],
    ['business', 1_000, 100_000],
  ] as const)('the %s plan has %i a minute and %i a day', async ([plan, minute, day]) => {
    const { state, ask, askTimes, wait } = service({ plan });
    await askTimes(minute - 1);
    const last = await ask('GET', '/categories');
    const over = await ask('GET', '/categories');
    wait(60);
    const again = await ask('GET', '/categories');
    state.quota.day.used = day - 1;
    const lastOfDay = await ask('GET', '/categories');
    const overDay = await ask('GET', '/categories');

    const reset = startTime / 1_000 + 60;
    expect(limitsOf(last)).toEqual({ limit: minute, remaining: 0, reset });
    expect(over).toMatchObject({ status: 429, body: errorOf(429) });
    expect(over.field('retry-after')).toBe('60');
    expect(limitsOf(again)).toMatchObject({ limit: minute, remaining: minute - 1 });
    // The headers show the window that runs out first.
    expect(limitsOf(lastOfDay)).toEqual({ limit: day, remaining: 0, reset: reset + 86_340 });
    expect(overDay.status).toBe(429);
    expect(overDay.field('retry-after')).toBe('86340');
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
  test.for([
    ['evil.example', '/categories', 403],
    ['evil.example:4010@127.0.0.1', '/categories', 403],
    ['evil.example:4010', '//127.0.0.1/v1/categories', 403],
    ['', '/categories', 403],
    ['[::1]:4010', '/categories', 201],
  ] as const)('answers under the Host %j POST %s with %i', async ([host, path, status]) => {
    const authorization = 'bEARER the-key';
    const reply = await service().ask('POST', path, { host, authorization, body: fish });

    expect(reply).toMatchObject({ status, isBodyRead: status === 201 });
    expect(limitsOf(reply).limit).toBe(60);
    if (status !== 201) expect(reply.body).toEqual(errorOf(status));
  });

  test.for([
    ['[{"name":7}]', 'categories: item 1: name must be a string, not a number'],
    ['{"dogs":[]}', 'unknown field "dogs"'],
    ['[{"id":1,"name":"a"},{"id":1,"name":"b"}]', 'duplicate category id'],
  ] as const)('refuses the data %s', ([data, reason]) => {
    expect(() => service({ data })).toThrow(reason);
  });

  test('2. serves data as it is: ids of int64, fields of your own, pets of any form', async () => {
    const { ask } = service({ data: '{"pets":[{"id":"x y","legs":4}],"orders":[1]}' });
    const categories = '[{"id":9223372036854775807,"name":"last"},{"name":"next","legs":4}]';

    expect((await service({ data: categories }).ask('GET', '/categories')).text).toBe(
      categories.replace('{"name":"next"', '{"id":1,"name":"next"'),
    );
    expect((await ask('GET', '/pets/x%20y?z')).body).toEqual({ id: 'x y', legs: 4 });
    expect((await ask('GET', '/store/orders')).body).toEqual([1]);
    expect((await ask('GET', '/categories')).body).toHaveLength(3);
  });
});

function service({ plan = 'free' as PlanName, data = '{}' } = {}) {
  const state = createState(parseJson(data), plans[plan]);
  let time = startTime;
  const respond = createSandbox({
    key: 'the-key',
    now: () => time,
    answer: (request) => answer(state, request),
  });
  return {
    state,
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
      body = '' as string | Uint8Array,
      type = 'application/json',
      host = '127.0.0.1',
    } = {},
  ) {
    const headers = { host, 'content-type': type, authorization };
    let isBodyRead = false;
    const reply = await respond({ method, url: `/v1${path}`, headers }, async () => {
      isBodyRead = true;
      return Buffer.from(body);
    });
    const field = (name: string) => new Headers(reply.headers).get(name);
    const { status, body: text } = reply;
    return { status, field, text, body: JSON.parse(text), isBodyRead };
  }
}

const errorOf = (status: number) => ({
  code: expect.stringMatching(/^[a-z_]+$/),
  message: expect.stringMatching(/\w/),
  status,
});

const limitsOf = ({ field }: { readonly field: (name: string) => string | null }) => ({
  limit: Number(field('x-ratelimit-limit')),
  remaining: Number(field('x-ratelimit-remaining')),
  reset: Number(field('x-ratelimit-reset')),
});
