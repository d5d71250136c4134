import { type Failure, usageFailure } from '../errors.ts';
import { positionAfter, startOfText } from '../json/position.ts';

/** Where it is in the expression, for messages. */
export function placeOf(expression: string, offset: number): string {
  const { line, column } = positionAfter(startOfText, expression, 0, offset);
  return expression.includes('\n') ? `line ${line}, column ${column}` : `column ${column}`;
}

/** The next thing to do. */
export const hints = {
  help: 'See: petstore help options',
  string: "Write strings in single quotes: 'dog'",
  shell: "Keep backticks from the shell with single quotes: '[?id==`4`]'",
  equal: 'To compare: ==',
} as const;

/** An expression that is refused before anything is sent; `hint` says what to write instead, where that is known. */
export function refused(what: string, hint: string = hints.help): Failure {
  return usageFailure(`invalid --query: ${what}`, hint);
}

/** @param what what is invalid at that offset of the expression */
export function invalid(
  what: string,
  expression: string,
  offset: number,
  hint: string = hints.help,
): Failure {
  return refused(`${what} at ${placeOf(expression, offset)}`, hint);
}

/** Longest piece of an expression that a message quotes. */
const longestQuote = 30;

/** A part of the expression that does not belong at that offset. @param otherwise the hint where the part gives none */
export function unexpected(
  expression: string,
  offset: number,
  text: string,
  otherwise?: string,
): Failure {
  const hint = hintFor(text) ?? otherwise;
  const shown = text.length > longestQuote ? `${text.slice(0, longestQuote)}…` : text;
  return invalid(
    `unexpected ${shown.startsWith('"') ? shown : `"${shown}"`}`,
    expression,
    offset,
    hint,
  );
}

function hintFor(text: string): string | undefined {
  if (/^-?\d{1,20}$/.test(text)) return `Write numbers in backticks: \`${text}\``;
  return text === '=' ? hints.equal : undefined;
}
