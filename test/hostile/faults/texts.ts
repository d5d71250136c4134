import { type Fields, json, replaced, say, status, withFields, withId } from '../answers.ts';
import { type Fault, faultsOf, type Meaning } from '../fault.ts';
import { canary } from '../invariants.ts';

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

const named = (name: string) => replaced(/"(dog|rabbit|parrot|ferret)"/g, escaped(name));
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

/** Controls are forbidden in headers; all else has to be borne. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: just these are forbidden
const forbidden = /[\u0001-\u0008\u000b\u000c\u000e-\u001f\u007f]/;
const few = ['list', 'create'] as const;

/** One of each kind, for the places that show text as a name, a refusal and a field name do. */
const texts = [
  ['colour and cursor', acting['colour and cursor']],
  ['controls of C1', acting['controls of C1']],
  ['text that runs backwards', acting['text that runs backwards']],
  ['the key', canary],
] as const;

/** Text of the service that acts, hides or betrays, in each place where text is shown. */
export const textFaults: readonly Fault[] = [
  ...Object.entries({ ...acting, ...keyForms }).flatMap(([what, text]) => {
    const doubled = `${escaped(text)}:1,${escaped(text)}:2,"id"`;
    return [
      ...faultsOf('fine', [
        [`${what} in a name`, named(text), undefined, ['list', 'create', 'import', 'limits']],
      ]),
      ...faultsOf('refused', [
        [
          `${what} in a refusal`,
          status(400, JSON.stringify({ code: text, message: text })),
          /the service refused the request \(400 /,
          ['list', 'create', 'rows'],
        ],
      ]),
      ...faultsOf('wrong', [
        [
          `${what} in a field name`,
          replaced('"id"', doubled),
          /duplicate field/,
          ['list', 'create', 'pet'],
        ],
      ]),
    ];
  }),
  ...texts.flatMap(([what, text]) => {
    const field = wire(text);
    const isHttp = !forbidden.test(field);
    const ofField = (expected: Meaning, where: string, fields: Fields, says?: RegExp) =>
      faultsOf(isHttp ? expected : 'wrong', [
        [
          `${what} in ${where}`,
          withFields(fields),
          isHttp ? says : /is not valid HTTP/,
          ['list', 'pet'],
        ],
      ]);
    const failure = JSON.stringify({ code: text, message: text });
    const kept = `${escaped(`_${text}`)}:${escaped(text)},"id"`;
    const moved = status(307, '', { location: field });
    return [
      ...faultsOf('wrong', [[`${what} in an id`, withId(escaped(text)), /id must be/, few]]),
      ...faultsOf('failed', [
        [`${what} in a failure`, status(500, failure), /server error \(500 /, few],
        [
          `${what} in a reason phrase`,
          say(({ good }) => json(`500 ${field}`, good)),
          undefined,
          few,
        ],
      ]),
      ...faultsOf('fine', [
        [`${what} in a kept field`, replaced('"id"', kept), undefined, ['pet', 'orders', 'create']],
      ]),
      ...faultsOf(isHttp ? 'moved' : 'wrong', [[`${what} in a location`, moved, undefined, few]]),
      ...ofField('wrong', 'a content type', { 'content-type': field }, /expected JSON, got/),
      ...ofField('fine', 'dates and limits', {
        date: field,
        sunset: field,
        'x-ratelimit-limit': field,
      }),
    ];
  }),
];

/** The bytes of a text as a header can hold them. */
function wire(text: string): string {
  return Buffer.from(text.replace(/[\0\r\n]/g, ' ')).toString('latin1');
}
