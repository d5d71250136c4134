import { createServer, type Server } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { deliver } from '../../src/api/deliver.ts';
import { Undelivered } from '../../src/api/exchange.ts';
import { createNodeContext } from '../../src/node/node-context.ts';
import { createTransport } from '../../src/node/transport.ts';

const head = 'HTTP/1.1 200 OK\r\n';

describe('one delivery over a real socket', () => {
  let server: Server | undefined;
  afterEach(() => server?.close());

  /** What becomes of a request that is answered with these bytes, the connection ended behind them. */
  async function breakdownOf(bytes: string): Promise<Undelivered> {
    const listening = createServer((socket) =>
      socket.on('error', () => {}).once('data', () => socket.end(bytes, 'latin1')),
    );
    return deliverTo(listening, 'http:');
  }

  async function deliverTo(listening: Server, scheme: string): Promise<Undelivered> {
    server = listening;
    await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
    const { port } = listening.address() as { port: number };
    const { send, close } = createTransport(() => 0);
    const { context } = createNodeContext(new AbortController().signal);
    const exchange = deliver({ ...context, send }, 30_000);
    const error = await exchange({
      operation: 'GET /categories',
      method: 'GET',
      url: new URL(`${scheme}//127.0.0.1:${port}/v1/categories`),
      headers: {},
      body: undefined,
      maxBytes: 1_000,
      wait: { until: 0 },
    }).catch((error) => error);
    close();
    expect(error).toBeInstanceOf(Undelivered);
    return error;
  }

  test.for([
    { what: 'garbage', bytes: 'what do you want?\r\n\r\n' },
    { what: 'a status that is no number', bytes: 'HTTP/1.1 OK 200\r\n\r\n' },
    {
      what: 'a head with a length and a NUL',
      bytes: `${head}content-length: 2\r\nx: \0\r\n\r\n[]`,
    },
    { what: 'two lengths', bytes: `${head}content-length: 2\r\ncontent-length: 2\r\n\r\n[]` },
    {
      what: 'a chunk size of words',
      bytes: `${head}transfer-encoding: chunked\r\n\r\nlong\r\n[]`,
    },
    {
      what: 'the twenty-first announcement',
      bytes: `${'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(21)}${head}content-length: 2\r\n\r\n[]`,
    },
    { what: 'more than was told', bytes: `${head}content-length: 2\r\n\r\n[]]` },
    {
      what: 'a second answer behind the first',
      bytes: `${head}content-length: 2\r\n\r\n[]${head}content-length: 2\r\n\r\n[]`,
    },
    {
      what: 'more than the last chunk',
      bytes: `${head}transfer-encoding: chunked\r\n\r\n2\r\n[]\r\n0\r\n\r\n[]`,
    },
    {
      what: '101 to another protocol',
      bytes: 'HTTP/1.1 101 Go\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n',
    },
  ])('$what is not valid HTTP, and not asked for again', async ({ bytes }) => {
    const { message, details } = await breakdownOf(bytes);

    expect(message).toMatch(/^the response from 127\.0\.0\.1:\d+ is not valid HTTP$/);
    expect(details).toMatchObject({ kind: 'service' });
    expect(details.again).toBeFalsy();
  });

  test.for([
    {
      what: 'short of its length',
      bytes: `${head}content-length: 99\r\n\r\n[{"id"`,
      part: '6 of 99',
    },
    {
      what: 'short of its length, on a connection that closes',
      bytes: `${head}connection: close\r\ncontent-length: 99\r\n\r\n[{"id"`,
      part: '6 of 99',
    },
    {
      what: 'inside a chunk',
      bytes: `${head}transfer-encoding: chunked\r\n\r\n40\r\n[{"id"`,
      part: 'after 6',
    },
    {
      what: 'inside a chunk, on a connection that closes',
      bytes: `${head}connection: close\r\ntransfer-encoding: chunked\r\n\r\n40\r\n[{"id"`,
      part: 'after 6',
    },
  ])('a body that ends $what was cut short, and how far is said', async ({ bytes, part }) => {
    const { message, details } = await breakdownOf(bytes);

    expect(message).toMatch(/^the response from 127\.0\.0\.1:\d+ was cut short/);
    expect(message).toContain(`(${part} bytes)`);
    expect(details).toMatchObject({ kind: 'service', again: true });
  });

  test.for([
    'content-encoding: gzip',
    'content-encoding: identity\r\ncontent-encoding: br',
    'content-encoding: identity, gzip',
    'transfer-encoding: gzip',
  ])('an answer with %s was compressed unasked', async (field) => {
    const { message, details } = await breakdownOf(`${head}${field}\r\n\r\n[]`);

    expect(message).toBe('unexpected response: expected no compression, got a compressed body');
    expect(details).toEqual({ kind: 'service' });
  });

  test('a connection that does not come about is given up after 10 s, with nothing sent', async () => {
    const silent = createServer((socket) => void socket.on('error', () => {}));

    const { message, sent } = await deliverTo(silent, 'https:');

    expect(message).toMatch(/^connecting to 127\.0\.0\.1:\d+ timed out after 10s$/);
    expect(sent).toBe(false);
  });
});
