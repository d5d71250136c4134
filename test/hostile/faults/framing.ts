import { body, good, json, message, say, sayAndEnd, sayAndReset } from '../answers.ts';
import { strict } from '../commands.ts';
import type { Fault } from '../fault.ts';

const jsonType = { 'content-type': 'application/json' };
const notHttp = /the response from 127\.0\.0\.1:\d+ is not valid HTTP/;
const compressed = /unexpected response: expected no compression, got a compressed body/;
const reads = ['list', 'import', 'pet', 'orders', 'limits'] as const;
const chunked = (seen: { good: string }, chunks: string) =>
  message(
    '200 OK',
    { ...jsonType, 'transfer-encoding': 'chunked' },
    chunks.replace('GOOD', seen.good),
  );

/** Answers whose length is told in more than one way, or wrongly, and other statuses of success. */
export const framingFaults: readonly Fault[] = [
  {
    fault: 'two lengths that differ',
    react: say((seen) => good(seen, { 'Content-Length': '5' })),
    means: 'wrong',
    says: notHttp,
  },
  {
    fault: 'two lengths that agree',
    react: say((seen) => good(seen, { 'Content-Length': String(seen.good.length) })),
    means: 'wrong',
    says: notHttp,
  },
  {
    fault: 'a length and chunks',
    react: say((seen) => good(seen, { 'transfer-encoding': 'chunked' })),
    means: 'wrong',
    says: notHttp,
  },
  {
    fault: 'a negative length',
    react: body('[]', { 'content-length': '-5' }),
    means: 'wrong',
    says: notHttp,
  },
  {
    fault: 'a length that is no number',
    react: body('[]', { 'content-length': 'many' }),
    means: 'wrong',
    says: notHttp,
  },
  {
    fault: 'a length beyond 2^64',
    react: body('[]', { 'content-length': '99999999999999999999' }),
    means: 'wrong',
    says: notHttp,
  },
  {
    fault: 'more than the length that was told',
    react: say((seen) => Buffer.concat([good(seen), Buffer.from('[{"id":2')])),
    means: 'wrong',
    says: notHttp,
  },
  {
    fault: 'a second answer behind the first',
    react: say((seen) => Buffer.concat([good(seen), good(seen)])),
    means: 'wrong',
    says: notHttp,
  },
  {
    fault: 'a chunk whose size is garbage',
    react: say((seen) => chunked(seen, 'zz\r\nGOOD\r\n0\r\n\r\n')),
    means: 'wrong',
    says: notHttp,
  },
  {
    fault: 'a chunk longer than its size',
    react: say((seen) => chunked(seen, '2\r\nGOOD\r\n0\r\n\r\n')),
    means: 'wrong',
    says: notHttp,
  },
  {
    fault: 'a chunk size beyond 2^64',
    react: say((seen) => chunked(seen, 'ffffffffffffffffff\r\nGOOD')),
    means: 'wrong',
    says: notHttp,
  },
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
    says: /was cut short \(after 9 bytes\)/,
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
  {
    fault: 'a status of 999',
    react: say((seen) => json('999 Whatever', seen.good)),
    means: 'wrong',
    says: /unexpected response \(999/,
    tries: 4,
  },
  {
    fault: 'a status of 600',
    react: say((seen) => json('600 Whatever', seen.good)),
    means: 'wrong',
    says: /unexpected response \(600/,
    tries: 4,
  },
];
