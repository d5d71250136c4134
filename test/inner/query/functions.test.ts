import { describe, expect, test } from 'vitest';
import { parseJson } from '../../../src/json/parse.ts';
import { writeJson } from '../../../src/json/write.ts';
import { functions } from '../../../src/query/functions.ts';
import { createQuery } from '../../../src/query/query.ts';

function query(
  expression: string,
  json = '{"text": "äbc", "list": [3, 1.5, 2], "no": null}',
): string {
  return writeJson(createQuery(expression).apply(parseJson(json)));
}

const people =
  '[{"n": "b", "age": 3}, {"n": "a", "age": 1}, {"n": "c", "age": 1.0}, {"n": "d", "age": 2}]';

const results: readonly (readonly [expression: string, result: string, json?: string])[] = [
  ['abs(`-1.50`)', '1.50'],
  ['abs(`9223372036854775808`)', '9223372036854775808'],
  ['avg(list)', '2.166666666666666666666666666666667'],
  ['avg(`[1, 2]`)', '1.5'],
  ['avg(`[9223372036854775807, 9223372036854775806]`)', '9223372036854775806.5'],
  ['avg(`[0.1, 0.2]`)', '0.15'],
  ['avg(`[]`)', 'null'],
  ['ceil(`1.0001`)', '2'],
  ['ceil(`-0.5`)', '0'],
  ['ceil(`9007199254740993`)', '9007199254740993'],
  ['ceil(`1e-1000000000`)', '1'],
  ['floor(`-1.0001`)', '-2'],
  ['floor(`9007199254740993.9`)', '9007199254740993'],
  ['floor(`1e1000000000`)', '1e1000000000'],
  ["contains(text, 'bc')", 'true'],
  ['contains(text, `1`)', 'false'],
  ['contains(list, `2.0`)', 'true'],
  ["contains(list, 'x')", 'false'],
  ["ends_with(text, 'bc')", 'true'],
  ["starts_with(text, 'ä')", 'true'],
  ['join(\'-\', `["a", "b"]`)', '"a-b"'],
  ["join('-', `[]`)", '""'],
  ['keys(@)', '["text","list","no"]'],
  ['values(`{"a": 1, "b": null}`)', '[1,null]'],
  ['length(text)', '3'],
  ["length('👩‍🚀')", '3'],
  ['length(list)', '3'],
  ['length(@)', '3'],
  ['map(&n, @)', '["b",null]', '[{"n": "b"}, {}]'],
  ['max(list)', '3'],
  ['max(`["a", "b"]`)', '"b"'],
  ['max(`[]`)', 'null'],
  ['min(list)', '1.5'],
  ['max_by(@, &age).n', '"b"', people],
  ['min_by(@, &age).n', '"a"', people],
  ['min_by(@, &n).n', '"a"', people],
  ['min_by(`[]`, &n)', 'null'],
  ['merge(`{"a": 1, "b": 2}`, `{"b": 3}`)', '{"a":1,"b":3}'],
  ['merge(`{"__proto__": 1}`)', '{"__proto__":1}'],
  ['not_null(no, nope, list[0])', '3'],
  ['not_null(no)', 'null'],
  ['reverse(list)', '[2,1.5,3]'],
  ["reverse('a😀')", '"😀a"'],
  ['sort(list)', '[1.5,2,3]'],
  ['sort(`["b", "", "a", "B", "ä"]`)', '["","B","a","b","ä"]'],
  // By code points: as UTF-16 the second would come first.
  ['sort(`["😀", "ￜ"]`)', '["ￜ","😀"]'],
  ['sort_by(@, &age)[].n', '["a","c","d","b"]', people],
  ['sort_by(@, &n)[].age', '[1,3,1.0,2]', people],
  ['sum(list)', '6.5'],
  ['sum(`[9223372036854775807, 1]`)', '9223372036854775808'],
  ['sum(`[0.1, 0.2]`)', '0.3'],
  ['sum(`[1e3, 1e-3]`)', '1000.001'],
  ['sum(`[]`)', '0'],
  ['to_array(list)', '[3,1.5,2]'],
  ['to_array(no)', '[null]'],
  ['to_number(`"1.50"`)', '1.50'],
  ["to_number('x')", 'null'],
  ["to_number('0x1')", 'null'],
  ['to_number(list)', 'null'],
  ['to_string(list)', '"[3,1.5,2]"'],
  ['to_string(text)', '"äbc"'],
  ['to_string(no)', '"null"'],
  [
    '[type(no), type(text), type(list), type(@), type(`1`), type(`true`)]',
    '["null","string","array","object","number","boolean"]',
  ],
];

describe('A function of an expression', () => {
  test.for(results)('%s is %s', ([expression, result, json]) => {
    expect(query(expression, json)).toBe(result);
  });

  test('is one of the 26 of the specification, each of which is tried', () => {
    expect([...functions.keys()]).toHaveLength(26);
    const tried = results.map(([expression]) => expression).join();
    expect([...functions.keys()].filter((name) => !tried.includes(`${name}(`))).toEqual([]);
  });
});

describe('Arguments of a wrong type', () => {
  test.for([
    [
      'length(`4`)',
      'column 1: length() needs a string, an array or an object as its argument, got a number',
    ],
    ['[] | abs(@)', 'column 6: abs() needs a number as its argument, got null'],
    ["starts_with('a', `1`)", 'column 1: starts_with() needs a string as argument 2, got a number'],
    [
      "join(',', list)",
      'column 1: join() needs an array of strings as argument 2, got an array with a number',
    ],
    ["join(',', no)", 'column 1: join() needs an array of strings as argument 2, got null'],
    [
      'sum(`[1, "a", null, "b"]`)',
      'column 1: sum() needs an array of numbers as its argument, got an array with a string and null',
    ],
    [
      'max(`[1, "a"]`)',
      'column 1: max() needs an array of numbers or an array of strings as its argument, got an array with a number and a string',
    ],
    [
      'sort(`[true]`)',
      'column 1: sort() needs an array of numbers or an array of strings as its argument, got an array with a boolean',
    ],
    [
      'sort_by(`[{"a": 1}, {"a": "b"}]`, &a)',
      'column 1: sort_by() needs keys that are all numbers or all strings, got a number and a string',
    ],
    [
      'sort_by(`[{"a": 1}, {}]`, &a)',
      'column 1: sort_by() needs keys that are all numbers or all strings, got a number and null',
    ],
    [
      'max_by(`[{"a": true}]`, &a)',
      'column 1: max_by() needs keys that are all numbers or all strings, got a boolean',
    ],
    ['min_by(text, &a)', 'column 1: min_by() needs an array as argument 1, got a string'],
    ['map(&a, no)', 'column 1: map() needs an array as argument 2, got null'],
    ['merge(`{}`, list)', 'column 1: merge() needs an object as argument 2, got an array'],
    [
      'list[].\n  keys(@)',
      'line 2, column 3: keys() needs an object as its argument, got a number',
    ],
    [
      'sum(`[1e100000, 1]`)',
      'column 1: sum() cannot be exact: a number has more than 10,000 digits',
    ],
    ['avg(`[1e-100000]`)', 'column 1: avg() cannot be exact: a number has more than 10,000 digits'],
  ] as const)('%s', ([expression, what]) => {
    expect(() => query(expression)).toThrow(
      expect.objectContaining({ kind: 'usage', exitCode: 2, message: `--query failed at ${what}` }),
    );
  });
});

describe('An expression that makes too much of little', () => {
  const doubled = (times: number, step: string) => `\`[1]\`${` | ${step}`.repeat(times)}`;

  test.for([
    ['doubles a list', doubled(40, '[@, @][]'), 'too much work for one result'],
    ['doubles a text', `'x'${" | join('', [@, @])".repeat(40)}`, 'too much work for one result'],
    [
      'compares what is doubled',
      `[${doubled(60, '[@, @]')}, ${doubled(60, '[@, @]')}] | [0] == [1]`,
      'too much work for one result',
    ],
    [
      'doubles what is in it',
      `${doubled(18, '[@, @]')} | [${Array(40).fill('@')}]`,
      'more than 10,000,000 values',
    ],
    [
      'doubles the text in it',
      `'x'${" | join('', [@, @])".repeat(21)} | [${Array(200).fill('@')}]`,
      'more than 400,000,000 characters',
    ],
    [
      'doubles what is in an element',
      `[${doubled(40, '[@, @]')}]`,
      'more than 1,000,000 values in one element',
    ],
    [
      'writes what is doubled',
      `length(to_string(${doubled(40, '[@, @]')}))`,
      'more than 1,000,000 values in one element',
    ],
    ['nests', doubled(70, '[@]'), 'nested more than 64 levels deep'],
  ] as const)('is refused: it %s', ([, expression, what]) => {
    expect(() => query(expression)).toThrow(
      expect.objectContaining({ kind: 'usage', message: `--query failed: ${what}` }),
    );
  });
});
