import type { Json } from '../json/exact.ts';

/** An expression of JMESPath, taken apart: what it makes of a current value. */
export type Node =
  | { readonly type: 'Current' }
  | { readonly type: 'Literal'; readonly value: Json }
  | { readonly type: 'Field'; readonly name: string }
  | { readonly type: 'Index'; readonly value: number }
  | Slice
  | { readonly type: 'Flatten'; readonly child: Node }
  | { readonly type: 'Not'; readonly child: Node }
  /** `left.right`, `left[0]` and `left | right`: the right one of what the left one gives. */
  | Pair<'Chain'>
  | Pair<'And'>
  | Pair<'Or'>
  | (Pair<'Compare'> & { readonly name: Comparison })
  /** The right one of each element that the left one gives, or of each value of an object. */
  | Pair<'Projection'>
  | Pair<'ValueProjection'>
  | (Pair<'FilterProjection'> & { readonly condition: Node })
  | { readonly type: 'List'; readonly children: readonly Node[] }
  | { readonly type: 'Object'; readonly fields: readonly (readonly [string, Node])[] }
  | Call;

type Pair<Type extends string> = {
  readonly type: Type;
  readonly left: Node;
  readonly right: Node;
};

export type Comparison = 'EQ' | 'NE' | 'LT' | 'LTE' | 'GT' | 'GTE';

export type Slice = {
  readonly type: 'Slice';
  readonly start: number | null;
  readonly stop: number | null;
  readonly step: number | null;
};

export type Call = {
  readonly type: 'Call';
  readonly name: string;
  /** Where it is, for messages: "column 9". */
  readonly place: string;
  readonly args: readonly Argument[];
};

/** An expression that is evaluated first, or one that the function evaluates itself (`&name`). */
export type Argument = { readonly node: Node; readonly isReference: boolean };

/** Whether the whole of a list gives what its pieces give one after another. */
export function isPiecewise(node: Node): boolean {
  switch (node.type) {
    case 'Current':
      return true;
    case 'Projection':
    case 'FilterProjection':
      return isPiecewise(node.left);
    case 'Flatten':
      return isPiecewise(node.child);
    case 'Chain':
      return isPiecewise(node.left) && isPiecewise(node.right);
    default:
      return false;
  }
}

/**
 * The fields of each object in the list that it gives, where the expression alone says them: `[].{id: id}`. Of `[].[id, name]`,
 * a list of lists, they are 1 and 2.
 */
export function columnsOf(node: Node): readonly string[] | undefined {
  if (node.type === 'Chain') return columnsOf(node.right);
  const isList = node.type === 'Projection' || node.type === 'FilterProjection';
  return isList ? fieldsOf(node.right) : undefined;
}

function fieldsOf(node: Node): readonly string[] | undefined {
  if (node.type === 'Chain') return fieldsOf(node.right);
  if (node.type === 'List') return node.children.map((_, at) => String(at + 1));
  return node.type === 'Object' ? [...new Set(node.fields.map(([name]) => name))] : undefined;
}
