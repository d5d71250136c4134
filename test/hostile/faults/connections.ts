import { endless, good, say, sayAndEnd, sayAndReset } from '../answers.ts';
import type { Fault } from '../fault.ts';
import type { Seen } from '../server.ts';

const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';
const brokenOff = /127\.0\.0\.1:\d+ closed the connection/;
const cutShort =
  /the response from 127\.0\.0\.1:\d+ was cut short \((after \d+|\d+ of \d+) bytes\)/;
const tooSlow = /the request to 127\.0\.0\.1:\d+ timed out after 0\.6s/;

/** The good answer but for its last bytes. */
const most = (seen: Seen) => good(seen).subarray(0, -5);
const byte = Buffer.from('a');

/** Connections that break or stall while the answer is awaited or on its way. */
export const connectionFaults: readonly Fault[] = [
  {
    fault: 'a reason phrase without end',
    // It is not kept, so that only the deadline has to end it.
    react: endless('HTTP/1.1 200 ', Buffer.alloc(10_000, 'x'), 5),
    means: 'slow',
    says: tooSlow,
  },
  {
    fault: 'reset before an answer',
    react: (s) => s.resetAndDestroy(),
    means: 'broken',
    says: brokenOff,
  },
  { fault: 'end before an answer', react: (s) => s.end(), means: 'broken', says: brokenOff },
  {
    fault: 'reset inside the status line',
    react: sayAndReset(() => 'HTTP/1.1 2'),
    means: 'broken',
    says: brokenOff,
  },
  {
    fault: 'end inside the status line',
    react: sayAndEnd(() => 'HTTP/1.1 2'),
    means: 'broken',
    says: brokenOff,
  },
  {
    fault: 'reset inside the headers',
    react: sayAndReset(() => head),
    means: 'broken',
    says: brokenOff,
  },
  { fault: 'end inside the headers', react: sayAndEnd(() => head), means: 'broken' },
  { fault: 'reset inside the body', react: sayAndReset(most), means: 'broken', says: cutShort },
  {
    fault: 'end before the length that was told',
    react: sayAndEnd(most),
    means: 'broken',
    says: cutShort,
  },
  {
    fault: 'end before the length that was told, nothing of it there',
    react: sayAndEnd(() => `${head}content-length: 9\r\n\r\n`),
    means: 'broken',
    says: cutShort,
  },
  {
    fault: 'end inside a chunk',
    react: sayAndEnd(() => `${head}transfer-encoding: chunked\r\n\r\n40\r\n[{"id":1`),
    means: 'broken',
    says: cutShort,
  },
  {
    fault: 'end between chunks',
    react: sayAndEnd(
      ({ good }) =>
        `${head}transfer-encoding: chunked\r\n\r\n${good.length.toString(16)}\r\n${good}\r\n`,
    ),
    means: 'broken',
    says: cutShort,
  },
  {
    fault: 'end before the last chunk is closed',
    react: sayAndEnd(
      ({ good }) =>
        `${head}transfer-encoding: chunked\r\n\r\n${good.length.toString(16)}\r\n${good}\r\n0\r\n`,
    ),
    means: 'broken',
    says: cutShort,
  },
  { fault: 'no answer at all', react: () => {}, means: 'slow', says: tooSlow },
  { fault: 'headers that stall', react: say(() => head), means: 'slow', says: tooSlow },
  {
    fault: 'headers that drip',
    react: endless('HTTP/1.1 200 OK\r\nx-slow: ', byte, 20),
    means: 'slow',
    says: tooSlow,
  },
  { fault: 'a body that stalls', react: say(most), means: 'slow', says: tooSlow },
  {
    fault: 'a body that stalls before its first byte',
    react: say(() => `${head}content-length: 9\r\n\r\n`),
    means: 'slow',
    says: tooSlow,
  },
  {
    fault: 'a body that drips',
    react: endless(`${head}content-length: 99999\r\n\r\n"`, byte, 20),
    means: 'slow',
    says: tooSlow,
  },
  {
    fault: 'a body without a length that drips',
    react: endless(`${head}\r\n"`, byte, 20),
    means: 'slow',
    says: tooSlow,
  },
  {
    fault: 'a chunk that stalls',
    react: say(() => `${head}transfer-encoding: chunked\r\n\r\n40\r\n[`),
    means: 'slow',
    says: tooSlow,
  },
  {
    fault: 'informational answers without end, now and then',
    react: endless('', Buffer.from('HTTP/1.1 103 Early Hints\r\nlink: </>\r\n\r\n'), 100),
    means: 'slow',
    says: tooSlow,
  },
];
