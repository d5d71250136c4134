import { createServer, type Socket } from 'node:net';
import { describe } from 'vitest';
import { listen } from '../support/ports.ts';
import { test } from '../support/program.ts';

const says = (text: string) => (socket: Socket) => void socket.write(text);
const array = (...items: string[]) =>
  `*${items.length}\r\n${items.map((item) => `$${item.length}\r\n${item}\r\n`).join('')}`;
const now = String(Date.now());
const stamp = { at: 1e12, wall: 1, uptime: 1, boot: 'server' };
const snapshot = (state: object) => JSON.stringify({ state: { refusals: 0, ...state }, stamp });

describe.concurrent('a shared store that is no Redis', () => {
  test.for<[what: string, answer: (socket: Socket) => void]>([
    [
      'speaks HTTP',
      (socket) => socket.end('HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n'),
    ],
    ['says OK to everything', says('+OK\r\n')],
    ['announces more than can be counted', says('*9999999999\r\n')],
    ['says a text without an end', says(`+${'x'.repeat(3_000_000)}`)],
    ['never takes what it is given', says(array(now, 'v', snapshot({ permits: {} })))],
  ])(
    'and %s: one notice, and the request is sent all the same',
    async ([, answer], { serve, petstore, expect, onTestFinished }) => {
      const service = await serve();
      const store = createServer((socket) => {
        socket.on('error', () => {}).on('data', () => answer(socket));
      });
      onTestFinished(() => void store.close());
      const url = `redis://ci:p4ss-w0rd@127.0.0.1:${await listen(store)}`;
      const env = { ...service.env, PETSTORE_SHARED_STORE: url };

      const { code, stdout, stderr } = await petstore(['categories', 'list', '--json'], { env });

      expect([code, stdout]).toEqual([0, '[]\n']);
      expect(stderr).toContain('counting requests on this machine alone');
      expect(stderr.match(/"notice"/g)).toHaveLength(1);
      expect(stderr).not.toContain('p4ss');
      expect(service.requests).toHaveLength(1);
    },
  );
});
