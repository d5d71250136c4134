import { Help } from 'commander';
import type { Context } from '../context.ts';
import type { App } from '../session/app.ts';

export type Item = readonly [term: string, text: string];

/** In a pipe, as on a terminal that says nothing. */
const usualWidth = 80;
const widths = { narrowest: 40, widest: 100 } as const;

/** How wide a page of help may be: the terminal, or COLUMNS where there is none; longer lines than 100 are hard to read. */
export function pageWidth({ stdout, env }: Context): number {
  const asked = /^\d{1,4}$/.test(env.COLUMNS ?? '') ? Number(env.COLUMNS) : usualWidth;
  return Math.min(widths.widest, Math.max(widths.narrowest, stdout.columns ?? asked));
}

/** Breaks text between words. */
export function wrap(text: string, width: number): string {
  return layoutOf(width).boxWrap(text, width);
}

/** Breaks a usage line between words; what follows is indented. */
export function wrapUsage(line: string, width: number): string {
  if (line.length <= width) return line;
  return wrap(line, width - 2).replaceAll('\n', '\n  ');
}

/** Narrowest column of meanings, in characters: on a narrower terminal they come below their terms. */
const leastMeaning = 24;

/** A heading, and below it terms and what they mean: side by side where there is room. */
export function listOf(heading: string, items: readonly Item[], width: number): string {
  const layout = layoutOf(width);
  const terms = Math.max(...items.map(([term]) => term.length));
  const isWide = width - terms >= leastMeaning + 4;
  const lines = items.map(([term, text]) =>
    isWide ? layout.formatItem(term, terms, text, layout) : below(term, text, width),
  );
  return [heading, ...lines].join('\n');
}

function below(term: string, text: string, width: number): string {
  const indent = '\n      ';
  return `  ${term}${indent}${wrap(text, width - indent.length + 1).replaceAll('\n', indent)}`;
}

/** What to run for something: after its label, or below it where there is no room, each command in one piece. */
export function pointer(label: string, commands: readonly string[], width: number): string {
  const line = `${label} ${commands.join(', ')}`;
  return line.length <= width ? line : [wrap(label.trimEnd(), width), ...commands].join('\n  ');
}

function layoutOf(width: number): Help {
  return Object.assign(new Help(), { helpWidth: width, minWidthToWrap: 1 });
}

/** Prints a page of help on stdout. Its headings, which end in a colon above an indented line, are bold in colour. */
export function printPage({ sink }: App, page: string): Promise<void> {
  const lines = page.trimEnd().split('\n');
  const isHeading = (line: string, index: number) =>
    /^[A-Z].*:$/.test(line) && lines[index + 1]?.startsWith('  ');
  return sink.print(
    lines.map((text, index) => (isHeading(text, index) ? { style: 'bold', text } : text)),
  );
}
