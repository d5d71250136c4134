import {
  body,
  type Fields,
  good,
  json,
  message,
  say,
  sayAndEnd,
  sayAndReset,
  withFields,
} from '../answers.ts';
import { strict } from '../commands.ts';
import { type Fault, faultsOf, saying } from '../fault.ts';
import type { Reaction, Seen } from '../server.ts';

const jsonType = { 'content-type': 'application/json' };
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
const withStatus = (code: number, fields?: Fields) => say(({ good }) => json(code, good, fields));
const unexpected = (code: number) => new RegExp(`expected .*, got ${code}`);
/** The good response, and more bytes behind it. */
const andMore = (more: (seen: Seen) => string | Buffer) =>
  say((seen) => Buffer.concat([good(seen), Buffer.from(more(seen))]));

const notHttp: readonly [fault: string, react: Reaction][] = [
  ['two lengths that differ', withFields({ 'Content-Length': '5' })],
  [
    'two lengths that agree',
    say((seen) => good(seen, { 'Content-Length': String(seen.good.length) })),
  ],
  ['a length and chunks', withFields({ 'transfer-encoding': 'chunked' })],
  ['a length that is no number', withLength('many')],
  ['a length beyond 2^64', withLength('99999999999999999999')],
  ['a chunk whose size is garbage', chunked('zz\r\nGOOD\r\n0\r\n\r\n')],
  ['a chunk longer than its size', chunked('2\r\nGOOD\r\n0\r\n\r\n')],
];

/** The response ends where it says, and its connection is not used again. */
const moreBehind: readonly [fault: string, react: Reaction][] = [
  ['more than the length that was told', andMore(() => '[{"id":2')],
  ['a second response behind the first', andMore(good)],
  ['more behind the last chunk', chunked('SIZE\r\nGOOD\r\n0\r\n\r\n[]')],
];

/** Responses whose length is told in more than one way, or wrongly, and other statuses of success. */
export const framingFaults: readonly Fault[] = [
  ...faultsOf('wrong', notHttp.map(saying(/the response from 127\.0\.0\.1:\d+ is not valid HTTP/))),
  ...faultsOf('fine', moreBehind),
  ...faultsOf('broken', [
    [
      'a reset inside a JSON text that has no length',
      sayAndReset(({ good }) => message('200 OK', jsonType, good.slice(0, 9))),
      /was cut short/,
      reads,
    ],
  ]),
  ...faultsOf('wrong', [
    [
      'an unknown transfer encoding',
      sayAndEnd(({ good }) => message('200 OK', { ...jsonType, 'transfer-encoding': 'cow' }, good)),
      /unexpected response: the body is compressed, which petstore did not request/,
      reads,
    ],
    [
      'half a JSON text, and no length',
      sayAndEnd(({ good }) => message('200 OK', jsonType, good.slice(0, -3))),
      /got invalid JSON/,
      reads,
    ],
    ['204 with nothing', say(() => 'HTTP/1.1 204 No Content\r\n\r\n'), unexpected(204), strict],
    ['206 with a part', withStatus(206, { 'content-range': 'bytes 0-9/100' }), unexpected(206)],
    ['202 in place of the promised status', withStatus(202), unexpected(202), strict],
    ['200 for a create', withStatus(200), undefined, ['create', 'rows']],
    ['201 for a read', withStatus(201), unexpected(201), reads],
  ]),
  ...faultsOf('wrong', [['a status of 600', withStatus(600), unexpected(600)]]).map((fault) => ({
    ...fault,
    tries: 4,
  })),
];
