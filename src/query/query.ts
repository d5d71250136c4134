import { compile, TreeInterpreter } from '@jmespath-community/jmespath';
import { Failure, usageFailure } from '../errors.ts';
import { typeName } from '../json/check.ts';
import {
  isJsonObject,
  isNumber,
  type Json,
  JsonError,
  type JsonObject,
  parseJson,
  toInteger,
} from '../json/json.ts';
import { writeJson } from '../json/write.ts';

type Node = ReturnType<typeof compile>;
type Runtime = typeof TreeInterpreter.runtime;
type Exact = number | bigint;

const language = 'The option --query takes JMESPath, not jq';
const help = `${language}: numbers in backticks, text in single quotes, as in [?id > \`300\`], [?name=='dog'].`;

/** Without its dot it is JMESPath. */
const jqPath = /^\.((?:[a-z]\w*|\[\d*\])(?:\.\w+|\[\d*\])*)$/i;

export type Query = (data: Json) => Json;

export function createQuery(expression: string): Query {
  const literals: Json[] = [];
  const interpreter = new Interpreter(literals);
  let tree: Node;
  try {
    tree = compile(replaceLiterals(expression, literals));
    checkFunctions(tree, interpreter.runtime);
  } catch (error) {
    const [, path] = jqPath.exec(expression.replace(/\s*\|\s*\./g, '.')) ?? [];
    const hint = path ? `${language}. Did you mean: --query '${path}'` : help;
    throw usageFailure(`invalid --query: ${describeError(error)}`, hint);
  }
  return (data) => {
    try {
      return interpreter.visit(tree, data as never);
    } catch (error) {
      // Not a usageFailure: that would say "Nothing was sent.", which is false by now.
      throw new Failure('usage', `--query failed: ${describeError(error)}`, { hint: help });
    }
  };
}

function describeError(error: unknown): string {
  if (error instanceof JsonError) return `in backticks: ${error.message}`;
  // The library lets a bigint pass where a function needs a text or a list.
  if (error instanceof TypeError) return 'a number stands where a text or a list is needed';
  return error instanceof Error ? error.message : String(error);
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

/** Refuses before anything is sent what the library would notice only when it evaluates. */
function checkFunctions(node: Node, runtime: Runtime, isLet = false): void {
  // The library takes it for a variable wherever it stands: true for each element.
  if (node.type === 'Binding' && !isLet) throw new Error('"=" compares nothing; write "=="');
  if (node.type === 'Function') {
    const signature = runtime._functionTable[node.name]?._signature;
    if (!signature) throw new Error(`unknown function ${node.name}()`);
    const min = signature.filter(({ optional }) => !optional).length;
    const max = signature.at(-1)?.variadic ? Number.POSITIVE_INFINITY : signature.length;
    const count = node.children.length;
    if (count < min || count > max) {
      const needed = min < max ? `at least ${min}` : min;
      throw new Error(
        `${node.name}() takes ${needed} argument${min === 1 ? '' : 's'}, not ${count}`,
      );
    }
  }
  const parts = Object.values(node).flat();
  for (const part of parts) {
    if (part?.type) checkFunctions(part, runtime, node.type === 'LetExpression');
  }
}

/** The library's evaluator, which knows no bigint. */
class Interpreter extends (TreeInterpreter.constructor as new () => typeof TreeInterpreter) {
  readonly #literals: readonly Json[];

  constructor(literals: readonly Json[]) {
    super();
    this.#literals = literals;
    for (const [name, call] of Object.entries(functions)) {
      const signature = this.runtime._functionTable[name]?._signature ?? [];
      const run = (args: readonly unknown[]) => call(...(args.map(this.#toFunction) as never[]));
      this.runtime.registerFunction(name, run as never, signature, { override: true });
    }
  }

  readonly #toFunction = (arg: unknown) =>
    isExpression(arg) ? (item: Json) => this.visit(arg, item as never) : arg;

  override visit(node: Node, value: never): never {
    return this.#evaluate(node, value) as never;
  }

  #evaluate(node: Node, value: Json): unknown {
    if (node.type === 'Literal') {
      return Array.isArray(node.value) ? this.#literals[Number(node.value[0])] : node.value;
    }
    if (node.type === 'Field') {
      const isThere = isJsonObject(value) && Object.hasOwn(value, node.name);
      return isThere ? (value[node.name] ?? null) : null;
    }
    if (node.type !== 'Comparator' || node.name === 'EQ' || node.name === 'NE') {
      return super.visit(node, value as never);
    }
    const [a, b]: Json[] = [node.left, node.right].map((part) => this.visit(part, value as never));
    if (!isNumber(a) || !isNumber(b)) return null;
    return { LT: a < b, LTE: a <= b, GT: a > b, GTE: a >= b }[node.name];
  }
}

function isExpression(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'expref' in value && value.expref === true;
}

function listFields(object: JsonObject): [name: string, value: Json][] {
  return Object.entries(object).filter((field): field is [string, Json] => field[1] !== undefined);
}

type KeyOf = (item: Json) => Json;
const itself: KeyOf = (item) => item;

/** Functions that the library has for numbers below 2^53 alone, or where it orders numbers by their digits. */
const functions: Record<string, (...args: never[]) => Json> = {
  abs: (number: Exact) => (number < 0 ? -number : number),
  avg: (list: Exact[]) => (list.length > 0 ? Number(addUp(list)) / list.length : null),
  ceil: (number: Exact) => (typeof number === 'bigint' ? number : Math.ceil(number)),
  floor: (number: Exact) => (typeof number === 'bigint' ? number : Math.floor(number)),
  keys: (object: JsonObject) => listFields(object).map(([name]) => name),
  length: (value: string | Json[] | JsonObject) =>
    (isJsonObject(value) ? listFields(value) : [...value]).length,
  map: (keyOf: KeyOf, list: Json[]) => list.map(keyOf),
  max: (list: Json[]) => sortBy(list, itself, -1)[0] ?? null,
  max_by: (list: Json[], keyOf: KeyOf) => sortBy(list, keyOf, -1)[0] ?? null,
  min: (list: Json[]) => sortBy(list, itself)[0] ?? null,
  min_by: (list: Json[], keyOf: KeyOf) => sortBy(list, keyOf)[0] ?? null,
  sort: (list: Json[]) => sortBy(list, itself),
  sort_by: (list: Json[], keyOf: KeyOf) => sortBy(list, keyOf),
  sum: addUp,
  to_number: toNumber,
  to_string: (value: Json) => (typeof value === 'string' ? value : writeJson(value)),
  type: typeOf,
  values: (object: JsonObject) => listFields(object).map(([, value]) => value),
};

function typeOf(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'bigint' ? 'number' : typeof value;
}

function sortBy(list: readonly Json[], keyOf: KeyOf, sign = 1): Json[] {
  const keyed = list.map((item) => ({ item, key: keyOf(item) }));
  return keyed.toSorted((a, b) => sign * compare(a.key, b.key)).map(({ item }) => item);
}

function compare(a: Json, b: Json): number {
  if (!(isNumber(a) && isNumber(b)) && !(typeof a === 'string' && typeof b === 'string')) {
    throw new Error(`cannot order ${typeName(a)} and ${typeName(b)}`);
  }
  if (a < b) return -1;
  return a > b ? 1 : 0;
}

function toNumber(value: Json): Json {
  if (typeof value !== 'string') return isNumber(value) ? value : null;
  try {
    const number = parseJson(value);
    return isNumber(number) ? number : null;
  } catch {
    return null;
  }
}

function addUp(list: readonly Exact[]): Exact {
  const isExact = list.every((value) => typeof value === 'bigint' || Number.isInteger(value));
  if (isExact) return toInteger(list.reduce<bigint>((sum, value) => sum + BigInt(value), 0n));
  const sum = list.reduce<number>((sum, value) => sum + Number(value), 0);
  if (Number.isFinite(sum)) return sum;
  throw new Error('a number is too large');
}
