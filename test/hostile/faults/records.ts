import { json, say } from '../answers.ts';
import type { Fault } from '../fault.ts';

const lists = ['list', 'get', 'import', 'limits'] as const;
const creates = ['create', 'rows'] as const;

/** Puts an id in place of the good answer's own. */
const id = (text: string) =>
  say(({ status, good }) => json(status, good.replace(/"id":\d+/, `"id":${text}`)));

/** Categories that lack what the interface promises of them. */
export const recordFaults: readonly Fault[] = [
  {
    fault: 'an id beyond int64',
    react: id('9223372036854775808'),
    means: 'wrong',
    only: [...lists, ...creates],
    says: /must be a 64-bit integer/,
  },
  {
    fault: 'an id with a fraction',
    react: id('1.5'),
    means: 'wrong',
    only: [...lists, ...creates],
    says: /must be a 64-bit integer/,
  },
  {
    fault: 'an id with a fraction of zero',
    react: id('1.0'),
    means: 'wrong',
    only: [...lists, ...creates],
    says: /must be a 64-bit integer/,
  },
  {
    fault: 'an id with an exponent',
    react: id('1e3'),
    means: 'wrong',
    only: [...lists, ...creates],
    says: /must be a 64-bit integer/,
  },
  {
    fault: 'an id of minus zero',
    react: id('-0'),
    means: 'wrong',
    only: [...lists, ...creates],
    says: /must be a 64-bit integer/,
  },
  {
    fault: 'an id of words',
    react: id('"seven"'),
    means: 'wrong',
    only: [...lists, ...creates],
    says: /must be a 64-bit integer/,
  },
  {
    fault: 'an id of other digits',
    react: id('"\u0661"'),
    means: 'wrong',
    only: [...lists, ...creates],
    says: /must be a 64-bit integer/,
  },
  {
    fault: 'an id of null',
    react: id('null'),
    means: 'wrong',
    only: [...lists, ...creates],
    says: /must be a 64-bit integer/,
  },
  {
    fault: 'an id of a million digits',
    react: id('1'.repeat(1_000_000)),
    means: 'wrong',
    only: lists,
    says: /must be a 64-bit integer/,
  },
  {
    fault: 'no id',
    react: say(({ status, good }) => json(status, good.replace('"id"', '"key"'))),
    means: 'wrong',
    only: [...lists, ...creates],
    says: /id is missing/,
  },
  {
    fault: 'no name',
    react: say(({ status, good }) => json(status, good.replace('"name"', '"title"'))),
    means: 'wrong',
    only: [...lists, ...creates],
    says: /name is missing/,
  },
  {
    fault: 'an id only in the prototype',
    react: say(({ status, good }) =>
      json(status, good.replace(/"id":\d+/, '"__proto__":{"id":1}')),
    ),
    means: 'wrong',
    only: [...lists, ...creates],
    says: /id is missing/,
  },
  {
    fault: 'a name of the wrong type',
    react: say(({ status, good }) => json(status, good.replace(/"name":"\w+"/, '"name":["dog"]'))),
    means: 'wrong',
    only: [...lists, ...creates],
    says: /name must be a string, not an array/,
  },
  {
    fault: 'a description of null',
    react: say(({ status, good }) =>
      json(
        status,
        good
          .replace('"name"', '"description":null,"nickname":"","name"')
          .replace(',"description":"Loyal"', ''),
      ),
    ),
    means: 'wrong',
    only: ['list', 'import', 'limits', 'create'],
    says: /description must be a string, not null/,
  },
];
