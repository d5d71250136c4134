import type { Json } from '../json/exact.ts';
import { evaluator } from './evaluate.ts';
import { parseQuery } from './syntax.ts';
import { columnsOf, isPiecewise } from './tree.ts';
import { createRoom, createWork } from './work.ts';

/** What `--query` picks from a result. */
export type Query = {
  /** What the expression makes of a value, which is not changed. @throws Failure (usage) */
  readonly apply: (data: Json) => Json;
  /** Whether a list can be given in pieces: the results one after another are that of the whole. */
  readonly isPiecewise: boolean;
  /** The fields of the objects in the resulting list, or the places in its lists, where the expression alone says them. */
  readonly columns: readonly string[] | undefined;
};

/** Reads an expression of JMESPath. @throws Failure (usage) that says what is invalid, and where */
export function createQuery(expression: string): Query {
  const tree = parseQuery(expression);
  return {
    isPiecewise: isPiecewise(tree),
    columns: columnsOf(tree),
    apply(data) {
      const result = evaluator(tree, createWork(data))(data);
      createRoom().take(Array.isArray(result) ? result : [result]);
      return result;
    },
  };
}
