import { endless, good, say, sayAndEnd, sayAndReset } from '../answers.ts';
import { type Fault, faultsOf, saying } from '../fault.ts';
import type { Reaction, Seen } from '../server.ts';

const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';
const chunked = `${head}transfer-encoding: chunked\r\n\r\n`;
const partly = '[{"id"';

/** The good response but for its last bytes. */
const most = (seen: Seen) => good(seen).subarray(0, -5);
const chunkOf = ({ good }: Seen) => `${good.length.toString(16)}\r\n${good}\r\n`;

const brokenOff: readonly [fault: string, react: Reaction][] = [
  ['reset before a response', (socket) => socket.resetAndDestroy()],
  ['end before a response', (socket) => void socket.end()],
  ['reset inside the status line', sayAndReset(() => 'HTTP/1.1 2')],
  ['end inside the status line', sayAndEnd(() => 'HTTP/1.1 2')],
  ['reset inside the headers', sayAndReset(() => head)],
];

const cutShort: readonly [fault: string, react: Reaction][] = [
  ['reset inside the body', sayAndReset(most)],
  ['end before the length that was told', sayAndEnd(most)],
  [
    'end before the length, nothing of it there',
    sayAndEnd(() => `${head}content-length: 9\r\n\r\n`),
  ],
  ['end inside a chunk', sayAndEnd(() => `${chunked}40\r\n${partly}`)],
  ['end before the last chunk is closed', sayAndEnd((seen) => `${chunked}${chunkOf(seen)}0\r\n`)],
];

const byte = Buffer.from('a');
const tooSlow: readonly [fault: string, react: Reaction][] = [
  // It is not kept, so that only the deadline has to end it.
  ['a reason phrase without end', endless('HTTP/1.1 200 ', Buffer.alloc(10_000, 'x'), 5)],
  ['no response at all', () => {}],
  ['headers that stall', say(() => head)],
  ['headers that drip', endless('HTTP/1.1 200 OK\r\nx-slow: ', byte, 20)],
  ['a body that stalls', say(most)],
  ['a body that drips', endless(`${head}content-length: 99999\r\n\r\n"`, byte, 20)],
  [
    'a flood of informational responses without end',
    endless('', Buffer.from('HTTP/1.1 102 Processing\r\n\r\n'.repeat(100))),
  ],
];

/** Connections that break or stall while the response is awaited or on its way. */
export const connectionFaults: readonly Fault[] = [
  ...faultsOf('broken', brokenOff.map(saying(/127\.0\.0\.1:\d+ closed the connection/))),
  ...faultsOf('broken', [['end inside the headers', sayAndEnd(() => head)]]),
  ...faultsOf('broken', cutShort.map(saying(/the response from 127\.0\.0\.1:\d+ was cut short/))),
  ...faultsOf('slow', tooSlow.map(saying(/the request to 127\.0\.0\.1:\d+ timed out after 0\.6s/))),
];
