import { describe, expect, test } from 'vitest';
import { Failure } from '../../../src/errors.ts';
import { createQuery } from '../../../src/query/query.ts';

function failureOf(expression: string): Failure {
  try {
    createQuery(expression);
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error(`${expression} is valid`);
}

const invalid: readonly (readonly [expression: string, what: string])[] = [
  // What is missing or too much.
  ["[?name=='dog'", 'expected "]" at column 14'],
  ['[?name==`1`)', 'expected "]" at column 12'],
  ['length(@', 'expected ")" at column 9'],
  ['[0].{id: id', 'expected "}" at column 12'],
  ['[0', 'expected "]" at column 3'],
  ['name)', 'unexpected ")" at column 5'],
  ['foo.', 'unexpected end at column 5'],
  ['foo. ', 'unexpected end at column 5'],
  ['[', 'unexpected end at column 2'],
  ['[0:', 'unexpected end at column 4'],
  ['[?', 'unexpected end at column 3'],
  ['{', 'unexpected end at column 2'],
  ['{a', 'expected "}" at column 3'],
  ['a ||', 'unexpected end at column 5'],
  ['sort_by(@, ', 'unexpected end at column 11'],
  ['[name id]', 'unexpected "id" at column 7'],
  ['[name,]', 'unexpected "]" at column 7'],
  ['length(@,)', 'unexpected ")" at column 10'],
  ['{a: b c: d}', 'unexpected "c" at column 7'],
  ['{a: b,}', 'unexpected "}" at column 7'],
  ["{'a': b}", `unexpected "'a'" at column 2`],
  ['[1:2 3]', 'unexpected "3" at column 6'],
  ['[1:2:3:4]', 'unexpected ":" at column 7'],
  ['foo[bar]', 'unexpected "bar" at column 5'],
  ['foo.[0]', 'unexpected "0" at column 6'],
  ['.foo', 'unexpected "." at column 1'],
  ['foo..bar', 'unexpected "." at column 5'],
  ['foo bar', 'unexpected "bar" at column 5'],
  ['(foo)(bar)', 'unexpected "(" at column 6'],
  ['length (@)', 'unexpected "(" at column 8'],
  ['foo{a: b}', 'unexpected "{" at column 4'],
  ['[?id == 4]', 'unexpected "4" at column 9'],
  ['[?id == -4]', 'unexpected "-4" at column 9'],
  ["[?name = 'dog']", 'unexpected "=" at column 8'],
  // Quotes.
  ["[?name=='dog]", "unclosed ' at column 9"],
  ['[?id==`4]', 'unclosed ` at column 7'],
  ['"name', 'unclosed " at column 1'],
  ['"name\\"', 'unclosed " at column 1'],
  ['[?name==`dog`]', 'invalid JSON in backticks at column 9'],
  ['`{"a":1,"a":2}`', 'invalid JSON in backticks at column 1'],
  ['``', 'invalid JSON in backticks at column 1'],
  ['a."\\x"', 'invalid name in double quotes at column 3'],
  // Characters of no expression, and extensions of the language that other tools do not have.
  ['näme', 'unexpected "ä" at column 2'],
  ['a ; b', 'unexpected ";" at column 3'],
  ['😀', 'unexpected "😀" at column 1'],
  ['$.name', 'unexpected "$" at column 1'],
  ['let $a = b in $a', 'unexpected "$" at column 5'],
  ['id + `1`', 'unexpected "+" at column 4'],
  ['id - `1`', 'unexpected "-" at column 4'],
  ['id * `2`', 'unexpected "*" at column 4'],
  ['id / `2`', 'unexpected "/" at column 4'],
  ['id % `2`', 'unexpected "%" at column 4'],
  ['a ? b : c', 'unexpected "?" at column 3'],
  // Functions.
  ['[].lenght(@)', 'unknown function lenght() at column 4; did you mean length()?'],
  ['a || nothing_like_it(@)', 'unknown function nothing_like_it() at column 6'],
  ['upper(name)', 'unknown function upper() at column 1'],
  ['length()', 'length() at column 1 takes 1 argument, got 0'],
  ["join(',', @, @)", 'join() at column 1 takes 2 arguments, got 3'],
  ['merge()', 'merge() at column 1 takes at least 1 argument, got 0'],
  ['sort_by(@, name)', 'argument 2 of sort_by() at column 1 must be an expression such as &name'],
  ['map(name, &id)', 'argument 1 of map() at column 1 must be an expression such as &name'],
  ['[sort_by(@, &a), length(&b)]', 'unexpected "&" at column 25'],
  ['&name', 'unexpected "&" at column 1'],
  ['[a, &name]', 'unexpected "&" at column 5'],
  ['"length"(@)', 'unexpected "(" at column 9'],
  // Lines.
  ['[].{\n  id: id,\n  name name\n}', 'unexpected "name" at line 3, column 8'],
];

describe('An invalid expression', () => {
  test.for(invalid)('%j: %s', ([expression, what]) => {
    const { message, kind, exitCode, details } = failureOf(expression);

    expect({ message, kind, exitCode, outcome: details.outcome }).toEqual({
      message: `invalid --query: ${what}`,
      kind: 'usage',
      exitCode: 2,
      outcome: 'not_sent',
    });
    expect(details.hint).toBeDefined();
  });

  test.for([
    ['[?id == 4]', 'Write numbers in backticks: `4`'],
    ['[?id == -12]', 'Write numbers in backticks: `-12`'],
    ['[?id==]', "Keep backticks from the shell with single quotes: '[?id==`4`]'"],
    ['[?id> || a]', "Keep backticks from the shell with single quotes: '[?id==`4`]'"],
    ['[?name==`dog`]', "Write strings in single quotes: 'dog'"],
    ["[?name = 'dog']", 'To compare: =='],
    ['foo(', 'See: petstore help options'],
    ['lenght(@)', 'See: petstore help options'],
    ['uppercase(@)', expect.stringMatching(/^One of: abs, avg, .* type, values$/)],
  ] as const)('%j has the hint %s', ([expression, hint]) => {
    expect(failureOf(expression).details.hint).toEqual(hint);
  });

  test('is quoted in part where a word of it is long', () => {
    expect(failureOf(`a ${'b'.repeat(100)}`).message).toBe(
      `invalid --query: unexpected "${'b'.repeat(30)}…" at column 3`,
    );
  });

  test.for(['', '  ', '\n'])('%j is blank', (expression) => {
    expect(failureOf(expression).message).toBe('--query must not be blank');
  });

  test.for([
    ['longer than 10,000 characters', 'a'.repeat(10_001)],
    ['more than 4,000 words and signs', `a${'.a'.repeat(2_000)}`],
    ['more than 500 brackets', `${'('.repeat(501)}a${')'.repeat(501)}`],
    ['more than 500 brackets', `${'['.repeat(501)}a${']'.repeat(501)}`],
    ['more than 500 brackets', `a${'[*]'.repeat(501)}`],
    ['more than 500 brackets', `a${'[]'.repeat(501)}`],
    ['more than 500 brackets', `${'!'.repeat(501)}a`],
    ['the step of a slice must not be 0', '[::0]'],
  ])('is refused when it is %s', ([what, expression = '']) => {
    expect(failureOf(expression).message).toBe(`invalid --query: ${what}`);
  });
});

test.for([
  ['names', `a${'.a'.repeat(1_999)}`],
  ['alternatives', `a${'||a'.repeat(1_999)}`],
  ['pipes', `a${'|a'.repeat(1_999)}`],
  ['parentheses', `${'('.repeat(500)}a${')'.repeat(500)}`],
  ['lists', `${'['.repeat(60)}a${']'.repeat(60)}`],
  ['projections', `a${'[*]'.repeat(250)}`],
  ['filters', `a${'[?a'.repeat(250)}${']'.repeat(250)}`],
  ['functions', `${'length('.repeat(250)}'a'${')'.repeat(250)} || length('b')`],
  ['negations', `${'!'.repeat(500)}a`],
])('The most %s that an expression may have do not take the stack', ([, expression = '']) => {
  const { apply } = createQuery(expression);
  const attempt = () => apply({ a: 'text' });

  // What it makes may be of the wrong type for a function.
  if (expression.startsWith('length')) expect(attempt).toThrow('--query failed at column');
  else expect(attempt).not.toThrow();
});
