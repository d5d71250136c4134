import { body, good, json, message, say, sayAndEnd, sayAndReset } from '../answers.ts';
import { strict } from '../commands.ts';
import type { Fault } from '../fault.ts';
import type { Reaction, Seen } from '../server.ts';

const jsonType = { 'content-type': 'application/json' };
const compressed = /unexpected response: expected no compression, got a compressed body/;
const reads = ['list', 'import', 'pet', 'orders', 'limits'] as const;
const chunked = (chunks: string) =>
  say((seen) =>
    message(
      `${seen.status} OK`,
      { ...jsonType, 'transfer-encoding': 'chunked' },
      chunks.replace('GOOD', seen.good).replace('SIZE', seen.good.length.toString(16)),
    ),
  );
const withLength = (length: string) => body('[]', { 'content-length': length });
/** The good response, and more bytes behind it. */
const andMore = (more: (seen: Seen) => string | Buffer) =>
  say((seen) => Buffer.concat([good(seen), Buffer.from(more(seen))]));

const notHttp: readonly [fault: string, react: Reaction][] = [
  ['two lengths that differ', say((seen) => good(seen, { 'Content-Length': '5' }))],
  [
    'two lengths that agree',
    say((seen) => good(seen, { 'Content-Length': String(seen.good.length) })),
  ],
  ['a length and chunks', say((seen) => good(seen, { 'transfer-encoding': 'chunked' }))],
  ['a negative length', withLength('-5')],
  ['a length that is no number', withLength('many')],
  ['a length beyond 2^64', withLength('99999999999999999999')],
  ['a chunk whose size is garbage', chunked('zz\r\nGOOD\r\n0\r\n\r\n')],
  ['a chunk longer than its size', chunked('2\r\nGOOD\r\n0\r\n\r\n')],
  ['a chunk size beyond 2^64', chunked('ffffffffffffffffff\r\nGOOD')],
];

/** The response ends where it says, and its connection is not used again. */
const moreBehind: readonly [fault: string, react: Reaction][] = [
  ['more than the length that was told', andMore(() => '[{"id":2')],
  ['a second response behind the first', andMore(good)],
  ['more behind the last chunk', chunked('SIZE\r\nGOOD\r\n0\r\n\r\n[]')],
];

/** Responses whose length is told in more than one way, or wrongly, and other statuses of success. */
export const framingFaults: readonly Fault[] = [
  ...notHttp.map(
    ([fault, react]): Fault => ({
      fault,
      react,
      means: 'wrong',
      says: /the response from 127\.0\.0\.1:\d+ is not valid HTTP/,
    }),
  ),
  ...moreBehind.map(([fault, react]): Fault => ({ fault, react, means: 'fine' })),
  {
    fault: 'an unknown transfer encoding',
    react: sayAndEnd(({ good }) =>
      message('200 OK', { ...jsonType, 'transfer-encoding': 'cow' }, good),
    ),
    means: 'wrong',
    only: reads,
    says: compressed,
  },
  {
    fault: 'half a JSON text, and no length',
    react: sayAndEnd(({ good }) => message('200 OK', jsonType, good.slice(0, -3))),
    means: 'wrong',
    only: reads,
    says: /got invalid JSON/,
  },
  {
    fault: 'a reset inside a JSON text that has no length',
    react: sayAndReset(({ good }) => message('200 OK', jsonType, good.slice(0, 9))),
    means: 'broken',
    only: reads,
    says: /was cut short/,
  },
  {
    fault: '204 with nothing',
    react: say(() => 'HTTP/1.1 204 No Content\r\n\r\n'),
    means: 'wrong',
    says: /unexpected response \(204/,
    only: strict,
  },
  {
    fault: '205',
    react: say(() => 'HTTP/1.1 205 Reset Content\r\ncontent-length: 0\r\n\r\n'),
    means: 'wrong',
    says: /unexpected response \(205/,
    only: strict,
  },
  {
    fault: '206 with a part',
    react: say((seen) => json(206, seen.good, { 'content-range': 'bytes 0-9/100' })),
    means: 'wrong',
    says: /unexpected response \(206/,
  },
  {
    fault: '202 in place of the promised status',
    react: say((seen) => json(202, seen.good)),
    means: 'wrong',
    says: /unexpected response \(202/,
    only: strict,
  },
  {
    fault: '200 for a create',
    react: say((seen) => json(200, seen.good)),
    means: 'wrong',
    only: ['create', 'rows'],
  },
  {
    fault: '201 for a read',
    react: say((seen) => json(201, seen.good)),
    means: 'wrong',
    only: reads,
    says: /unexpected response \(201/,
  },
  ...[600, 999].map(
    (code): Fault => ({
      fault: `a status of ${code}`,
      react: say((seen) => json(code, seen.good)),
      means: 'wrong',
      says: new RegExp(`unexpected response \\(${code}`),
      tries: 4,
    }),
  ),
];
