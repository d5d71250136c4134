import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import nock from 'nock';
import { beforeAll } from 'vitest';
import { createTransport } from '../../src/node/transport.ts';
import { test as base, expect, type Fixtures, testKey } from '../support/petstore.ts';
import { expectTold, listNow } from '../support/told.ts';
import type { Send } from '../support/values.ts';

// nock cannot speak TLS over a connection that petstore has made: system/tls.test.ts. Where a request is given up while nock decides,
// the thread never ends: transport.test.ts.
const host = '127.0.0.1:4010';
const service = `http://${host}`;

/** Tests patch no global, but nock replaces `connect` of all sockets. The files that run next in this thread get it back. */
beforeAll(() => {
  // nock calls a function that Node 20 does not have.
  const isMissing = !('withResolvers' in Promise);
  if (isMissing) Object.assign(Promise, { withResolvers });
  nock.disableNetConnect();
  return () => {
    nock.restore();
    if (isMissing) Reflect.deleteProperty(Promise, 'withResolvers');
  };
});

const test = base.extend<{ send: Fixtures['petstore'] }>({
  /** Runs the program on its real transport, and expects each request to be one that nock was told of. */
  send: async ({ petstore, clock }, use) => {
    const others: string[] = [];
    nock.emitter.on('no match', ({ method, url }) => others.push(`${method} ${url}`));
    const transport = createTransport();
    const send: Send = async (request) => {
      // nock answers in real time.
      const release = clock.hold();
      try {
        const { body, ...head } = await transport(request);
        return { ...head, body: Readable.from([await buffer(body)]) };
      } finally {
        release();
      }
    };
    await use((line) => petstore(line, { context: { send } }));
    nock.emitter.removeAllListeners();
    nock.cleanAll();
    expect(others).toEqual([]);
  },
});

const sent = '{"name":"rabbit","description":"Größe"}';
const rabbit = '{"id":1,"name":"rabbit"}';

test.for([
  ['categories list', 'GET', '/categories', '', 200, `[${rabbit}]`],
  ['categories create rabbit --description Größe', 'POST', '/categories', sent, 201, rabbit],
  ['orders list', 'GET', '/store/orders', '', 200, `[${rabbit}]`],
  ['pets get a/../b?c#d', 'GET', '/pets/a%2F..%2Fb%3Fc%23d', '', 200, rabbit],
  ['pets get 100%', 'GET', '/pets/100%25', '', 200, rabbit],
  ['pets get %2e%2E', 'GET', '/pets/%252e%252E', '', 200, rabbit],
  ['pets get ü', 'GET', '/pets/%C3%BC', '', 200, rabbit],
  ["api GET '/a%2Fb/é?q=c%20d&e=f g'", 'GET', '/a%2Fb/%C3%A9?q=c%20d&e=f%20g', '', 204, ''],
  ['api GET /', 'GET', '/', '', 204, ''],
  ['api HEAD categories', 'HEAD', '/categories', '', 204, ''],
  [`api POST categories:batch --data ${sent}`, 'POST', '/categories:batch', sent, 200, rabbit],
  ['api PUT /pets/{petId} --data 1.0', 'PUT', '/pets/%7BpetId%7D', '1.0', 204, ''],
  ['api PATCH /x?of={petId} --data {}', 'PATCH', '/x?of={petId}', '{}', 204, ''],
  ['api DELETE x?y=https://a.example/../b', 'DELETE', '/x?y=https://a.example/../b', '', 204, ''],
] as const)('%s arrives as %s %s', async ([line, method, path, body, status, text], { send }) => {
  let headers = {};
  nock(service)
    .intercept((uri) => uri === `/v1${path}`, method, body)
    .reply(status, text)
    .on('request', (request) => {
      headers = Object.fromEntries(request.headers);
    });

  const { exitCode, stdout, stderr } = await send(`${line} -o ndjson`);

  expect([exitCode, stdout], stderr).toEqual([0, text && `${rabbit}\n`]);
  expect(headers).toEqual({
    host,
    connection: expect.any(String),
    accept: 'application/json',
    'accept-encoding': 'identity',
    'user-agent': expect.stringMatching(/^petstore\/\d/),
    authorization: `Bearer ${testKey}`,
    ...(/GET|HEAD/.test(method) && { 'cache-control': 'no-cache' }),
    ...(body && {
      'content-type': 'application/json',
      'content-length': `${Buffer.byteLength(body)}`,
    }),
  });
});

test.for([301, 302, 307, 308])(
  'a %i is not followed, nor the key sent elsewhere',
  async (status, { send }) => {
    const location = 'http://127.0.0.1:4011/v1/x';
    nock(service).get('/v1/x').reply(status, '', { location });
    nock(service).post('/v1/x').reply(status, '', { location });

    const read = await send('api GET /x');
    const write = await send('api POST /x');

    expect([read.exitCode, write.exitCode]).toEqual([5, status === 302 ? 6 : 5]);
  },
);

test('of several Retry-After the longest counts', async ({ send }) => {
  nock(service)
    .get('/v1/categories')
    .reply(429, '', { 'retry-after': ['3', '90', '9'] });

  const { events } = await send(listNow);

  expectTold(Number(events().at(-1)?.retryAfter) * 1_000, 90);
});

function withResolvers() {
  const functions = {};
  const promise = new Promise((resolve, reject) => Object.assign(functions, { resolve, reject }));
  return { promise, ...functions };
}
