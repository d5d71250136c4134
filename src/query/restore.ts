import type { compile } from '@jmespath-community/jmespath';
import type { Failure } from '../errors.ts';
import type { Json } from '../json/exact.ts';
import { nearest } from '../text/nearest.ts';
import { placeOf, refused, unexpected } from './faults.ts';
import { functions } from './functions.ts';
import type { Token } from './tokens.ts';
import type { Argument, Comparison, Node } from './tree.ts';

/** An expression as the library takes it apart. */
export type Tree = ReturnType<typeof compile>;

/**
 * The library's tree as ours, with what it has not: the exact values of literals and the places of functions. Both come in the
 * tree in the order in which they are written.
 */
export function restored(
  expression: string,
  tree: Tree,
  tokens: readonly Token[],
  literals: readonly Json[],
): Node {
  const calls = tokens.filter(
    ({ type }, at) => type === 'UnquotedIdentifier' && tokens[at + 1]?.type === 'Lparen',
  );
  const references = tokens.filter(({ type }) => type === 'Expref');
  let literal = 0;
  let call = 0;
  let reference = 0;
  return restore(tree);

  function restore(tree: Tree): Node {
    switch (tree.type) {
      case 'Identity':
      case 'Current':
        return { type: 'Current' };
      case 'Literal': {
        const value = literals[literal] ?? null;
        literal += 1;
        return { type: 'Literal', value };
      }
      case 'Field':
        return { type: 'Field', name: tree.name };
      case 'Index':
        return { type: 'Index', value: tree.value };
      case 'Slice':
        return checkedSlice(tree);
      case 'Flatten':
        return { type: 'Flatten', child: restore(tree.child) };
      case 'NotExpression':
        return { type: 'Not', child: restore(tree.child) };
      case 'Subexpression':
      case 'IndexExpression':
      case 'Pipe':
        return { type: 'Chain', left: restore(tree.left), right: restore(tree.right) };
      case 'AndExpression':
        return { type: 'And', left: restore(tree.left), right: restore(tree.right) };
      case 'OrExpression':
        return { type: 'Or', left: restore(tree.left), right: restore(tree.right) };
      case 'Comparator': {
        const name: Comparison = tree.name;
        return { type: 'Compare', name, left: restore(tree.left), right: restore(tree.right) };
      }
      case 'Projection':
      case 'ValueProjection':
        return { type: tree.type, left: restore(tree.left), right: restore(tree.right) };
      case 'FilterProjection': {
        const left = restore(tree.left);
        const condition = restore(tree.condition);
        return { type: tree.type, left, condition, right: restore(tree.right) };
      }
      case 'MultiSelectList':
        return { type: 'List', children: tree.children.map(restore) };
      case 'MultiSelectHash':
        return {
          type: 'Object',
          fields: tree.children.map(({ name, value }) => [name, restore(value)]),
        };
      case 'Function':
        return restoreCall(tree.name, tree.children);
      case 'ExpressionReference':
        throw misplaced();
      default:
        // Refused as tokens.
        throw new Error(`unknown part of an expression: ${tree.type}`);
    }
  }

  function checkedSlice(slice: Extract<Tree, { type: 'Slice' }>): Node {
    if (slice.step === 0) throw refused('the step of a slice must not be 0');
    return { type: 'Slice', start: slice.start, stop: slice.stop, step: slice.step };
  }

  function misplaced() {
    const { start = 0 } = references[reference] ?? {};
    return unexpected(expression, start, '&');
  }

  function restoreCall(name: string, children: readonly Tree[]): Node {
    const { start = 0 } = calls[call] ?? {};
    call += 1;
    const known = functions.get(name);
    const place = placeOf(expression, start);
    if (!known) throw unknownFunction(name, place);
    const { takes, isVariadic } = known;
    const count = children.length;
    if (isVariadic ? count < takes.length : count !== takes.length) {
      const least = isVariadic ? 'at least ' : '';
      const wanted = `${least}${takes.length} ${takes.length === 1 ? 'argument' : 'arguments'}`;
      throw refused(`${name}() at ${place} takes ${wanted}, got ${count}`);
    }
    const args = children.map((child, at): Argument => {
      const wanted = takes[Math.min(at, takes.length - 1)] ?? [];
      const isReference = child.type === 'ExpressionReference';
      if (wanted.includes('expression') && !isReference) {
        throw refused(
          `argument ${at + 1} of ${name}() at ${place} must be an expression such as &name`,
        );
      }
      if (!isReference) return { node: restore(child), isReference };
      if (!wanted.includes('expression')) throw misplaced();
      reference += 1;
      return { node: restore(child.child), isReference };
    });
    return { type: 'Call', name, place, args };
  }
}

function unknownFunction(name: string, place: string): Failure {
  const names = [...functions.keys()];
  const meant = nearest(name.toLowerCase(), names);
  const what = `unknown function ${name}() at ${place}`;
  if (meant === undefined) return refused(what, `One of: ${names.join(', ')}`);
  return refused(`${what}; did you mean ${meant}()?`);
}
