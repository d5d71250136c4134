import { compile } from '@jmespath-community/jmespath';
import { usageFailure } from '../errors.ts';
import { thousands } from '../text/number.ts';
import { hints, invalid, refused, unexpected } from './faults.ts';
import { checkOrder } from './order.ts';
import { restored, type Tree } from './restore.ts';
import { type Token, wordsOf } from './tokens.ts';
import type { Node } from './tree.ts';

const comparisons = new Set(['EQ', 'NE', 'LT', 'LTE', 'GT', 'GTE']);
const longest = 10_000;

/** Reads an expression of JMESPath. @throws Failure (usage) that says what is invalid, and where */
export function parseQuery(expression: string): Node {
  if (expression.trim() === '') throw usageFailure('--query must not be blank', hints.help);
  if (expression.length > longest) {
    throw refused(`longer than ${thousands(longest)} characters`);
  }
  const { masked, tokens, literals } = wordsOf(expression);
  checkOrder(expression, tokens);
  const tree = compiled(expression, masked, tokens);
  return restored(expression, tree, tokens, literals);
}

function compiled(expression: string, masked: string, tokens: readonly Token[]): Tree {
  try {
    return compile(masked);
  } catch {
    const at = firstUnexpected(masked, tokens);
    const [before, token] = [tokens[at - 1], tokens[at]];
    // What was in backticks after it, a shell has taken for a command.
    const hint = before && comparisons.has(before.type) ? hints.shell : undefined;
    if (token) throw unexpected(expression, token.start, token.text, hint);
    throw invalid('unexpected end', expression, expression.trimEnd().length);
  }
}

/** The library says nowhere where it failed: it is at the last token of the shortest beginning that has an error before its end. */
function firstUnexpected(masked: string, tokens: readonly Token[]): number {
  let [from, to] = [0, tokens.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (failsBeforeEnd(masked.slice(0, tokens[middle + 1]?.start))) to = middle;
    else from = middle + 1;
  }
  return from;
}

function failsBeforeEnd(beginning: string): boolean {
  try {
    compile(beginning);
    return false;
  } catch (error) {
    // It looks beyond its own list of tokens, too.
    const atEnd = /^Syntax error: invalid token \(EOF\)|got: EOF$|\(EOF\)$/;
    return !(error instanceof TypeError || atEnd.test(String((error as Error).message)));
  }
}
