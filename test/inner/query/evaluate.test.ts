import { type JSONValue, search } from '@jmespath-community/jmespath';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseJson } from '../../../src/json/parse.ts';
import { writeJson } from '../../../src/json/write.ts';
import { createQuery } from '../../../src/query/query.ts';
import { trials } from '../../support/trials.ts';

/** What an expression makes of a JSON text, as JSON. */
function query(expression: string, json: string): string {
  return writeJson(createQuery(expression).apply(parseJson(json)));
}

type Row = readonly [json: string, expression: string, result: string];

const owners = '{"a": {"n": "x"}, "b": {"n": "y"}, "c": 1}';
const nested = '{"list": [{"t": [1, 2]}, {"t": [3]}, {"u": 1}, {"t": null}]}';

const rows: Readonly<Record<string, readonly Row[]>> = {
  'A name': [
    ['{"id": 1}', 'id', '1'],
    ['{"id": 1}', 'name', 'null'],
    ['{"a": {"b": {"c": 1}}}', 'a.b.c', '1'],
    ['{"a": 1}', 'a.b.c', 'null'],
    ['[{"a": 1}]', 'a', 'null'],
    ['"text"', 'length', 'null'],
    [
      '{"a b": 1, "\\n": 2, "ü": 3, "\\"": 4}',
      '["a b", "\\n", "ü", "\\"", "\\u00fc"]',
      '[1,2,3,4,3]',
    ],
    ['{"a": 1}', 'constructor', 'null'],
    ['{"__proto__": {"a": 1}}', '__proto__.a', '1'],
  ],
  'An index or a slice': [
    ['[1, 2, 3]', '[0]', '1'],
    ['[1, 2, 3]', '[-1]', '3'],
    ['[1, 2, 3]', '[3]', 'null'],
    ['[1, 2, 3]', '[-4]', 'null'],
    ['[1, 2, 3]', '[99999999999999999999]', 'null'],
    ['{"0": 1}', '[0]', 'null'],
    ['[0, 1, 2, 3, 4]', '[1:3]', '[1,2]'],
    ['[0, 1, 2, 3, 4]', '[:2]', '[0,1]'],
    ['[0, 1, 2, 3, 4]', '[-2:]', '[3,4]'],
    ['[0, 1, 2, 3, 4]', '[::2]', '[0,2,4]'],
    ['[0, 1, 2, 3, 4]', '[::-1]', '[4,3,2,1,0]'],
    ['[0, 1, 2, 3, 4]', '[3:0:-2]', '[3,1]'],
    ['[0, 1, 2, 3, 4]', '[-9:9]', '[0,1,2,3,4]'],
    ['[0, 1, 2, 3, 4]', '[9:-9:-1]', '[4,3,2,1,0]'],
    ['[0, 1, 2, 3, 4]', '[3:1]', '[]'],
    ['"text"', '[0:2]', 'null'],
  ],
  'A projection': [
    ['[{"a": 1}, {"a": 2}]', '[].a', '[1,2]'],
    ['[{"a": 1}, {"a": 2}]', '[*].a', '[1,2]'],
    ['[{"a": 1}, {"b": 2}, {"a": null}]', '[*].a', '[1]'],
    ['[1, null, 2]', '[*]', '[1,2]'],
    ['[[1, 2], 3, [[4]]]', '[]', '[1,2,3,[4]]'],
    ['[[1, 2], 3, [[4]]]', '[][]', '[1,2,3,4]'],
    ['[[1, 2], 3, [[4]]]', '[*][0]', '[1,[4]]'],
    ['[[1, 2], 3, [[4]]]', '[*] | [0]', '[1,2]'],
    [nested, 'list[*].t', '[[1,2],[3]]'],
    [nested, 'list[].t[]', '[1,2,3]'],
    [nested, 'list[*].t[0]', '[1,3]'],
    [nested, 'list[*].t | [0]', '[1,2]'],
    [nested, '(list[*].t)[0]', '[1,2]'],
    [nested, 'list[1:].t', '[[3]]'],
    [owners, '*.n', '["x","y"]'],
    [owners, '*', '[{"n":"x"},{"n":"y"},1]'],
    [owners, '*[0]', '[]'],
    [owners, 'a[*]', 'null'],
    ['{"a": 1}', '[]', 'null'],
    ['[1]', '*', 'null'],
  ],
  'A filter': [
    ['[{"a": 1}, {"a": 2}]', '[?a==`2`]', '[{"a":2}]'],
    ['[{"a": 1}, {"a": 2}]', '[?a].a', '[1,2]'],
    ['[{"a": "x"}, {"a": "y"}]', "[?a=='y'].a", '["y"]'],
    ['[{"a": "x"}, {"a": "y"}]', '[?a!=`"y"`].a', '["x"]'],
    ['[{"a": "x", "x": "x"}]', '[?a=="x"].a', '["x"]'],
    ['[{"a": 1}, {"a": 2}]', '[?a > `1` || a < `1`].a', '[2]'],
    ['[{"a": 1}, {"a": 2}]', '[?a >= `1` && a <= `1`].a', '[1]'],
    ['[{"a": 1}, {"a": 2}]', '[?!(a == `1`)].a', '[2]'],
    ['["ab", "b"]', "[?contains(@, 'a')]", '["ab"]'],
    ['{"a": 1}', '[?a]', 'null'],
    // Only numbers have an order.
    ['[{"a": "x"}, {"a": "y"}]', "[?a > 'a']", '[]'],
    ['{"a": "x"}', "a > 'a'", 'null'],
  ],
  'What holds': [
    ...['null', 'false', '""', '[]', '{}'].map((json): Row => [json, "@ || 'no'", '"no"']),
    ...['0', 'true', '"a"', '[null]', '{"a":null}'].map((json): Row => [json, "@ || 'no'", json]),
    ['""', "@ && 'yes'", '""'],
    ['0', "@ && 'yes'", '"yes"'],
    ['[]', '!@', 'true'],
    ['0', '!@', 'false'],
    ['{"a": 1, "b": 0}', 'c || a && b', '0'],
  ],
  'A list or an object that is made': [
    ['{"a": 1, "b": 2}', '[b, a, c]', '[2,1,null]'],
    ['{"a": 1, "b": 2}', '{x: b, y: c, "z z": a}', '{"x":2,"y":null,"z z":1}'],
    ['{"a": 1}', '{"__proto__": a}', '{"__proto__":1}'],
    ['{"a": {"b": 1}}', 'a.[b]', '[1]'],
    ['{"a": {"b": 1}}', 'x.[b]', 'null'],
    ['{"a": {"b": 1}}', 'x.{b: b}', 'null'],
    ['null', '[a]', 'null'],
    ['[{"a": 1}, null]', '[*].[a]', '[[1]]'],
    ['[{"a": 1}, null]', '[*].{b: a}', '[{"b":1}]'],
  ],
  'A literal': [
    ['1', '`"a"`', '"a"'],
    ['1', "'a'", '"a"'],
    ['1', "'\\''", '"\'"'],
    ['1', "'\\n'", '"\\\\n"'],
    ['1', '` {"a": [1.50, true]} `', '{"a":[1.50,true]}'],
    ['1', '`"\\`"`', '"`"'],
    ['1', '`"\\`\\`"`', '"``"'],
    ['1', "''", '""'],
    ['1', '[`1`, \'`\', "\'", `"\'"`]', '[1,"`",null,"\'"]'],
    ['1', '`[1, 2]`[1]', '2'],
  ],
  Equality: [
    ['[1, 1.0, 1e0, 0.1e1, 10e-1]', '[?@==`1`]', '[1,1.0,1e0,0.1e1,10e-1]'],
    ['[0, -0, 0.0, 0e9]', '[?@==`0`]', '[0,-0,0.0,0e9]'],
    ['[[1, {"a": 1.0}]]', '[?@==`[1.0, {"a": 1}]`]', '[[1,{"a":1.0}]]'],
    ['[{"a": 1, "b": 2}]', '[?@==`{"b": 2, "a": 1}`]', '[{"a":1,"b":2}]'],
    ['[{"a": 1, "b": 2}]', '[?@==`{"a": 1}`]', '[]'],
    ['["1", 1, true, null]', "[?@=='1']", '["1"]'],
    ['null', '@ == a', 'true'],
  ],
};

describe.for(Object.entries(rows))('%s', ([, rows]) => {
  test.for(rows)('of %s, %s, is %s', ([json, expression, result]) => {
    expect(query(expression, json)).toBe(result);
  });
});

describe('Numbers beyond 2^53', () => {
  const ids = '[{"id": 9007199254740992}, {"id": 9007199254740993}, {"id": -9223372036854775808}]';

  test.for([
    ['[?id==`9007199254740993`].id', '[9007199254740993]'],
    ['[?id>`9007199254740992`].id', '[9007199254740993]'],
    ['[?id<=`9007199254740992`].id', '[9007199254740992,-9223372036854775808]'],
    ['[?contains(`[9007199254740993]`, id)].id', '[9007199254740993]'],
    ['sort_by(@, &id)[].id', '[-9223372036854775808,9007199254740992,9007199254740993]'],
    ['max_by(@, &id).id', '9007199254740993'],
    ['min([].id)', '-9223372036854775808'],
    ['sum([].id)', '-9205357638345293823'],
    ['[].id | [1]', '9007199254740993'],
    ['to_string([1].id)', '"9007199254740993"'],
    ["to_number('9007199254740993') == [1].id", 'true'],
  ] as const)('are exact in %s', ([expression, result]) => {
    expect(query(expression, ids)).toBe(result);
  });

  test('pass through as they are written', () => {
    expect(query('[].[@]', '[1.50, 1E+2, -0, 0.0000000000000000000001]')).toBe(
      '[[1.50],[1E+2],[-0],[0.0000000000000000000001]]',
    );
  });
});

describe('An expression', () => {
  const name = fc.constantFrom('a', 'b', 'c');
  const value = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.integer({ min: -3, max: 3 }),
      fc.constantFrom(null, true, false),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(name, tie('value'), { maxKeys: 3 }),
    ),
  })).value;
  const index = fc.integer({ min: -3, max: 3 }).map(String);
  const optional = fc.option(index, { nil: '' });
  const step = fc.constantFrom('', ':', ':1', ':2', ':-1', ':-2');
  const slice = fc.tuple(optional, optional, step).map(([from, to, by]) => `[${from}:${to}${by}]`);
  const expression = fc.letrec<{ all: string; chain: string; condition: string }>((tie) => ({
    all: fc.oneof(
      { maxDepth: 5, withCrossShrink: true },
      tie('chain'),
      fc
        .tuple(tie('all'), fc.constantFrom(' | ', ' || ', ' && '), tie('all'))
        .map((x) => x.join('')),
      tie('condition'),
      tie('all').map((part) => `!(${part})`),
      tie('all').map((part) => `(${part})`),
      tie('all').map((part) => `type(${part})`),
      tie('all').map((part) => `to_array(${part})`),
      fc.tuple(tie('all'), tie('all')).map((parts) => `not_null(${parts})`),
    ),
    condition: fc
      .tuple(tie('all'), fc.constantFrom('==', '!=', '<', '<=', '>', '>='), tie('chain'))
      .map(([one, sign, other]) => `(${one})${sign}${other}`),
    chain: fc
      .tuple(
        fc.oneof(
          name,
          fc.constantFrom('@', '[]', '[*]', '*', '`1`', '`[1, {"a": 2}]`', "'x'"),
          slice,
          index.map((at) => `[${at}]`),
          tie('condition').map((part) => `[?${part}]`),
        ),
        fc.array(
          fc.oneof(
            name.map((part) => `.${part}`),
            fc.constantFrom('[]', '[*]', '.*'),
            slice,
            index.map((at) => `[${at}]`),
            tie('condition').map((part) => `[?${part}]`),
            // Of nothing the library makes a list all the same, unless a name comes before it.
            fc.tuple(name, name, tie('all')).map(([one, two, part]) => `.${one}.[${two}, ${part}]`),
            fc.tuple(name, tie('all')).map(([one, part]) => `.${one}.{x: ${part}, a: ${one}}`),
          ),
          { maxLength: 4 },
        ),
      )
      .map(([first, rest]) => first + rest.join('')),
  })).all;

  test('makes of small numbers what the library makes of them', () => {
    const isSame = fc.property(expression, value, (text, data) => {
      // Slices of a text are an extension of the library.
      fc.pre(!(/\[-?\d*:/.test(text) && /'x'|type/.test(text)));
      const json = JSON.stringify(data);
      expect(query(text, json)).toBe(JSON.stringify(search(data as JSONValue, text)));
    });
    fc.assert(isSame, trials(2_000));
  });
});
