import { endless, json, message, say, sayAndEnd, status } from '../answers.ts';
import { reading, writing } from '../commands.ts';
import { type Fault, faultsOf, type Meaning } from '../fault.ts';
import type { Reaction, Seen } from '../server.ts';

const codes: Readonly<Record<'refused' | 'forbidden' | 'limited' | 'failed', readonly number[]>> = {
  refused: [400, 404, 407, 409, 413, 418, 422, 451],
  forbidden: [401, 403],
  limited: [429],
  failed: [408, 500, 502, 503, 504, 599],
};
const meanings = Object.entries(codes).flatMap(([expected, all]) =>
  all.map((code) => [code, expected as Meaning] as const),
);

const withError: Fault[] = meanings.map(([code, expected]) => ({
  fault: `${code} with an Error`,
  react: status(code, `{"code":"odd_${code}","message":"it is ${code}","status":"no number"}`),
  expected,
  ...(expected !== 'limited' && { says: new RegExp(`\\(${code} odd_${code}\\): it is ${code}`) }),
}));

const page = '<html><title>\u001b[31mOops</title></html>';
const withPage: Fault[] = meanings.map(([code, expected]) => ({
  fault: `${code} with a page`,
  react: status(code, page, { 'content-type': 'text/html' }),
  expected,
  says: expected === 'limited' ? /rate limit exceeded/ : new RegExp(`\\(${code}\\)`),
}));

const locations: Readonly<Record<string, (seen: Seen) => string>> = {
  'another server': ({ elsewhere }) => `${elsewhere}/v1`,
  'another host': () => '//pets.example/v1',
  'a file': () => 'file:///etc/passwd',
  'what hides': () => 'https://x/\u202egotcha\u200b\u009b',
  'ten thousand letters': () => `https://x/${'y'.repeat(10_000)}`,
  itself: ({ path }) => path,
};
const wire = (text: string) => Buffer.from(text).toString('latin1');
const redirect = (code: number, locate: (seen: Seen) => string) =>
  say((seen) => json(code, '', { location: wire(locate(seen)) }));
const moves = [301, 302, 303, 307, 308].flatMap((code) =>
  Object.entries(locations).flatMap(([where, locate]) => {
    // A write may have been carried out after these.
    const only = code === 302 || code === 303 ? reading : undefined;
    const says = /the service redirects to .*not followed/s;
    return faultsOf('moved', [[`${code} to ${where}`, redirect(code, locate), says, only]]);
  }),
);
const stays = [300, 305, 306, 399].flatMap((code) =>
  faultsOf('moved', [[`${code} to nowhere`, status(code, ''), /redirects to nowhere \(3/]]),
);
const unchanged = faultsOf('wrong', [['304', status(304, ''), /redirects to nowhere \(304/]]);

const seeOther = [302, 303].flatMap((code) => {
  const react = redirect(code, ({ elsewhere }) => `${elsewhere}/v1`);
  return faultsOf('wrong', [[`${code} for a write`, react, undefined, writing]]);
});

const cut = () => message('500 Oops', { 'content-length': '999' }, '{"code":"x","mess');

/** Statuses, and what is odd about their bodies and fields; the error says the status when nothing else is given. */
const withBody: readonly [fault: string, react: Reaction, expected: Meaning, says?: string][] = [
  ['500 whose body is cut', sayAndEnd(cut), 'failed'],
  [
    '500 with a body without end',
    endless('HTTP/1.1 500 Oops\r\n\r\n', Buffer.alloc(65_536, 'x')),
    'failed',
  ],
  [
    '400 in gzip',
    status(400, Buffer.from('1f8b0800', 'hex'), { 'content-encoding': 'gzip' }),
    'refused',
  ],
  [
    '500 with an Error of the wrong types',
    status(500, '{"code":7,"message":["a"],"status":200}'),
    'failed',
  ],
  [
    '400 with an Error of 5 MB',
    status(400, JSON.stringify({ message: 'x'.repeat(5_000_000) })),
    'refused',
  ],
  ['400 with an Error nested 1,000 deep', status(400, '['.repeat(1_000)), 'refused'],
  ['400 with invalid UTF-8', status(400, Buffer.from('{"code":"\xff"}', 'latin1')), 'refused'],
  ['400 whose status line has no reason', status('400', '{}'), 'refused'],
  [
    '404 of a server that has no such path',
    status(404, '<html>', { 'content-type': 'text/html' }),
    'refused',
    '\\(404\\)\\n(.*\\n)?See: petstore config list',
  ],
  [
    '401 with a hundred challenges',
    status(401, '{}', { 'www-authenticate': Array(100).fill('Basic') }),
    'forbidden',
    'PETSTORE_API_KEY and ends in q9~f',
  ],
];

const stalling = [
  ...faultsOf('failed', [['500 whose body stalls', say(cut), undefined, ['create']]]),
  ...faultsOf('forbidden', [
    [
      '401 whose body drips',
      endless('HTTP/1.1 401 No\r\n\r\n', Buffer.from('x'), 20),
      /the API key was rejected \(401\)/,
      ['list', 'create'],
    ],
  ]),
].map((fault) => ({ ...fault, timeout: 3_000 }));

/** Statuses other than the promised one. */
export const statusFaults: readonly Fault[] = [
  ...withError,
  ...withPage,
  ...moves,
  ...seeOther,
  ...stays,
  ...unchanged,
  ...stalling,
  ...withBody.flatMap(([fault, react, expected, says = `\\(${fault.slice(0, 3)}\\)`]) =>
    faultsOf(expected, [[fault, react, new RegExp(says)]]),
  ),
];
