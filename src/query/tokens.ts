import { tokenize } from '@jmespath-community/jmespath';
import type { Json } from '../json/exact.ts';
import { JsonError, parseJson } from '../json/parse.ts';
import { hints, invalid, unexpected } from './faults.ts';

export type Token = { readonly type: string; readonly start: number; readonly text: string };

/** An expression in its parts. */
export type Words = {
  /** The expression with all literals blanked out: the library would round their numbers. */
  readonly masked: string;
  readonly tokens: readonly Token[];
  /** The values of its literals, in their order. */
  readonly literals: readonly Json[];
};

/** In double quotes is a name, in single ones a text, in backticks JSON. */
const quoted = /(["'`])(?:\\.|(?!\1)[^\\])*(\1)?/gs;
/** What no expression has outside of quotes; all else that the library does not take is refused as a token. */
const unknown = /[^\w\t\n\r ().,:@{}[\]!<=>&|*?"'`-]/u;

/** Takes an expression apart. @throws Failure (usage) for what is not of the language */
export function wordsOf(expression: string): Words {
  const literals: Json[] = [];
  const masked = expression.replace(quoted, (all, quote: string, end: string, at: number) => {
    if (end === undefined) throw invalid(`unclosed ${quote}`, expression, at);
    const inside = all.slice(1, -1);
    const jsonOf = (text: string, what: string, hint?: string) => {
      try {
        return parseJson(text);
      } catch (error) {
        throw error instanceof JsonError ? invalid(`invalid ${what}`, expression, at, hint) : error;
      }
    };
    if (quote === '"') {
      jsonOf(all, 'name in double quotes');
      return all;
    }
    if (quote === "'") {
      literals.push(inside.replaceAll("\\'", "'"));
      return `'${'x'.repeat(inside.length)}'`;
    }
    literals.push(jsonOf(inside.replaceAll('\\`', '`'), 'JSON in backticks', hints.string));
    return `\`${'0'.padEnd(inside.length)}\``;
  });
  const stranger = masked.replace(quoted, (all) => '_'.repeat(all.length)).search(unknown);
  if (stranger >= 0) {
    throw unexpected(
      expression,
      stranger,
      String.fromCodePoint(expression.codePointAt(stranger) ?? 0),
    );
  }
  const found = tokenize(masked);
  const tokens = found.map(({ type, start }, at) => ({
    type: String(type),
    start,
    text: expression.slice(start, found[at + 1]?.start).trimEnd(),
  }));
  return { masked, tokens, literals };
}
