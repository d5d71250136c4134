import { describe, expect, test } from 'vitest';
import { parseJson } from '../../src/json/json.ts';
import { type PlanName, plans } from '../../src/sandbox/quota.ts';
import { createSandbox } from '../../src/sandbox/server.ts';
import { answer } from '../../src/sandbox/service.ts';
import { createState } from '../../src/sandbox/state.ts';
import { startTime } from '../support/clock.ts';

/** The interface document as tests; the numbers are its sections. */
function service({ plan = 'free' as PlanName, data = '{}' } = {}) {
  const state = createState(parseJson(data), plans[plan]);
  let time = startTime;
  const respond = createSandbox({
    key: 'the-key',
    now: () => time,
    answer: (request) => answer(state, request),
  });
  const wait = (seconds: number) => {
    time += seconds * 1_000;
  };
  const askTimes = async (count: number) => {
    for (let n = 0; n < count; n += 1) await ask('GET', '/categories');
  };
  return { wait, ask, askTimes };

  async function ask(
    method: string,
    path: string,
    {
      key = 'the-key',
      scheme = 'Bearer',
      body = '' as string | Uint8Array | null,
      type = 'application/json',
      host = '127.0.0.1',
    } = {},
  ) {
    const authorization = key && `${scheme} ${key}`;
    const head = {
      method,
      url: `/v1${path}`,
      headers: { host, 'content-type': type, authorization },
    };
    let isBodyRead = false;
    const reply = await respond(head, async () => {
      isBodyRead = true;
      return body === null ? null : Buffer.from(body);
    });
    const headers = new Headers(reply.headers);
    return {
      status: reply.status,
      headers,
      text: reply.body,
      body: JSON.parse(reply.body),
      isBodyRead,
    };
  }
}

const isError = (status: number) => ({
  code: expect.stringMatching(/^[a-z_]+$/),
  message: expect.stringMatching(/\w/),
  status,
});

describe('1. what the service does', () => {
  test.for([
    ['GET', '/categories'],
    ['POST', '/categories'],
    ['GET', '/pets/1'],
    ['GET', '/store/orders'],
    ['GET', '/nowhere'],
  ])('%s %s answers with application/json', async ([method = '', path = '']) => {
    const { headers } = await service().ask(method, path);

    expect(headers.get('content-type')).toBe('application/json');
  });
});

describe('2. resources', () => {
  test('a category has an id, a name and possibly a description', async () => {
    const { body } = await service().ask('GET', '/categories');

    for (const category of body) {
      expect(category).toMatchObject({ id: expect.any(Number), name: expect.any(String) });
    }
    expect(body.map(({ name }: { name: string }) => name)).toEqual(['dog', 'cat', 'rabbit']);
  });

  test('the client never sends an id', async () => {
    const result = await service().ask('POST', '/categories', { body: '{"id":9,"name":"fish"}' });

    expect(result).toMatchObject({ status: 400, body: isError(400) });
  });

  test('ids are int64, to the last digit', async () => {
    const data = '[{"id":9223372036854775807,"name":"last"},{"name":"next"}]';

    const { text } = await service({ data }).ask('GET', '/categories');

    expect(text).toBe('[{"id":9223372036854775807,"name":"last"},{"id":1,"name":"next"}]');
  });
});

describe('4. endpoints', () => {
  test('GET /categories returns all categories', async () => {
    const { ask } = service();
    for (let n = 0; n < 20; n += 1) await ask('POST', '/categories', { body: `{"name":"c${n}"}` });

    const { status, body } = await ask('GET', '/categories');

    expect(status).toBe(200);
    expect(body).toHaveLength(23);
  });

  test('POST /categories creates one and returns it with its id', async () => {
    const { ask } = service();

    const created = await ask('POST', '/categories', {
      body: '{"name":"fish","description":"wet"}',
    });
    const { body } = await ask('GET', '/categories');

    expect(created).toMatchObject({
      status: 201,
      body: { id: 4, name: 'fish', description: 'wet' },
    });
    expect(body).toContainEqual(created.body);
  });

  test.for([
    '',
    'null',
    '[]',
    '{}',
    '{"description":"no name"}',
    '{"name":null}',
    '{"name":7}',
    '{"name":""}',
    '{"name":"  "}',
    '{"name":"a","description":7}',
    '{"name":"a","description":null}',
    '{"name":"a","name":"b"}',
    '{"name":"a"',
    'name=a',
  ])('POST /categories refuses the body %s and creates nothing', async (body) => {
    const { ask } = service();

    const refused = await ask('POST', '/categories', { body });

    expect(refused).toMatchObject({ status: 400, body: isError(400) });
    expect((await ask('GET', '/categories')).body).toHaveLength(3);
  });

  test('two categories may have one name: the document forbids it nowhere', async () => {
    const { ask } = service();

    const first = await ask('POST', '/categories', { body: '{"name":"fish"}' });
    const second = await ask('POST', '/categories', { body: '{"name":"fish"}' });

    expect([first.body.id, second.body.id]).toEqual([4, 5]);
  });

  test('GET /pets/{petId} shows a pet and is deprecated with a sunset date', async () => {
    const { status, body, headers } = await service().ask('GET', '/pets/1');

    expect(status).toBe(200);
    expect(body).toMatchObject({ id: 1 });
    expect(headers.get('sunset')).toBe('Wed, 30 Jun 2027 00:00:00 GMT');
    expect(headers.get('deprecation')).toMatch(/^@\d+$/);
  });

  test('GET /store/orders shows orders', async () => {
    expect(await service().ask('GET', '/store/orders')).toMatchObject({ status: 200 });
  });

  test.for(['/pets/404', '/pets/%ff%', '/nowhere', '', '/categories/', '/../v1/categories'])(
    'GET %s is a 404 with an Error',
    async (path) => {
      expect(await service().ask('GET', path)).toMatchObject({ status: 404, body: isError(404) });
    },
  );

  test.for(['PUT', 'PATCH', 'DELETE'])('there is no %s', async (method) => {
    const { ask } = service();

    expect((await ask(method, '/categories')).status).toBe(404);
    expect((await ask('GET', '/categories')).body).toHaveLength(3);
  });
});

describe('5. authentication', () => {
  test.for([
    ['GET', '/categories'],
    ['POST', '/categories'],
    ['GET', '/pets/1'],
    ['GET', '/store/orders'],
  ])('%s %s wants the key', async ([method = '', path = '']) => {
    const { ask } = service();

    for (const key of ['', 'another-key']) {
      const refused = await ask(method, path, { key, body: '{"name":"fish"}' });
      expect(refused).toMatchObject({ status: 401, body: isError(401), isBodyRead: false });
    }
    expect((await ask('GET', '/categories')).body).toHaveLength(3);
  });
});

describe('what is neither shown nor good', () => {
  test.for([
    ['bytes that are not UTF-8', { body: Buffer.from([0x22, 0xff, 0x22]) }],
    ['another type', { body: '{"name":"fish"}', type: 'text/plain' }],
  ] as const)('a body of %s is a 400', async ([, options]) => {
    const { ask } = service();

    expect(await ask('POST', '/categories', options)).toMatchObject({ status: 400 });
    expect((await ask('GET', '/categories')).body).toHaveLength(3);
  });

  test('a body of more than 1 MiB is a 413, and counts', async () => {
    const { ask, askTimes } = service();

    const refused = await ask('POST', '/categories', { body: null });
    await askTimes(59);
    const limited = await ask('POST', '/categories', { body: null });

    expect(refused).toMatchObject({ status: 413, body: isError(413) });
    expect(limited).toMatchObject({ status: 429, body: isError(429) });
  });

  test('the scheme of the credential may be written in any case', async () => {
    expect((await service().ask('GET', '/categories', { scheme: 'bEARER' })).status).toBe(200);
  });
});

describe('8. limits', () => {
  const limits = (headers: Headers) => ({
    limit: Number(headers.get('x-ratelimit-limit')),
    remaining: Number(headers.get('x-ratelimit-remaining')),
    reset: Number(headers.get('x-ratelimit-reset')),
  });

  test.for([
    ['free', 60],
    ['pro', 300],
    ['business', 1_000],
  ] as const)('the %s plan has %i a minute', async ([plan, minute]) => {
    const { ask, askTimes, wait } = service({ plan });
    await askTimes(minute - 1);
    const last = await ask('GET', '/categories');
    const over = await ask('GET', '/categories');
    wait(60);
    const again = await ask('GET', '/categories');

    expect(limits(last.headers)).toEqual({
      limit: minute,
      remaining: 0,
      reset: startTime / 1_000 + 60,
    });
    expect(over).toMatchObject({ status: 429, body: isError(429) });
    expect(over.headers.get('retry-after')).toBe('60');
    expect(limits(again.headers)).toMatchObject({ limit: minute, remaining: minute - 1 });
  });

  test.for([
    ['free', 60, 1_000],
    ['pro', 300, 10_000],
    ['business', 1_000, 100_000],
  ] as const)('the %s plan has no more than %i a minute and %i a day', ([plan, minute, day]) => {
    const state = createState({}, plans[plan]);
    let granted = 0;
    for (let at = startTime; at < startTime + 86_400_000; at += 60_000) {
      for (let n = 0; n < minute; n += 1) {
        const { status } = answer(state, { at, operation: 'listOrders', key: 'valid' });
        if (status === 200) granted += 1;
        else if (n === 0) return expect(granted).toBe(day);
      }
    }
    return expect.unreachable('the day never ended');
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

    expect(limits(last.headers)).toMatchObject({ limit: 1_000, remaining: 0 });
    expect(over.status).toBe(429);
    expect(over.headers.get('retry-after')).toBe(String(86_400 - 17 * 60));
    expect(nextDay.status).toBe(200);
  });

  test.for([
    ['GET', '/categories', 'the-key'],
    ['POST', '/categories', 'the-key'],
    ['GET', '/nowhere', 'the-key'],
    ['GET', '/nowhere', ''],
    ['GET', '/categories', 'another-key'],
  ])(
    'every answer carries the headers: %s %s with %s',
    async ([method = '', path = '', key = '']) => {
      const { headers } = await service().ask(method, path, { key });

      expect(limits(headers)).toMatchObject({ limit: 60, remaining: expect.any(Number) });
      expect(headers.get('date')).toBe(new Date(startTime).toUTCString());
    },
  );

  test('repeated requests after a 429 lead to a temporary ban', async () => {
    const { ask, askTimes, wait } = service();
    await askTimes(61);
    const early = [];
    for (let n = 0; n < 3; n += 1) early.push(await ask('GET', '/categories'));
    wait(61);
    const banned = await ask('GET', '/categories');
    wait(240);
    const free = await ask('GET', '/categories');

    expect(early.map(({ body }) => body.code)).toEqual([
      'rate_limited',
      'rate_limited',
      'key_banned',
    ]);
    expect(banned).toMatchObject({ status: 429, body: { code: 'key_banned' } });
    expect(banned.headers.get('retry-after')).toBe('239');
    expect(free.status).toBe(200);
  });

  test('requests without the key cost its limit nothing and bring it no ban', async () => {
    const { ask } = service();
    for (let n = 0; n < 100; n += 1) await ask('GET', '/categories', { key: 'another-key' });

    const { headers } = await ask('GET', '/categories');

    expect(limits(headers).remaining).toBe(59);
  });

  test('who waits as told is never banned', async () => {
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
    ['evil.example:4010', '//127.0.0.1/v1/categories', 403],
    ['127.0.0.1.evil.example', '/categories', 403],
    ['a b', '/categories', 400],
    ['', '/categories', 400],
    ['localhost:4010', '/categories', 201],
    ['[::1]:4010', '/categories', 201],
  ] as const)('under the Host %j POST %s is a %i', async ([host, path, status]) => {
    const { ask } = service();

    const reply = await ask('POST', path, { host, body: '{"name":"fish"}' });

    expect(reply).toMatchObject({ status, isBodyRead: status === 201 });
    expect(reply.headers.get('x-ratelimit-limit')).toBe('60');
    if (status !== 201) expect(reply.body).toEqual(isError(status));
  });

  test.for([
    ['[{"name":7}]', 'categories: item 1: name must be a string, not a number'],
    ['{"dogs":[]}', 'unknown field "dogs"'],
    ['[{"id":1,"name":"a"},{"id":1,"name":"b"}]', 'duplicate category id'],
  ])('data %s is refused', ([data = '', reason]) => {
    expect(() => service({ data })).toThrow(reason);
  });

  test('data keeps what it has: ids as text, fields of your own', async () => {
    const data = '[{"id":"5","name":"a"},{"name":"b","legs":4}]';

    expect((await service({ data }).ask('GET', '/categories')).text).toBe(
      '[{"id":5,"name":"a"},{"id":6,"name":"b","legs":4}]',
    );
  });

  test('data may hold pets and orders of any form', async () => {
    const { ask } = service({ data: '{"pets":[{"id":"x y","legs":4}],"orders":[1]}' });

    expect((await ask('GET', '/pets/x%20y?z')).body).toEqual({ id: 'x y', legs: 4 });
    expect((await ask('GET', '/store/orders')).body).toEqual([1]);
    expect((await ask('GET', '/categories')).body).toHaveLength(3);
  });
});
