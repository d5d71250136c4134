import { good, json, say, sayAndEnd, status } from '../answers.ts';
import type { Fault } from '../fault.ts';

const id = (text: string) =>
  say(({ status, good }) => json(status, good.replace(/"id":\d+/, `"id":${text}`)));

/** What Retry-After says, and whether that is a wait. */
const retryAfters: Readonly<Record<string, boolean>> = {
  '': false,
  '0': true,
  '-5': false,
  '1e9': false,
  soon: false,
  NaN: false,
  '999999999999999999999': true,
  '99999999': true,
  '0.0000001': true,
  'Fri, 31 Dec 9999 23:59:59 GMT': true,
  'Sun, 06 Nov 1994 08:49:37 GMT': true,
  'Thu, 31 Feb 2099 00:00:00 GMT': false,
  '1, 99999': true,
  '\u009b31m': false,
};

const limits: Readonly<Record<string, [limit: string, remaining: string, reset: string]>> = {
  'no numbers': ['many', 'some', 'soon'],
  negative: ['-60', '-1', '-5'],
  'NaN and infinite': ['NaN', 'Infinity', '-Infinity'],
  'beyond 2^64': ['99999999999999999999', '99999999999999999999', '99999999999999999999'],
  'in the year 9999': ['60', '59', '253402300799'],
  'long past': ['60', '0', '1'],
  'in milliseconds': ['60', '59', '1800000000000000'],
  'more left than there is': ['60', '1000', '30'],
  'a limit of zero': ['0', '5', '30'],
  fractions: ['60.5', '59.5', '30.5'],
};

/** What is strange, and how it ends all the same. */
export const strangeFaults: readonly Fault[] = [
  {
    fault: 'a byte order mark',
    react: say(({ status, good }) => json(status, `\ufeff${good}`)),
    means: 'fine',
  },
  {
    fault: 'fields that the document does not name',
    react: say(({ status, good }) =>
      json(
        status,
        good.replace('"id"', '"legs":4.0,"constructor":{"prototype":1},"__proto__":{"a":1},"id"'),
      ),
    ),
    means: 'fine',
  },
  { fault: 'an id of text', react: id('"7"'), means: 'fine', only: ['list', 'create', 'limits'] },
  {
    fault: 'an id beyond 2^53',
    react: id('9007199254740993'),
    means: 'fine',
    only: ['list', 'create', 'pet', 'orders', 'limits'],
  },
  {
    fault: 'the last id of int64',
    react: id('9223372036854775807'),
    means: 'fine',
    only: ['list', 'create', 'pet', 'orders', 'limits'],
  },
  {
    fault: 'the first id of int64',
    react: id('-9223372036854775808'),
    means: 'fine',
    only: ['list', 'create', 'pet', 'orders', 'limits'],
  },
  {
    fault: 'a name of 900 KB',
    react: say(({ status, good }) => json(status, good.replace(/dog|rabbit/, 'x'.repeat(900_000)))),
    means: 'fine',
    only: ['list', 'create', 'pet', 'limits'],
  },
  {
    fault: 'a name that the service changed',
    react: say(({ status, good }) => json(status, good.replace('rabbit', ' Rabbit '))),
    means: 'fine',
    only: ['create'],
    says: /the service changed the name to/,
  },
  {
    fault: 'no content type',
    react: say(({ status, good }) => json(status, good, { 'content-type': [] })),
    means: 'fine',
  },
  {
    fault: 'a content type with a character set',
    react: say((seen) => good(seen, { 'content-type': 'Application/JSON ; charset="utf-8"' })),
    means: 'fine',
  },
  {
    fault: 'a connection that closes',
    react: (socket, seen) => void socket.end(good(seen, { connection: 'close' })),
    means: 'fine',
  },
  {
    fault: 'a connection that closes without a word',
    react: sayAndEnd((seen) => good(seen)),
    means: 'fine',
  },
  {
    fault: 'a wish to be kept alive for ever',
    react: say((seen) => good(seen, { 'keep-alive': 'timeout=99999999999' })),
    means: 'fine',
  },
  {
    fault: 'cookies',
    react: say((seen) => good(seen, { 'set-cookie': ['a=1', 'b=2'] })),
    means: 'fine',
  },
  ...Object.entries(retryAfters).flatMap(([value, told]): Fault[] => [
    {
      fault: `429 that says "${value}"`,
      react: status(429, '{}', { 'retry-after': Buffer.from(value).toString('latin1') }),
      means: 'limited',
      says: /rate limit exceeded \(429\)/,
    },
    {
      fault: `503 that says "${value}", to a create`,
      react: status(503, '', { 'retry-after': Buffer.from(value).toString('latin1') }),
      means: 'failed',
      says: /server error \(503/,
      only: ['create'],
    },
    {
      fault: `503 that says "${value}", to a list`,
      react: status(503, '', { 'retry-after': Buffer.from(value).toString('latin1') }),
      ...(told
        ? { means: 'limited', says: /the service is unavailable \(503\)/, tries: 1 }
        : { means: 'failed', says: /server error \(503/, tries: 4 }),
      only: ['list'],
    },
  ]),
  ...Object.entries(limits).map(
    ([what, [limit, remaining, reset]]): Fault => ({
      fault: `a limit that is ${what}`,
      react: say((seen) =>
        good(seen, {
          'x-ratelimit-limit': limit,
          'x-ratelimit-remaining': remaining,
          'x-ratelimit-reset': reset,
        }),
      ),
      means: 'fine',
      only: ['list', 'create', 'pet', 'orders', 'limits'],
    }),
  ),
];
