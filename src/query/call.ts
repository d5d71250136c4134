import type { Json } from '../json/exact.ts';
import { type Callable, type Evaluate, Misuse } from './functions.ts';
import { described, isA, listOf } from './types.ts';
import { perValue, type Work } from './work.ts';

/** Calls a function with arguments that are checked. @throws Misuse */
export function callFunction(
  { takes, call }: Callable,
  args: readonly (Json | Evaluate)[],
  work: Work,
): Json {
  const values: Json[] = [];
  let evaluate: Evaluate = (value) => value;
  for (const [at, arg] of args.entries()) {
    if (typeof arg === 'function') {
      evaluate = arg;
      continue;
    }
    const types = takes[Math.min(at, takes.length - 1)] ?? [];
    if (!types.some((type) => isA(type, arg))) {
      const which = args.length === 1 ? 'its argument' : `argument ${at + 1}`;
      throw new Misuse(`needs ${listOf(types)} as ${which}, got ${described(types, arg)}`);
    }
    values.push(arg);
  }
  const result = call({ values, expression: evaluate, work });
  if (Array.isArray(result)) work.spend(result.length * perValue);
  return result;
}
