import nock from 'nock';
import { afterAll, afterEach, describe } from 'vitest';
import { createTransport } from '../../src/node/transport.ts';
import { test as base, expect, type Fixtures, testKey } from '../support/petstore.ts';

/** From argv to the wire: what we send is held against a mock, whose faults are not those of a socket. */
const test = base.extend<{ send: Fixtures['petstore'] }>({
  send: ({ petstore, clock }, use) => {
    // The mock answers in real time.
    clock.hold();
    return use((argv) => petstore(argv, { context: { send: createTransport() } }));
  },
});
// A mock cannot speak TLS over a connection that petstore made.
const origin = 'http://127.0.0.1:4010';

// nock's interceptors are written for Node 22; this one function is all that Node 20 lacks for them.
if (!('withResolvers' in Promise)) Object.assign(Promise, { withResolvers });

describe('a command against a mock', () => {
  afterEach(() => nock.cleanAll());
  // The process runs other tests as well.
  afterAll(() => nock.restore());

  test('sends method, path, headers and body as they are', async ({ send }) => {
    const reqheaders = { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' };
    const scope = nock(origin, { reqheaders })
      .post('/v1/categories', '{"name":"rabbit","description":"Größe"}')
      .reply(201, '{"id":1,"name":"rabbit"}', { 'X-RateLimit-Limit': '60' });

    const argv = ['categories', 'create', 'rabbit', '--description', 'Größe', '-o', 'ndjson'];
    const { exitCode, stdout } = await send(argv);

    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '{"id":1,"name":"rabbit"}\n' });
    scope.done();
  });

  test('sends words and parameters of a URL in percent signs', async ({ send }) => {
    const scope = nock(origin).get('/v1/pets/a%2Fb').query({ x: '1 2' }).reply(200, '[7]');

    const { stdout } = await send(['api', 'GET', '/pets/a%2Fb?x=1%202', '-o', 'ndjson']);

    expect(stdout).toBe('7\n');
    scope.done();
  });

  test('follows no redirect: the key goes nowhere else', async ({ send }) => {
    nock(origin).get('/v1/categories').reply(302, '', { location: 'https://other.example/' });
    const other = nock('https://other.example').get('/').reply(200, '[]');

    expect(await send(['categories', 'list'])).toMatchObject({ exitCode: 5, stdout: '' });
    expect(other.isDone()).toBe(false);
  });

  test('takes the longest of several waits', async ({ send }) => {
    nock(origin)
      .get('/v1/categories')
      .reply(429, '', { 'retry-after': ['3', '900'] });

    const { exitCode, events } = await send(['categories', 'list', '--json', '--max-wait', '0']);

    expect(exitCode).toBe(75);
    expect(events().at(-1)).toMatchObject({ kind: 'rate_limited', retryAfter: 902 });
  });
});

function withResolvers() {
  const resolvers = {};
  const promise = new Promise((resolve, reject) => Object.assign(resolvers, { resolve, reject }));
  return { promise, ...resolvers };
}
