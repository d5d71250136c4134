import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { describe } from 'vitest';
import { test as base, expect } from '../support/program.ts';

const test = base.extend<{
  /** A server on a port of its own that says this to whatever it is sent; returns its address as one of a store. */
  answering: (answer: (socket: Socket) => void) => Promise<string>;
}>({
  answering: async ({}, use) => {
    const servers: Server[] = [];
    await use(async (answer) => {
      const server = createServer((socket) => {
        socket.on('error', () => {});
        socket.on('data', () => answer(socket));
      });
      servers.push(server);
      await once(server.listen(0, '127.0.0.1'), 'listening');
      return `redis://ci:p4ss-w0rd@127.0.0.1:${(server.address() as AddressInfo).port}`;
    });
    for (const server of servers) server.close();
  },
});

const says = (text: string) => (socket: Socket) => void socket.write(text);
const array = (...items: string[]) =>
  `*${items.length}\r\n${items.map((item) => `$${item.length}\r\n${item}\r\n`).join('')}`;
const now = String(Date.now());
const stamp = { at: 1e12, wall: 1, uptime: 1, boot: 'server' };
const endless = { reason: '429', since: 0, until: 1e300 };
const snapshot = (state: object) => JSON.stringify({ state: { refusals: 0, ...state }, stamp });

describe.concurrent('a limit store that is no Redis', () => {
  test.for<[what: string, answer: (socket: Socket) => void]>([
    [
      'speaks HTTP',
      (socket) => socket.end('HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n'),
    ],
    ['says OK to everything', says('+OK\r\n')],
    ['announces more than can be counted', says('*9999999999\r\n')],
    ['announces more than can be kept', says('$99999999999999\r\nabc')],
    ['nests without an end', says('*1\r\n'.repeat(200_000))],
    ['says a text without an end', says(`+${'x'.repeat(3_000_000)}`)],
    ['has half a value', says(array(now, 'v', '{"state":'))],
    ['has a value of another shape', says(array(now, 'v', snapshot({ permits: [] })))],
    ['has an endless wait', says(array(now, 'v', snapshot({ permits: {}, block: endless })))],
    ['never takes what it is given', says(array(now, 'v', snapshot({ permits: {} })))],
  ])(
    'and %s: one notice, and the request is sent all the same',
    async ([, answer], { answering, serve, petstore }) => {
      const service = await serve();
      const env = { ...service.env, PETSTORE_LIMIT_STORE: await answering(answer) };

      const { code, stdout, stderr } = await petstore(['categories', 'list', '--json'], { env });

      expect([code, stdout]).toEqual([0, '[]\n']);
      expect(stderr).toContain('continuing on this machine alone');
      expect(stderr.match(/"notice"/g)).toHaveLength(1);
      expect(stderr).not.toContain('p4ss');
      expect(service.requests).toHaveLength(1);
    },
  );
});
