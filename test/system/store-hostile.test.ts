import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, onTestFinished } from 'vitest';
import { startService } from '../bench/service.ts';
import { test as base, expect } from '../support/program.ts';

const test = base.extend<{
  /** A server on a port of its own that says this to whatever it is sent; returns its address as one of a store. */
  answering: (answer: (socket: Socket) => void) => Promise<string>;
  service: Awaited<ReturnType<typeof startService>>;
}>({
  answering: ({}, use) =>
    use(async (answer) => {
      const server = createServer((socket) => {
        socket.on('error', () => {});
        socket.on('data', () => answer(socket));
      });
      onTestFinished(() => void server.close());
      await once(server.listen(0, '127.0.0.1'), 'listening');
      return `redis://ci:p4ss-w0rd@127.0.0.1:${(server.address() as AddressInfo).port}`;
    }),
  service: async ({}, use) => {
    const service = await startService();
    await use(service);
    service.close();
  },
});

const says = (text: string) => (socket: Socket) => void socket.write(text);
const array = (...items: string[]) =>
  `*${items.length}\r\n${items.map((item) => `$${item.length}\r\n${item}\r\n`).join('')}`;
const now = String(Date.now());
const refused = '{"k":"refused","id":"x","at":0,"sent":0,"jitter":0.5,"wait":5000}';

describe('a limit store that is no Redis', () => {
  test.for<{ what: string; answer: (socket: Socket) => void }>([
    {
      what: 'speaks HTTP',
      answer: (socket) => void socket.end('HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n'),
    },
    { what: 'says OK to everything', answer: says('+OK\r\n') },
    { what: 'knows no script, ever', answer: says('-NOSCRIPT no\r\n') },
    { what: 'announces more than can be counted', answer: says('*9999999999\r\n') },
    { what: 'announces more than can be kept', answer: says('$99999999999999\r\nabc') },
    { what: 'nests without an end', answer: says('*1\r\n'.repeat(200_000)) },
    { what: 'says a text without an end', answer: says(`+${'x'.repeat(3_000_000)}`) },
    { what: 'never has what it was given', answer: says(array(now, 'e', '0', '0', 'known')) },
    {
      what: 'has lines of no time',
      answer: says(array(now, 'e', '0', '0', 'known', `abc ${refused}`)),
    },
  ])(
    'and $what: one notice, and the request is sent all the same',
    async ({ answer }, { answering, service, petstore }) => {
      const env = {
        PETSTORE_BASE_URL: service.url,
        PETSTORE_API_KEY: service.key,
        PETSTORE_LIMIT_STORE: await answering(answer),
      };

      const { code, stdout, stderr } = await petstore(['categories', 'list', '--json'], { env });

      expect({ code, stderr }).toEqual({
        code: 0,
        stderr: expect.stringContaining('continuing on this machine alone'),
      });
      expect(stderr.match(/"notice"/g)).toHaveLength(1);
      expect(stderr).not.toContain('p4ss');
      expect(stdout).toContain('[');
      expect(service.requests).toHaveLength(1);
    },
  );
});
