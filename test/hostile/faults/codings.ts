import { body, good, message, say, sayAndEnd } from '../answers.ts';
import type { Fault } from '../fault.ts';

const jsonType = { 'content-type': 'application/json' };

const compressions: readonly [fault: string, encoding: string | readonly string[]][] = [
  ['gzip', 'gzip'],
  ['brotli', 'br'],
  ['two encodings in a field', 'identity, gzip'],
  ['two encodings in two fields', ['identity', 'gzip']],
  ['a chain of encodings', Array(500).fill('gzip').join(', ')],
];

/** Bytes that are not the text itself, and ways to send it that are. */
export const codingFaults: readonly Fault[] = [
  ...compressions.map(
    ([fault, encoding]): Fault => ({
      fault,
      react: body('x', { 'content-encoding': encoding }),
      means: 'wrong',
      says: /unexpected response: expected no compression, got a compressed body/,
    }),
  ),
  {
    fault: 'a chain of 5,000 encodings',
    react: body('x', { 'content-encoding': Array(5_000).fill('gzip').join(', ') }),
    means: 'wrong',
    says: /is not valid HTTP/,
  },
  {
    fault: 'gzip as a transfer encoding',
    react: say(() =>
      message('200 OK', { 'transfer-encoding': 'gzip, chunked' }, '3\r\nabc\r\n0\r\n\r\n'),
    ),
    means: 'wrong',
  },
  {
    fault: 'the encoding identity',
    react: say((seen) => good(seen, { 'content-encoding': 'Identity' })),
    means: 'fine',
  },
  {
    fault: 'an end with the connection, the response whole',
    react: sayAndEnd(({ status, good }) => message(`${status} Fine`, jsonType, good)),
    means: 'fine',
  },
  {
    fault: 'chunks of one byte, with trailers',
    react: say(({ status, good }) =>
      message(
        `${status} Fine`,
        { ...jsonType, 'transfer-encoding': 'chunked' },
        `${[...good].map((one) => `1\r\n${one}\r\n`).join('')}0\r\nx-odd: 1\r\n\r\n`,
      ),
    ),
    means: 'fine',
  },
];
