import { endless, json, message, say, sayAndEnd, status } from '../answers.ts';
import { reading, writing } from '../commands.ts';
import type { Fault, Meaning } from '../fault.ts';
import type { Seen } from '../server.ts';

const meanings: Readonly<Record<number, Meaning>> = {
  400: 'refused',
  401: 'forbidden',
  402: 'refused',
  403: 'forbidden',
  404: 'refused',
  405: 'refused',
  407: 'refused',
  408: 'failed',
  409: 'refused',
  410: 'refused',
  413: 'refused',
  418: 'refused',
  422: 'refused',
  425: 'refused',
  429: 'limited',
  451: 'refused',
  500: 'failed',
  501: 'failed',
  502: 'failed',
  503: 'failed',
  504: 'failed',
  507: 'failed',
  599: 'failed',
};

const withError: Fault[] = Object.entries(meanings).map(([code, means]) => ({
  fault: `${code} with an Error`,
  react: status(
    Number(code),
    `{"code":"odd_${code}","message":"it is ${code}","status":"no number"}`,
  ),
  means,
  ...(means !== 'limited' && { says: new RegExp(`\\(${code} odd_${code}\\): it is ${code}`) }),
}));

const page = '<html><title>\u001b[31mOops</title></html>';
const withPage: Fault[] = Object.entries(meanings).map(([code, means]) => ({
  fault: `${code} with a page`,
  react: status(Number(code), page, { 'content-type': 'text/html' }),
  means,
  says: new RegExp(`\\(${code}\\)`),
}));

const locations: Readonly<Record<string, (seen: Seen) => string>> = {
  'another server': ({ elsewhere }) => `${elsewhere}/v1`,
  'another path': () => '/v2/categories',
  'plain http on another host': () => 'http://pets.example/v1',
  'another host': () => '//pets.example/v1',
  'a file': () => 'file:///etc/passwd',
  'a script': () => 'javascript:alert(1)',
  'what hides': () => 'https://x/\u202egotcha\u200b\u009b',
  'ten thousand letters': () => `https://x/${'y'.repeat(10_000)}`,
  itself: ({ path }) => path,
};
const wire = (text: string) => Buffer.from(text).toString('latin1');
const moves: Fault[] = [301, 302, 303, 307, 308].flatMap((code) =>
  Object.entries(locations).map(([where, locate]) => ({
    fault: `${code} to ${where}`,
    react: say((seen) => json(code, '', { location: wire(locate(seen)) })),
    means: 'moved' as const,
    says: /the service redirects to .*not followed/s,
    // A write may have been carried out then.
    ...((code === 302 || code === 303) && { only: reading }),
  })),
);
const stays: Fault[] = [300, 304, 305, 306, 399].map((code) => ({
  fault: `${code} to nowhere`,
  react: status(code, ''),
  means: 'moved',
  says: /the service redirects to elsewhere \(3/,
}));

const seeOther: Fault[] = [302, 303].flatMap((code) =>
  Object.entries(locations).map(([where, locate]) => ({
    fault: `${code} to ${where}, for a write`,
    react: say((seen) => json(code, '', { location: wire(locate(seen)) })),
    means: 'wrong' as const,
    only: writing,
  })),
);

/** Statuses other than the promised one. */
export const statusFaults: readonly Fault[] = [
  ...withError,
  ...withPage,
  ...moves,
  ...seeOther,
  ...stays,
  {
    fault: '500 whose body is cut',
    react: sayAndEnd(() => message('500 Oops', { 'content-length': '999' }, '{"code":"x","mess')),
    means: 'failed',
    says: /\(500\)/,
  },
  {
    fault: '400 whose body is cut',
    react: sayAndEnd(() => message('400 Oops', { 'content-length': '999' }, '{"code":"x","mess')),
    means: 'refused',
    says: /\(400\)/,
  },
  {
    fault: '500 whose body stalls',
    react: say(() => message('500 Oops', { 'content-length': '999' }, '{"code":"x","mess')),
    means: 'failed',
    timeout: 3_000,
    only: ['create'],
  },
  {
    fault: '401 whose body drips',
    react: endless('HTTP/1.1 401 No\r\n\r\n', Buffer.from('x'), 20),
    means: 'forbidden',
    timeout: 3_000,
    only: ['list', 'create'],
    says: /the API key was rejected \(401\)/,
  },
  {
    fault: '400 with a body without end',
    react: endless('HTTP/1.1 400 No\r\n\r\n', Buffer.alloc(65_536, 'x')),
    means: 'refused',
    says: /\(400\)/,
  },
  {
    fault: '500 with a body without end',
    react: endless('HTTP/1.1 500 Oops\r\n\r\n', Buffer.alloc(65_536, 'x')),
    means: 'failed',
    says: /\(500\)/,
  },
  {
    fault: '400 in gzip',
    react: status(400, Buffer.from('1f8b0800', 'hex'), { 'content-encoding': 'gzip' }),
    means: 'refused',
    says: /\(400\)/,
  },
  {
    fault: '500 with an Error of the wrong types',
    react: status(500, '{"code":7,"message":["a"],"status":200}'),
    means: 'failed',
    says: /\(500\)/,
  },
  {
    fault: '400 with an Error of 5 MB',
    react: status(400, JSON.stringify({ message: 'x'.repeat(5_000_000) })),
    means: 'refused',
    says: /\(400\)/,
  },
  {
    fault: '400 with an Error nested 1,000 deep',
    react: status(400, '['.repeat(1_000)),
    means: 'refused',
    says: /\(400\)/,
  },
  {
    fault: '400 with invalid UTF-8',
    react: status(400, Buffer.from('{"code":"\xff"}', 'latin1')),
    means: 'refused',
    says: /\(400\)/,
  },
  {
    fault: '400 whose status line has no reason',
    react: status('400', '{}'),
    means: 'refused',
    says: /\(400\)/,
  },
  {
    fault: '404 of a server that has no such path',
    react: status(404, '<html>', { 'content-type': 'text/html' }),
    means: 'refused',
    says: /\(404\)\n(.*\n)?Check the base URL, which must include the version prefix/,
  },
  {
    fault: '401 with a challenge',
    react: status(401, '{}', { 'www-authenticate': 'Basic realm="\u009b2J"' }),
    means: 'forbidden',
    says: /the API key was rejected \(401\)/,
  },
  {
    fault: '401 with a hundred challenges',
    react: status(401, '{}', { 'www-authenticate': Array(100).fill('Basic') }),
    means: 'forbidden',
    says: /PETSTORE_API_KEY and ends in q9~f/,
  },
];
