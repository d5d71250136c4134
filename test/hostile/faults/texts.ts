import { good, json, say, status } from '../answers.ts';
import type { Fault } from '../fault.ts';
import { canary } from '../invariants.ts';
import type { Seen } from '../server.ts';

const acting = {
  'colour and cursor': '\u001b[31m\u001b[2J\u001b[H',
  'a title and the clipboard':
    '\u001b]0;gotcha\u0007\u001b]52;c;Z290Y2hh\u0007\u001b]8;;file:///\u0007',
  'a device string': '\u001bP$q"p\u001b\\',
  'controls of C0': '\u0000\u0007\b\t\v\f\r\u000e\u007f',
  'lines that forge a row': 'dog\n│ 9  │ cat │\r\n2 x',
  'controls of C1': '\u0080\u0085\u009b31m\u009d0;x\u009c',
  'text that runs backwards': '\u202egod\u202c\u2066x\u2069\u200f\u061c',
  'what has no width': 'd\u200bo\u200cg\u2060\ufeff\u00ad\u034f',
  'separators of lines': 'a\u2028b\u2029c',
  'half a surrogate pair': '\ud83dx',
  'tags and fillers': '\u{e0041}\u3164\u115f\ufe0f',
};

const named = (name: string) => (seen: Seen) =>
  json(seen.status, `${seen.good.replace(/"(dog|rabbit|parrot|ferret)"/g, () => escaped(name))}`);
/** As a service sends it: as it is, but for what JSON forbids. */
const escaped = (text: string) => JSON.stringify(text);

const keyForms: Readonly<Record<string, string>> = {
  'the key': canary,
  'the key as a header': `Authorization: Bearer ${canary}`,
  'the key in Base64': Buffer.from(canary).toString('base64'),
  'the key in Base64 behind a user': Buffer.from(`user:${canary}`).toString('base64'),
  'the key in Base64 behind its scheme': Buffer.from(`Bearer ${canary}`).toString('base64'),
  'the key in Base64 for URLs': Buffer.from(`ab${canary}cd`).toString('base64url'),
  'the key in a URL': `https://x/?key=${encodeURIComponent(canary)}`,
  'the key in a URL in small letters': encodeURIComponent(canary).replace(/%../g, (hex) =>
    hex.toLowerCase(),
  ),
};

const replaced = (part: string | RegExp, text: string) =>
  say(({ status, good }) =>
    json(
      status,
      good.replace(part, () => text),
    ),
  );

/** Controls are forbidden in headers; all else has to be borne. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: just these are forbidden
const forbidden = /[\u0001-\u0008\u000b\u000c\u000e-\u001f\u007f]/;
const notHttp = { means: 'wrong', says: /is not valid HTTP/ } as const;

/** One of each kind, for the places that show text as a name, a refusal and a field name do. */
const texts = [
  ['colour and cursor', acting['colour and cursor']],
  ['controls of C1', acting['controls of C1']],
  ['text that runs backwards', acting['text that runs backwards']],
  ['the key', canary],
] as const;

/** Text of the service that acts, hides or betrays, in each place where text is shown. */
export const textFaults: readonly Fault[] = [
  ...Object.entries({ ...acting, ...keyForms }).flatMap(([what, text]): Fault[] => [
    {
      fault: `${what} in a name`,
      react: say(named(text)),
      means: 'fine',
      only: ['list', 'create', 'import', 'limits'],
    },
    {
      fault: `${what} in a refusal`,
      react: status(400, JSON.stringify({ code: text, message: text })),
      means: 'refused',
      says: /the service refused the request \(400 /,
      only: ['list', 'create', 'rows'],
    },
    {
      fault: `${what} in a field name`,
      react: replaced('"id"', `${escaped(text)}:1,${escaped(text)}:2,"id"`),
      means: 'wrong',
      says: /duplicate field/,
      only: ['list', 'create', 'pet'],
    },
  ]),
  ...texts.flatMap(([what, text]): Fault[] => {
    const field = wire(text);
    const orNotHttp = (fault: Pick<Fault, 'means' | 'says'>) =>
      forbidden.test(field) ? notHttp : fault;
    return [
      {
        fault: `${what} in an id`,
        react: replaced(/"id":\d+/, `"id":${escaped(text)}`),
        means: 'wrong',
        says: /id must be/,
        only: ['list', 'create'],
      },
      {
        fault: `${what} in a failure`,
        react: status(500, JSON.stringify({ code: text, message: text })),
        means: 'failed',
        says: /server error \(500 /,
        only: ['list', 'create'],
      },
      {
        fault: `${what} in a field that is kept`,
        react: replaced('"id"', `${escaped(`_${text}`)}:${escaped(text)},"id"`),
        means: 'fine',
        only: ['pet', 'orders', 'create'],
      },
      {
        fault: `${what} in a location`,
        react: status(307, '', { location: field }),
        ...orNotHttp({ means: 'moved' }),
        only: ['list', 'create'],
      },
      {
        fault: `${what} in a content type`,
        react: say(({ status, good }) => json(status, good, { 'content-type': field })),
        ...orNotHttp({ means: 'wrong', says: /expected JSON, got/ }),
        only: ['list', 'create'],
      },
      {
        fault: `${what} in a reason phrase`,
        react: say(({ good }) => json(`500 ${field}`, good)),
        means: 'failed',
        only: ['list', 'create'],
      },
      {
        fault: `${what} in the date, the sunset and the limit`,
        react: say((seen) =>
          good(seen, { date: field, sunset: field, 'x-ratelimit-limit': field }),
        ),
        ...orNotHttp({ means: 'fine' }),
        only: ['list', 'pet'],
      },
    ];
  }),
];

/** The bytes of a text as a header can hold them. */
function wire(text: string): string {
  return Buffer.from(text.replace(/[\0\r\n]/g, ' ')).toString('latin1');
}
