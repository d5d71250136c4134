import { thousands } from '../text/number.ts';
import { invalid, refused, unexpected } from './faults.ts';
import type { Token } from './tokens.ts';

/** Tokens of extensions of the language: `let`, `$`, arithmetic, a ternary. */
const extensions = new Set([
  'Variable',
  'Root',
  'Assign',
  'Plus',
  'Minus',
  'Multiply',
  'Divide',
  'Modulo',
  'Div',
  'Question',
]);

/** A value may end with such a token. */
const endings = new Set([
  'UnquotedIdentifier',
  'QuotedIdentifier',
  'Literal',
  'Number',
  'Current',
  'Star',
  'Flatten',
  'Rbracket',
  'Rparen',
  'Rbrace',
]);
/** One begins with such a token, which cannot follow another value. */
const beginnings = new Set([
  'UnquotedIdentifier',
  'QuotedIdentifier',
  'Literal',
  'Number',
  'Current',
  'Star',
  'Not',
  'Expref',
  'Lparen',
  'Lbrace',
]);

const closers: Readonly<Record<string, readonly [type: string, text: string]>> = {
  Lbracket: ['Rbracket', ']'],
  Filter: ['Rbracket', ']'],
  Lparen: ['Rparen', ')'],
  Lbrace: ['Rbrace', '}'],
};
const closing = new Set(Object.values(closers).map(([type]) => type));

/** What the library and we go one level deeper for, and tokens in all: more than that could take the stack. */
const deeper = new Set([...Object.keys(closers), 'Flatten', 'Star', 'Not', 'Expref']);
const most = { levels: 500, tokens: 4_000 };

/**
 * Refuses what the library takes although the specification does not, and what is plain to see before it is asked: there the
 * column is known. @throws Failure (usage)
 */
export function checkOrder(expression: string, tokens: readonly Token[]): void {
  const levels = tokens.filter(({ type }) => deeper.has(type)).length;
  if (levels > most.levels || tokens.length > most.tokens) {
    const limit =
      levels > most.levels
        ? `${most.levels} brackets`
        : `${thousands(most.tokens)} words and signs`;
    throw refused(`more than ${limit}`);
  }
  /** What closes the brackets that are open. */
  const open: (readonly [type: string, text: string])[] = [];
  let before: Token | undefined;
  for (const token of tokens) {
    if (extensions.has(token.type) || isOutOfPlace(token, before)) {
      throw unexpected(expression, token.start, token.text);
    }
    const closer = closers[token.type];
    if (closer) open.push(closer);
    if (closing.has(token.type)) {
      const [type, text] = open.pop() ?? [];
      if (type === undefined) throw unexpected(expression, token.start, token.text);
      if (type !== token.type) throw invalid(`expected "${text}"`, expression, token.start);
    }
    before = token;
  }
  const [, missing] = open.at(-1) ?? [];
  const end = expression.trimEnd().length;
  if (missing && before && endings.has(before.type)) {
    throw invalid(`expected "${missing}"`, expression, end);
  }
}

function isOutOfPlace({ type, start }: Token, before: Token | undefined): boolean {
  if (!before) return false;
  if (before.type === 'Comma') return closing.has(type);
  // Only a name directly before it is a function's.
  const isCall =
    type === 'Lparen' &&
    before.type === 'UnquotedIdentifier' &&
    before.start + before.text.length === start;
  return endings.has(before.type) && beginnings.has(type) && !isCall;
}
