import { json, say } from '../answers.ts';
import type { Fault } from '../fault.ts';
import type { Reaction } from '../server.ts';

const lists = ['list', 'get', 'import', 'limits'] as const;
const creates = ['create', 'rows'] as const;

/** The good response with another text in the place of a part. */
const replaced = (part: string | RegExp, text: string): Reaction =>
  say(({ status, good }) => json(status, good.replace(part, text)));

const noInt64: readonly [fault: string, id: string][] = [
  ['an id beyond int64', '9223372036854775808'],
  ['an id below int64', '-9223372036854775809'],
  ['an id with a fraction', '1.5'],
  ['an id with a fraction of zero', '1.0'],
  ['an id with an exponent', '1e3'],
  ['an id of minus zero', '-0'],
  ['an id of words', '"seven"'],
  ['an id of other digits', '"\u0661"'],
  ['an id of null', 'null'],
  ['an id of a million digits', '1'.repeat(1_000_000)],
];

const faults: readonly (readonly [fault: string, react: Reaction, says: RegExp])[] = [
  ...noInt64.map(
    ([fault, id]) =>
      [fault, replaced(/"id":\d+/, `"id":${id}`), /must be a 64-bit integer/] as const,
  ),
  ['no id', replaced('"id"', '"key"'), /id is missing/],
  ['no name', replaced('"name"', '"title"'), /name is missing/],
  ['an id only in the prototype', replaced(/"id":\d+/, '"__proto__":{"id":1}'), /id is missing/],
  [
    'a name of the wrong type',
    replaced(/"name":"\w+"/, '"name":["dog"]'),
    /name must be a string, not an array/,
  ],
  [
    'a description of null',
    replaced(/"name":"\w+"(,"description":"Loyal")?/, '"name":"dog","description":null'),
    /description must be a string, not null/,
  ],
];

/** Categories that lack what the interface promises of them. */
export const recordFaults: readonly Fault[] = faults.map(([fault, react, says]) => ({
  fault,
  react,
  means: 'wrong',
  only: [...lists, ...creates],
  says,
}));
