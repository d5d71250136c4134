import { changed, good, replaced, sayAndEnd, status, withFields, withId } from '../answers.ts';
import { type Fault, faultsOf } from '../fault.ts';

/** What Retry-After says, and whether that is a wait: what cannot be read is one minute. */
const retryAfters: Readonly<Record<string, boolean>> = {
  '': false,
  '0': true,
  '-5': false,
  '1e9': true,
  soon: true,
  '999999999999999999999': true,
  'Fri, 31 Dec 9999 23:59:59 GMT': true,
  'Sun, 06 Nov 1994 08:49:37 GMT': true,
  'Thu, 31 Feb 2099 00:00:00 GMT': true,
  '1, 99999': true,
  '\u009b31m': true,
};

const limits: Readonly<Record<string, [limit: string, remaining: string, reset: string]>> = {
  'no numbers': ['many', 'some', 'soon'],
  negative: ['-60', '-1', '-5'],
  'beyond 2^64': ['99999999999999999999', '99999999999999999999', '99999999999999999999'],
  'in the year 9999': ['60', '59', '253402300799'],
  'long past': ['60', '0', '1'],
  'in milliseconds': ['60', '59', '1800000000000000'],
  'more left than there is': ['60', '1000', '30'],
  'a limit of zero': ['0', '5', '30'],
  fractions: ['60.5', '59.5', '30.5'],
};

const one = ['list', 'create', 'pet', 'orders', 'limits'] as const;
const numbers = ['list', 'create', 'limits'] as const;
const odd = '"legs":4.0,"constructor":{"prototype":1},"__proto__":{"a":1},"id"';

/** What is strange, and how it ends all the same. */
export const strangeFaults: readonly Fault[] = [
  ...faultsOf('fine', [
    ['a byte order mark', changed((good) => `\ufeff${good}`)],
    ['fields that the document does not name', replaced('"id"', odd)],
    ['an id beyond 2^53', withId('9007199254740993'), undefined, one],
    ['the last id of int64', withId('9223372036854775807'), undefined, one],
    ['the first id of int64', withId('-9223372036854775808'), undefined, one],
    ['a name of 900 KB', replaced(/dog|rabbit/, 'x'.repeat(900_000)), undefined, numbers],
    [
      'a name that the service changed',
      replaced('rabbit', ' Rabbit '),
      /the service changed the name to/,
      ['create'],
    ],
    ['no content type', withFields({ 'content-type': [] })],
    ['a character set', withFields({ 'content-type': 'Application/JSON ; charset="utf-8"' })],
    ['a connection that closes', sayAndEnd((seen) => good(seen, { connection: 'close' }))],
    ['a connection that closes without a word', sayAndEnd((seen) => good(seen))],
    ['a wish to be kept for ever', withFields({ 'keep-alive': 'timeout=99999999999' })],
    ['cookies', withFields({ 'set-cookie': ['a=1', 'b=2'] })],
    ...Object.entries(limits).map(([what, [limit, remaining, reset]]) => {
      const fields = {
        'x-ratelimit-limit': limit,
        'x-ratelimit-remaining': remaining,
        'x-ratelimit-reset': reset,
      };
      return [`a limit that is ${what}`, withFields(fields), undefined, one] as const;
    }),
  ]),
  ...Object.entries(retryAfters).flatMap(([value, isWait]) => {
    const fields = { 'retry-after': Buffer.from(value).toString('latin1') };
    const unavailable = status(503, '', fields);
    const failed = /server error \(503/;
    const ofList = `503 that says "${value}", to a list`;
    return [
      ...faultsOf('limited', [
        [`429 that says "${value}"`, status(429, '{}', fields), /rate limit exceeded/],
      ]),
      ...faultsOf('failed', [
        [`503 that says "${value}", to a create`, unavailable, failed, ['create']],
      ]),
      ...(isWait
        ? faultsOf('limited', [[ofList, unavailable, /the service is unavailable/, ['list']]])
        : faultsOf('failed', [[ofList, unavailable, failed, ['list']]])),
    ];
  }),
];
