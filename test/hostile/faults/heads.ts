import { randomBytes } from 'node:crypto';
import { endless, good, message, say, sayAndEnd } from '../answers.ts';
import type { Fault } from '../fault.ts';

const notHttp = /the response from 127\.0\.0\.1:\d+ is not valid HTTP/;

/** Heads that are no HTTP, or too much of it. */
export const headFaults: readonly Fault[] = [
  {
    fault: 'garbage',
    react: say(() => 'what do you want?\r\n\r\n'),
    means: 'wrong',
    says: notHttp,
  },
  {
    fault: 'random bytes',
    react: say(() => Buffer.concat([Buffer.from([0]), randomBytes(999)])),
    means: 'wrong',
    says: notHttp,
  },
  {
    fault: 'another protocol: SSH',
    react: say(() => 'SSH-2.0-OpenSSH_9.2\r\n'),
    means: 'wrong',
    says: notHttp,
  },
  {
    fault: 'another protocol: SMTP',
    react: say(() => '220 mail.example ESMTP\r\n'),
    means: 'wrong',
    says: notHttp,
  },
  {
    fault: 'another protocol: TLS',
    react: sayAndEnd(() => Buffer.from('15030100020246', 'hex')),
    means: 'wrong',
    says: notHttp,
  },
  { fault: 'HTTP/0.9', react: sayAndEnd(({ good }) => good), means: 'wrong', says: notHttp },
  {
    fault: 'HTTP/2 frames',
    react: say(() => Buffer.from('00001204000000000000030000006400', 'hex')),
    means: 'wrong',
    says: notHttp,
  },
  {
    fault: 'HTTP/9.9',
    react: say(({ good }) => `HTTP/9.9 200 OK\r\ncontent-length: ${good.length}\r\n\r\n${good}`),
    means: 'wrong',
    says: notHttp,
  },
  {
    fault: 'a status that is no number',
    react: say(() => 'HTTP/1.1 OK 200\r\n\r\n'),
    means: 'wrong',
    says: notHttp,
  },
  {
    fault: 'a status of four digits',
    react: say(() => 'HTTP/1.1 2000 OK\r\ncontent-length: 0\r\n\r\n'),
    means: 'wrong',
    says: notHttp,
  },
  {
    fault: 'a header without a colon',
    react: say(() => 'HTTP/1.1 200 OK\r\nno header\r\n\r\n'),
    means: 'wrong',
    says: notHttp,
  },
  {
    fault: 'a NUL in a header',
    react: say((seen) => good(seen, { 'x-odd': 'a\0b' })),
    means: 'wrong',
    says: notHttp,
  },
  {
    fault: 'a folded header',
    react: say((seen) => good(seen, { 'x-odd': 'a\r\n b' })),
    means: 'wrong',
    says: notHttp,
  },
  {
    fault: 'lines that end with LF alone',
    react: say((seen) => good(seen).toString().replaceAll('\r\n', '\n')),
    means: 'wrong',
    says: notHttp,
  },
  {
    fault: 'a header of 300 KB',
    react: say((seen) => good(seen, { 'x-huge': 'x'.repeat(300_000) })),
    means: 'wrong',
    says: notHttp,
  },
  {
    fault: 'a header of 20 KB',
    react: say((seen) => good(seen, { 'x-huge': 'x'.repeat(20_000) })),
    means: 'wrong',
    says: notHttp,
  },
  {
    fault: 'ten thousand headers',
    react: say((seen) =>
      good(seen, Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`x-${n}`, 'y']))),
    ),
    means: 'wrong',
    says: notHttp,
  },
  {
    fault: 'a header without end',
    react: endless('HTTP/1.1 200 OK\r\nx-endless: ', Buffer.alloc(10_000, 'x')),
    means: 'wrong',
    says: notHttp,
  },
  {
    fault: 'informational answers without end',
    react: endless('', Buffer.from('HTTP/1.1 102 Processing\r\n\r\n'.repeat(100))),
    means: 'wrong',
    says: notHttp,
  },
  {
    fault: 'a thousand informational answers before the good one',
    react: say((seen) =>
      Buffer.concat([Buffer.from('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(1_000)), good(seen)]),
    ),
    means: 'wrong',
    says: notHttp,
  },
  {
    fault: 'one informational answer before the good one',
    react: say((seen) =>
      Buffer.concat([Buffer.from('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'), good(seen)]),
    ),
    means: 'fine',
  },
  {
    fault: '100 that nobody asked for',
    // As with Node's own fetch: it is for requests with Expect, and petstore sends none.
    react: say((seen) => Buffer.concat([Buffer.from('HTTP/1.1 100 Continue\r\n\r\n'), good(seen)])),
    means: 'wrong',
    says: notHttp,
  },
  {
    fault: '101 to another protocol',
    react: say(() =>
      message('101 Switching Protocols', { upgrade: 'websocket', connection: 'upgrade' }, 'x'),
    ),
    means: 'wrong',
    says: notHttp,
  },
];
