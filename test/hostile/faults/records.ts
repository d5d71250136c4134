import { replaced, withId } from '../answers.ts';
import { faultsOf } from '../fault.ts';

const met = ['list', 'get', 'import', 'limits', 'create', 'rows'] as const;

const noInt64: readonly [fault: string, id: string][] = [
  ['an id beyond int64', '9223372036854775808'],
  ['an id below int64', '-9223372036854775809'],
  ['an id with a fraction', '1.5'],
  ['an id of words', '"seven"'],
];
const name = /"name":"\w+"/;
const nameAndMore = /"name":"\w+"(,"description":"Loyal")?/;

/** Categories that lack what the interface promises of them. */
export const recordFaults = faultsOf('wrong', [
  ...noInt64.map(([fault, id]) => [fault, withId(id), /must be a 64-bit integer/, met] as const),
  ['an id of a million digits', withId('1'.repeat(1_000_000)), /a number is too large/, met],
  ['no id', replaced('"id"', '"key"'), /id is missing/, met],
  ['no name', replaced('"name"', '"title"'), /name is missing/, met],
  ['an id in the prototype', replaced(/"id":\d+/, '"__proto__":{"id":1}'), /id is missing/, met],
  ['a list for a name', replaced(name, '"name":["dog"]'), /must be a string, not an array/, met],
  [
    'a description of a number',
    replaced(nameAndMore, '"name":"dog","description":7'),
    /description must be a string, not a number/,
    met,
  ],
]);
