import { body, message, say, sayAndEnd, withFields } from '../answers.ts';
import { type Fault, faultsOf } from '../fault.ts';

const jsonType = { 'content-type': 'application/json' };
const encoded = (encoding: string | readonly string[]) =>
  body('x', { 'content-encoding': encoding });
const compressed = /unexpected response: the body is compressed, which petstore did not request/;

/** Bytes that are not the text itself, and ways to send it that are. */
export const codingFaults: readonly Fault[] = [
  ...faultsOf('wrong', [
    ['gzip', encoded('gzip'), compressed],
    ['two encodings in two fields', encoded(['identity', 'gzip']), compressed],
    [
      'a chain of 5,000 encodings',
      encoded(Array(5_000).fill('gzip').join(', ')),
      /is not valid HTTP/,
    ],
    [
      'gzip as a transfer encoding',
      say(() =>
        message('200 OK', { 'transfer-encoding': 'gzip, chunked' }, '3\r\nabc\r\n0\r\n\r\n'),
      ),
    ],
  ]),
  ...faultsOf('fine', [
    ['the encoding identity', withFields({ 'content-encoding': 'Identity' })],
    [
      'an end with the connection, the response whole',
      sayAndEnd(({ status, good }) => message(`${status} Fine`, jsonType, good)),
    ],
    [
      'chunks of one byte, with trailers',
      say(({ status, good }) =>
        message(
          `${status} Fine`,
          { ...jsonType, 'transfer-encoding': 'chunked' },
          `${[...good].map((one) => `1\r\n${one}\r\n`).join('')}0\r\nx-odd: 1\r\n\r\n`,
        ),
      ),
    ],
  ]),
];
