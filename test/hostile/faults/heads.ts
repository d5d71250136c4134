import { randomBytes } from 'node:crypto';
import { endless, good, message, say, sayAndEnd, withFields } from '../answers.ts';
import { type Fault, faultsOf, saying } from '../fault.ts';
import type { Reaction } from '../server.ts';

const manyFields = Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`x-${n}`, 'y']));
const upgrade = { upgrade: 'websocket', connection: 'upgrade' };
const interim = 'HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n';
const switching = 'HTTP/1.1 101 Switching Protocols\r\n\r\n';

const notHttp: readonly [fault: string, react: Reaction][] = [
  ['random bytes', say(() => Buffer.concat([Buffer.from([0]), randomBytes(999)]))],
  ['another protocol: SSH', say(() => 'SSH-2.0-OpenSSH_9.2\r\n')],
  ['another protocol: TLS', sayAndEnd(() => Buffer.from('15030100020246', 'hex'))],
  ['HTTP/0.9', sayAndEnd(({ good }) => good)],
  [
    'HTTP/9.9',
    say(({ good }) => `HTTP/9.9 200 OK\r\ncontent-length: ${good.length}\r\n\r\n${good}`),
  ],
  ['a status of four digits', say(() => 'HTTP/1.1 2000 OK\r\ncontent-length: 0\r\n\r\n')],
  ['a header without a colon', say(() => 'HTTP/1.1 200 OK\r\nno header\r\n\r\n')],
  ['a NUL in a header', withFields({ 'x-odd': 'a\0b' })],
  ['a folded header', withFields({ 'x-odd': 'a\r\n b' })],
  ['lines that end with LF alone', say((seen) => good(seen).toString().replaceAll('\r\n', '\n'))],
  ['a header of 300 KB', withFields({ 'x-huge': 'x'.repeat(300_000) })],
  ['ten thousand headers', withFields(manyFields)],
  ['a header without end', endless('HTTP/1.1 200 OK\r\nx-endless: ', Buffer.alloc(10_000, 'x'))],
  ['101 to another protocol', say(() => message('101 Switching Protocols', upgrade, 'x'))],
  ['101 to no protocol', say((seen) => Buffer.concat([Buffer.from(switching), good(seen)]))],
];

/** Heads that are no HTTP, or too much of it. */
export const headFaults: readonly Fault[] = [
  // It has not read the request as one: nothing was sent.
  ...faultsOf('unread', [
    [
      'HTTP/2 frames',
      say(() => Buffer.from('00001204000000000000030000006400', 'hex')),
      /127\.0\.0\.1:\d+ speaks only HTTP\/2, which petstore does not/,
    ],
  ]),
  ...faultsOf('wrong', notHttp.map(saying(/the response from 127\.0\.0\.1:\d+ is not valid HTTP/))),
  ...faultsOf('fine', [
    [
      'two hundred informational responses before the good one',
      say((seen) => Buffer.concat([Buffer.from(interim.repeat(100)), good(seen)])),
    ],
  ]),
];
