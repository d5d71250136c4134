import nock from 'nock';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { createTransport } from '../../src/node/transport.ts';
import { request as requestOf, textOf } from '../support/wire.ts';

// A mock cannot speak TLS over a connection that petstore made.
const origin = 'http://pets.example';
const request: typeof requestOf = (fields) =>
  requestOf({ url: new URL(`${origin}/v1/categories`), ...fields });

// nock's interceptors are written for Node 22; this one function is all that Node 20 lacks for them.
if (!('withResolvers' in Promise)) Object.assign(Promise, { withResolvers });

describe('the transport against a mock', () => {
  afterEach(() => nock.cleanAll());
  // The process runs other tests as well.
  afterAll(() => nock.restore());

  test('sends method, path, headers and body as they are', async () => {
    const send = createTransport();
    const scope = nock(origin, { reqheaders: { authorization: 'Bearer the-key' } })
      .post('/v1/categories?x=1', '{"name":"rabbit"}')
      .reply(201, '{"id":1}', { 'X-RateLimit-Limit': '60' });
    const url = new URL(`${origin}/v1/categories?x=1`);

    const answer = await send(request({ method: 'POST', url, body: '{"name":"rabbit"}' }));

    expect(answer.status).toBe(201);
    expect(answer.headers).toMatchObject({ 'x-ratelimit-limit': '60' });
    expect(await textOf(answer.body)).toBe('{"id":1}');
    scope.done();
  });

  test('follows no redirect: the key goes nowhere else', async () => {
    const send = createTransport();
    nock(origin).get('/v1/categories').reply(302, '', { location: 'https://other.example/' });
    const other = nock('https://other.example').get('/').reply(200, '[]');

    const answer = await send(request());

    expect(answer.status).toBe(302);
    expect(other.isDone()).toBe(false);
  });

  test('a field that is sent twice keeps both values', async () => {
    const send = createTransport();
    nock(origin)
      .get('/v1/categories')
      .reply(429, '', { 'retry-after': ['3', '9'] });

    expect((await send(request())).headers['retry-after']).toEqual(['3', '9']);
  });
});

function withResolvers() {
  const resolvers = {};
  const promise = new Promise((resolve, reject) => Object.assign(resolvers, { resolve, reject }));
  return { promise, ...resolvers };
}
