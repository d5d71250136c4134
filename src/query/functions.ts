import { ExactNumber, isJsonObject, type Json, type JsonObject } from '../json/exact.ts';
import { writeJson } from '../json/write.ts';
import { absolute, averageOf, decimalOf, rounded, sumOf } from './numbers.ts';
import { type Type, typeOf, withArticle } from './types.ts';
import { areEqual, compareKeys, fieldsOf, type Key } from './values.ts';
import { createRoom, type Work } from './work.ts';

export type Evaluate = (value: Json) => Json;

/** A fault of the arguments, which is said after the name of the function. */
export class Misuse extends Error {}

type Call = {
  /** The arguments that are no expressions, in their order. */
  readonly values: readonly Json[];
  readonly expression: Evaluate;
  readonly work: Work;
};

export type Callable = {
  readonly takes: readonly (readonly Type[])[];
  /** The last one may be given any number of times. */
  readonly isVariadic?: true;
  readonly call: (call: Call) => Json;
};

const numbers = ['array of numbers'] as const;
const sortable = ['array of numbers', 'array of strings'] as const;
const any = ['any'] as const;
const text = ['string'] as const;
const list = ['array'] as const;
const object = ['object'] as const;
const expression = ['expression'] as const;

/** A function of one argument. */
function of<Value extends Json>(
  takes: readonly Type[],
  call: (value: Value, work: Work) => Json,
): Callable {
  return { takes: [takes], call: ({ values: [value = null], work }) => call(value as Value, work) };
}

function ofTexts(call: (text: string, part: string) => Json): Callable {
  return {
    takes: [text, text],
    call: ({ values: [one, other] }) => call(String(one), String(other)),
  };
}

/** The element, of a list or by what an expression makes of it, that comes first in an order; the earlier one of two alike. */
function first(takes: readonly (readonly Type[])[], sign: 1 | -1): Callable {
  return {
    takes,
    call({ values: [items], expression }) {
      const sorted = keyed(items as Json[], expression);
      let found = sorted[0];
      for (const next of sorted) {
        if (found && sign * compareKeys(next.key, found.key) < 0) found = next;
      }
      return found?.item ?? null;
    },
  };
}

function sorting(takes: readonly (readonly Type[])[]): Callable {
  return {
    takes,
    call: ({ values: [items], expression }) =>
      keyed(items as Json[], expression)
        .sort((a, b) => compareKeys(a.key, b.key))
        .map(({ item }) => item),
  };
}

/** Each element with what it is sorted by. @throws Misuse unless they are all numbers or all strings */
function keyed(items: readonly Json[], expression: Evaluate): { item: Json; key: Key }[] {
  let kind: string | undefined;
  return items.map((item) => {
    const key = expression(item);
    const type = typeOf(key);
    kind ??= type;
    if (type !== kind || !(type === 'number' || type === 'string')) {
      const found =
        type === kind ? withArticle(type) : `${withArticle(kind)} and ${withArticle(type)}`;
      throw new Misuse(`needs keys that are all numbers or all strings, got ${found}`);
    }
    return { item, key: key instanceof ExactNumber ? decimalOf(key) : String(key) };
  });
}

const inexactly = 'cannot be exact: a number has more than 10,000 digits';

function exactly(result: ExactNumber | undefined): ExactNumber {
  if (result === undefined) throw new Misuse(inexactly);
  return result;
}

/** A text that is made, which takes room. */
function made(work: Work, length: number): void {
  work.spend(length);
}

/** All functions of the JMESPath specification. */
const table = {
  abs: of<ExactNumber>(['number'], absolute),
  avg: of<ExactNumber[]>(numbers, (all) => (all.length === 0 ? null : exactly(averageOf(all)))),
  ceil: of<ExactNumber>(['number'], (number) => rounded(number, 'ceil')),
  contains: {
    takes: [['array', 'string'], any],
    call: ({ values: [all = null, part = null], work }) =>
      Array.isArray(all)
        ? all.some((item) => areEqual(item, part, work))
        : typeof part === 'string' && String(all).includes(part),
  },
  ends_with: ofTexts((text, end) => text.endsWith(end)),
  floor: of<ExactNumber>(['number'], (number) => rounded(number, 'floor')),
  join: {
    takes: [text, ['array of strings']],
    call({ values: [glue, parts], work }) {
      const texts = parts as string[];
      made(
        work,
        texts.reduce((sum, { length }) => sum + length + String(glue).length, 0),
      );
      return texts.join(String(glue));
    },
  },
  keys: of<JsonObject>(object, (fields) => fieldsOf(fields).map(([name]) => name)),
  length: of(['string', 'array', 'object'], (value) => new ExactNumber(String(lengthOf(value)))),
  map: {
    takes: [expression, list],
    call: ({ values: [items], expression }) => (items as Json[]).map(expression),
  },
  max: first([sortable], -1),
  max_by: first([list, expression], -1),
  merge: {
    takes: [object],
    isVariadic: true,
    call: ({ values }) =>
      Object.fromEntries(values.flatMap((fields) => fieldsOf(fields as JsonObject))),
  },
  min: first([sortable], 1),
  min_by: first([list, expression], 1),
  not_null: {
    takes: [any],
    isVariadic: true,
    call: ({ values }) => values.find((value) => value !== null) ?? null,
  },
  reverse: of(['string', 'array'], (value) =>
    Array.isArray(value) ? value.toReversed() : [...String(value)].reverse().join(''),
  ),
  sort: sorting([sortable]),
  sort_by: sorting([list, expression]),
  starts_with: ofTexts((text, start) => text.startsWith(start)),
  sum: of<ExactNumber[]>(numbers, (all) => exactly(sumOf(all))),
  to_array: of(any, (value) => (Array.isArray(value) ? value : [value])),
  to_number: of(any, (value) => {
    if (value instanceof ExactNumber) return value;
    const isNumber = typeof value === 'string' && numberForm.test(value);
    return isNumber ? new ExactNumber(value) : null;
  }),
  to_string: of(any, (value, work) => {
    if (typeof value === 'string') return value;
    createRoom().take([value]);
    const text = writeJson(value);
    made(work, text.length);
    return text;
  }),
  type: of(any, typeOf),
  values: of<JsonObject>(object, (fields) => fieldsOf(fields).map(([, value]) => value)),
} satisfies Readonly<Record<string, Callable>>;

export const functions: ReadonlyMap<string, Callable> = new Map(Object.entries(table));

const numberForm = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

function lengthOf(value: Json): number {
  if (Array.isArray(value)) return value.length;
  // Of a text its code points, as the specification has it.
  return isJsonObject(value) ? fieldsOf(value).length : [...String(value)].length;
}
