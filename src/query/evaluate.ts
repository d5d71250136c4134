import { Failure } from '../errors.ts';
import { ExactNumber, isJsonObject, type Json } from '../json/exact.ts';
import { callFunction } from './call.ts';
import { type Evaluate, functions, Misuse } from './functions.ts';
import { compareNumbers } from './numbers.ts';
import type { Call, Comparison, Node, Slice } from './tree.ts';
import { areEqual, fieldsOf, holds } from './values.ts';
import { perValue, type Work } from './work.ts';

/**
 * An expression as a function of the current value, by the JMESPath specification. Numbers pass through as they are, and are
 * compared exactly. The value is not changed, and the result may share parts with it.
 */
export function evaluator(node: Node, work: Work): Evaluate {
  const evaluate = made(node, work);
  return (value) => {
    work.spend(1);
    return evaluate(value);
  };
}

function made(node: Node, work: Work): Evaluate {
  const of = (part: Node) => evaluator(part, work);
  switch (node.type) {
    case 'Current':
      return (value) => value;
    case 'Literal':
      return () => node.value;
    case 'Field':
      return (value) =>
        isJsonObject(value) && Object.hasOwn(value, node.name) ? (value[node.name] ?? null) : null;
    case 'Index':
      return (value) => (Array.isArray(value) ? (value.at(node.value) ?? null) : null);
    case 'Slice':
      return (value) => (Array.isArray(value) ? sliced(value, node) : null);
    case 'Flatten': {
      const child = of(node.child);
      return (value) => flattened(child(value), work);
    }
    case 'Not': {
      const child = of(node.child);
      return (value) => !holds(child(value));
    }
    case 'List': {
      const children = node.children.map(of);
      return (value) => {
        work.spend(children.length * perValue);
        return value === null ? null : children.map((child) => child(value));
      };
    }
    case 'Object': {
      const fields = node.fields.map(([name, field]) => [name, of(field)] as const);
      return (value) => {
        work.spend(fields.length * perValue);
        if (value === null) return null;
        return Object.fromEntries(fields.map(([name, field]) => [name, field(value)]));
      };
    }
    case 'Call':
      return calling(node, work);
    default:
      return joined(node, of(node.left), of(node.right), work);
  }
}

function joined(
  node: Extract<Node, { readonly left: Node }>,
  left: Evaluate,
  right: Evaluate,
  work: Work,
): Evaluate {
  switch (node.type) {
    case 'Chain':
      return (value) => right(left(value));
    case 'And':
      return (value) => {
        const first = left(value);
        return holds(first) ? right(value) : first;
      };
    case 'Or':
      return (value) => {
        const first = left(value);
        return holds(first) ? first : right(value);
      };
    case 'Compare':
      return (value) => compared(node.name, left(value), right(value), work);
    case 'Projection':
      return (value) => projected(left(value), right, work);
    case 'ValueProjection':
      return (value) => {
        const object = left(value);
        if (!isJsonObject(object)) return null;
        const values = fieldsOf(object).map(([, field]) => field);
        return projected(values, right, work);
      };
    case 'FilterProjection': {
      const condition = evaluator(node.condition, work);
      return (value) => projected(left(value), right, work, condition);
    }
  }
}

/** What each element becomes, but for those that become nothing. */
function projected(list: Json, right: Evaluate, work: Work, condition?: Evaluate): Json {
  if (!Array.isArray(list)) return null;
  const found: Json[] = [];
  for (const element of list) {
    if (condition && !holds(condition(element))) continue;
    const result = right(element);
    if (result !== null) found.push(result);
  }
  work.spend(found.length * perValue);
  return found;
}

function flattened(list: Json, work: Work): Json {
  if (!Array.isArray(list)) return null;
  const flat = list.flat() as Json[];
  work.spend(flat.length * perValue);
  return flat;
}

/** As in Python: from `start` on, before `stop`, each `step`th; negative ones count from the end. */
function sliced(list: readonly Json[], { start, stop, step }: Slice): Json[] {
  const by = step ?? 1;
  const [least, most] = by > 0 ? [0, list.length] : [-1, list.length - 1];
  const within = (at: number) => Math.min(most, Math.max(least, at < 0 ? at + list.length : at));
  const end = stop === null ? (by > 0 ? most : least) : within(stop);
  const found: Json[] = [];
  let at = start === null ? (by > 0 ? least : most) : within(start);
  for (; by > 0 ? at < end : at > end; at += by) found.push(list[at] ?? null);
  return found;
}

const orders: Readonly<Record<Exclude<Comparison, 'EQ' | 'NE'>, (order: number) => boolean>> = {
  LT: (order) => order < 0,
  LTE: (order) => order <= 0,
  GT: (order) => order > 0,
  GTE: (order) => order >= 0,
};

/** Only numbers have an order: of other values the specification makes null. */
function compared(name: Comparison, one: Json, other: Json, work: Work): Json {
  if (name === 'EQ') return areEqual(one, other, work);
  if (name === 'NE') return !areEqual(one, other, work);
  if (!(one instanceof ExactNumber && other instanceof ExactNumber)) return null;
  return orders[name](compareNumbers(one, other));
}

function calling({ name, place, args }: Call, work: Work): Evaluate {
  const called = functions.get(name);
  if (!called) throw new Error(`unknown function ${name}`);
  const given = args.map(({ node, isReference }) => ({ isReference, of: evaluator(node, work) }));
  return (value) => {
    const taken = given.map(({ isReference, of }) => (isReference ? of : of(value)));
    try {
      return callFunction(called, taken, work);
    } catch (error) {
      if (!(error instanceof Misuse)) throw error;
      throw new Failure('usage', `--query failed at ${place}: ${name}() ${error.message}`);
    }
  };
}
