import {
  compile,
  TreeInterpreter,
  TYPE_EXPREF,
  TYPE_NUMBER,
  TYPE_OBJECT,
} from '@jmespath-community/jmespath';
import { Failure, usageFailure } from '../errors.ts';
import {
  ExactNumber,
  exact,
  isJsonObject,
  type Json,
  JsonError,
  type JsonObject,
  parseJson,
} from '../json/json.ts';
import { writeJson } from '../json/write.ts';

type Node = ReturnType<typeof compile>;
type FunctionNode = Extract<Node, { readonly type: 'Function' }>;
type Comparator = Extract<Node, { readonly type: 'Comparator' }>['name'];
type Runtime = typeof TreeInterpreter.runtime;

const help = "Put numbers in backticks and text in single quotes: [?id > `300`], [?name=='dog'].";

/** `bareWord` is a field that something is compared with: more likely it was meant as a text. */
export type Query = ((data: Json) => Json) & { readonly bareWord: string | undefined };

export function createQuery(expression: string): Query {
  const literals: Json[] = [];
  const interpreter = new Interpreter(literals);
  let tree: Node;
  try {
    tree = compile(replaceLiterals(expression, literals));
    checkNode(tree, interpreter.runtime);
  } catch (error) {
    throw usageFailure(`invalid --query: ${describeError(error)}`, help);
  }
  const query = (data: Json): Json => {
    try {
      return interpreter.bounded(interpreter.visit(tree, data as never));
    } catch (error) {
      // Not a usageFailure: that would say "Nothing was sent.", which is false by now.
      throw new Failure('usage', `--query failed: ${describeError(error)}`, { hint: help });
    }
  };
  const [, , bareWord] = /[=!]=\s*("?)(\w+)\1\s*[\])&|]/.exec(expression) ?? [];
  return Object.assign(query, { bareWord });
}

function describeError(error: unknown): string {
  if (error instanceof JsonError) return `in backticks: ${error.message}`;
  const message = error instanceof Error ? error.message : String(error);
  if (/\(EOF\)/.test(message)) return 'the expression ends too early';
  // The library begins with "Syntax error: " or "Invalid type: ".
  return message.replace(/^(?:syntax|invalid)[a-z -]*[:,] |\.$/gi, '');
}

const quoted = /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`((?:\\.|[^`\\])*)`|["'`]/gs;

/** Replaces the JSON in backticks by its index in `literals`, because the library would round its numbers. */
function replaceLiterals(expression: string, literals: Json[]): string {
  return expression.replace(quoted, (all, json?: string) => {
    if (all.length === 1) throw new Error(`unclosed ${all}`);
    if (json === undefined) return all;
    literals.push(parseJson(json.replaceAll('\\`', '`')));
    return `\`[${literals.length - 1}]\``;
  });
}

const extensions: Partial<Record<Node['type'], string>> = {
  Arithmetic: 'arithmetic',
  Binding: '"=": to compare, write "=="',
  ExpressionReference: '"&"',
  LetExpression: '"let"',
  Root: '"$"',
  Ternary: '"?"',
  Unary: 'arithmetic',
  Variable: '"$"',
};

/** Refuses extensions, and faults that the library would notice only when it evaluates. */
function checkNode(node: Node, runtime: Runtime): void {
  const extension = extensions[node.type];
  if (extension !== undefined) throw new Error(`unexpected ${extension}`);
  if (node.type === 'Slice' && node.step === 0) throw new Error('the step of a slice is 0');
  const parts = node.type === 'Function' ? checkCall(node, runtime) : Object.values(node).flat();
  for (const part of parts) if (part?.type) checkNode(part, runtime);
}

/** Returns the arguments; of an `&expression` where the function takes one, what follows the `&`. */
function checkCall({ name, children }: FunctionNode, runtime: Runtime): Node[] {
  const signature = functionNames.has(name) && runtime._functionTable[name]?._signature;
  if (!signature) throw new Error(`unknown function ${name}()`);
  Reflect.get(runtime, 'validateArity')(name, children, signature);
  return children.map((argument, index) => {
    if (!signature[index]?.types.includes(TYPE_EXPREF)) return argument;
    if (argument.type === 'ExpressionReference') return argument.child;
    throw new Error(`${name}() needs an expression such as &name as argument ${index + 1}`);
  });
}

const maxParts = 10_000_000;

/** The library's evaluator, changed so that it takes an ExactNumber for a number, and a function for an `&expression`. */
class Interpreter extends (TreeInterpreter.constructor as new () => typeof TreeInterpreter) {
  readonly #literals: readonly Json[];
  readonly #sizes = new WeakMap<object, number>();

  constructor(literals: readonly Json[]) {
    super();
    this.#literals = literals;
    const { runtime } = this;
    const typeOf: (value: unknown) => number = Reflect.get(runtime, 'getTypeName');
    Reflect.set(runtime, 'getTypeName', (value: unknown) => {
      if (value instanceof ExactNumber) return TYPE_NUMBER;
      if (typeof value === 'function') return TYPE_EXPREF;
      return isJsonObject(value) ? TYPE_OBJECT : typeOf(value);
    });
    for (const [name, call] of Object.entries(functions)) {
      const definition = runtime._functionTable[name];
      if (definition) definition._func = (args: never[]) => call(...args) as never;
    }
  }

  /** Returns a value unless it has too many parts. Each step may double what is written of it, and hardly take memory. */
  bounded<Value extends Json>(value: Value): Value {
    if (this.#measure(value) > maxParts) throw new Error('its result is too large');
    return value;
  }

  #measure(value: Json | undefined): number {
    if (typeof value !== 'object' || value === null || value instanceof ExactNumber) return 1;
    let size = this.#sizes.get(value);
    if (size === undefined) {
      size = 1;
      for (const part of Object.values(value)) size += this.#measure(part);
      this.#sizes.set(value, size);
    }
    return size;
  }

  override visit(node: Node, value: never): never {
    return this.#evaluate(node, value) as never;
  }

  #evaluate(node: Node, value: Json): unknown {
    const evaluate = (part: Node, of = value): Json => this.visit(part, of as never);
    switch (node.type) {
      case 'Literal':
        return Array.isArray(node.value) ? this.#literals[Number(node.value[0])] : node.value;
      case 'Field':
        return getField(value, node.name);
      case 'Comparator':
        return applyComparator(node.name, evaluate(node.left), evaluate(node.right));
      case 'ExpressionReference':
        return (item: Json) => evaluate(node.child, item);
      case 'MultiSelectHash':
        if (value === null) return null;
        return this.bounded(
          Object.fromEntries(node.children.map((pair) => [pair.name, evaluate(pair.value)])),
        );
      case 'MultiSelectList':
        if (value === null) return null;
        return this.bounded(node.children.map((child) => evaluate(child)));
      case 'Slice':
        return Array.isArray(value) ? super.visit(node, value as never) : null;
      case 'ValueProjection': {
        const object = evaluate(node.left);
        if (!isJsonObject(object)) return null;
        const values = listFields(object).map(([, item]) => evaluate(node.right, item));
        return values.filter((item) => item !== null);
      }
      default:
        return super.visit(node, value as never);
    }
  }
}

function getField(value: Json, name: string): Json {
  return isJsonObject(value) && Object.hasOwn(value, name) ? (value[name] ?? null) : null;
}

function listFields(object: JsonObject): [name: string, value: Json][] {
  return Object.entries(object).filter((field): field is [string, Json] => field[1] !== undefined);
}

type KeyOf = (item: Json) => Json;
const itself: KeyOf = (item) => item;

/** Functions for which the library rounds numbers, orders them by their digits, or fails on 200,000 elements. */
const functions: Record<string, (...args: never[]) => Json> = {
  abs: ({ text }: ExactNumber) => new ExactNumber(text.replace(/^-/, '')),
  avg: (list: ExactNumber[]) =>
    list.length > 0 ? requireFinite(Number(addUp(list)) / list.length) : null,
  ceil: (number: ExactNumber) => roundWith(number, Math.ceil),
  contains,
  floor: (number: ExactNumber) => roundWith(number, Math.floor),
  keys: (object: JsonObject) => listFields(object).map(([name]) => name),
  length: (value: string | Json[] | JsonObject) =>
    exact((isJsonObject(value) ? listFields(value) : [...value]).length),
  map: (keyOf: KeyOf, list: Json[]) => list.map(keyOf),
  max: (list: Json[]) => findExtreme(list, itself, -1),
  max_by: (list: Json[], keyOf: KeyOf) => findExtreme(list, keyOf, -1),
  merge,
  min: (list: Json[]) => findExtreme(list, itself, 1),
  min_by: (list: Json[], keyOf: KeyOf) => findExtreme(list, keyOf, 1),
  reverse: (value: string | Json[]) =>
    typeof value === 'string' ? [...value].reverse().join('') : value.toReversed(),
  sort: (list: Json[]) => sortBy(list, itself),
  sort_by: sortBy,
  sum: (list: ExactNumber[]) => requireFinite(addUp(list)),
  to_number: toNumber,
  to_string: (value: Json) => (typeof value === 'string' ? value : writeJson(value)),
  values: (object: JsonObject) => listFields(object).map(([, value]) => value),
};
const libraryFunctions = 'ends_with join not_null starts_with to_array type';
const functionNames = new Set([...Object.keys(functions), ...libraryFunctions.split(' ')]);

function contains(all: string | Json[], part: Json): boolean {
  if (typeof all === 'string') return typeof part === 'string' && all.includes(part);
  return all.some((item) => areEqual(item, part));
}

function merge(...objects: Json[]): Json {
  if (!objects.every(isJsonObject)) throw new Error('merge() needs objects');
  return Object.fromEntries(objects.flatMap((object) => Object.entries(object)));
}

function findExtreme(list: readonly Json[], keyOf: KeyOf, sign: 1 | -1): Json {
  let best: { readonly item: Json; readonly key: Ordered } | undefined;
  for (const item of list) {
    const key = toOrdered(keyOf(item));
    if (best === undefined || sign * compare(key, best.key) < 0) best = { item, key };
  }
  return best?.item ?? null;
}

function sortBy(list: readonly Json[], keyOf: KeyOf): Json[] {
  return list
    .map((item) => ({ item, key: toOrdered(keyOf(item)) }))
    .sort((a, b) => compare(a.key, b.key))
    .map(({ item }) => item);
}

function toNumber(value: Json): Json {
  if (typeof value !== 'string') return value instanceof ExactNumber ? value : null;
  const isNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(value);
  return isNumber ? new ExactNumber(value) : null;
}

function addUp(list: readonly ExactNumber[]): bigint | number {
  const values = list.map(parseNumber);
  if (values.every((value) => typeof value === 'bigint')) {
    return values.reduce((total, value) => total + value, 0n);
  }
  return values.reduce<number>((total, value) => total + Number(value), 0);
}

function roundWith(number: ExactNumber, round: (value: number) => number): ExactNumber {
  const value = parseNumber(number);
  return typeof value === 'bigint' ? number : requireFinite(round(value));
}

function requireFinite(value: bigint | number): ExactNumber {
  if (typeof value === 'bigint' || Number.isFinite(value)) return exact(value);
  throw new Error('a number is too large');
}

/** With a million digits for each element of a list, an addition would take hours. */
const maxDigits = 1_000;

function parseNumber({ text }: ExactNumber): bigint | number {
  if (text.length > maxDigits) throw new Error(`a number has more than ${maxDigits} digits`);
  return /^-?\d+$/.test(text) ? BigInt(text) : Number(text);
}

type Ordered = bigint | number | string;
const mixed = 'can only compare numbers with numbers, and strings with strings';

function toOrdered(value: Json): Ordered {
  if (typeof value === 'string') return toCodePointOrder(value);
  if (value instanceof ExactNumber) return parseNumber(value);
  throw new Error(mixed);
}

/** Moves surrogates behind all other characters: `<` compares UTF-16, the specification demands code points. */
function toCodePointOrder(text: string): string {
  return text.replace(/[\ud800-\uffff]/g, (unit) =>
    String.fromCharCode(unit.charCodeAt(0) + (unit < '\ue000' ? 0x2000 : -0x800)),
  );
}

function compare(a: Ordered, b: Ordered): number {
  if ((typeof a === 'string') !== (typeof b === 'string')) throw new Error(mixed);
  // JavaScript compares a bigint and a number exactly.
  if (a < b) return -1;
  return a > b ? 1 : 0;
}

/** Only numbers have an order: for other values the specification demands null. */
function applyComparator(name: Comparator, a: Json, b: Json): Json {
  if (name === 'EQ' || name === 'NE') return areEqual(a, b) === (name === 'EQ');
  if (!(a instanceof ExactNumber && b instanceof ExactNumber)) return null;
  const sign = compare(parseNumber(a), parseNumber(b));
  return { LT: sign < 0, LTE: sign <= 0, GT: sign > 0, GTE: sign >= 0 }[name];
}

function areEqual(a: Json, b: Json): boolean {
  if (a instanceof ExactNumber && b instanceof ExactNumber) {
    return a.text === b.text || compare(parseNumber(a), parseNumber(b)) === 0;
  }
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => areEqual(item, b[index] ?? null));
  }
  if (!(isJsonObject(a) && isJsonObject(b))) return a === b;
  const fields = listFields(a);
  return (
    fields.length === listFields(b).length &&
    fields.every(([name, value]) => Object.hasOwn(b, name) && areEqual(value, getField(b, name)))
  );
}
