import type { Look } from './paint.ts';
import type { Line, Sink } from './sink.ts';
import type { TableOptions } from './table.ts';
import { wrapWords } from './wrap.ts';

/** What was found of one thing; of all of them where it has no title. */
export type Verdict = {
  readonly status: 'ok' | 'warn' | 'fail' | 'unknown' | 'unset';
  readonly title?: string;
  readonly text: string;
};

const marks = {
  ok: { look: 'green', mark: '✔', ascii: 'ok' },
  warn: { look: 'yellow', mark: '!', ascii: '!' },
  fail: { look: 'red', mark: '✘', ascii: 'x' },
  unknown: { look: 'dim', mark: '-', ascii: '-' },
  unset: { look: 'dim', mark: '-', ascii: '-' },
} as const satisfies Record<Verdict['status'], { look: Look; mark: string; ascii: string }>;

/** A line for each verdict, which begins with its sign; on a terminal it is broken between words. */
export function checklist(
  verdicts: readonly Verdict[],
  sink: Sink,
  { width, ascii }: Pick<TableOptions, 'width' | 'ascii'>,
): Line[] {
  const markWidth = ascii ? 2 : 1;
  const titleWidth = Math.max(0, ...verdicts.map(({ title = '' }) => title.length));
  return verdicts.map(({ status, title, text }) => {
    const { look, mark, ascii: plain } = marks[status];
    const signed = (ascii ? plain : mark).padEnd(markWidth);
    const begin = title === undefined ? signed : `${signed} ${title}`;
    const column = title === undefined ? markWidth + 1 : markWidth + titleWidth + 3;
    const safe = sink.show(text);
    const shown = ' '.repeat(column - begin.length) + safe;
    if (width === undefined) return { look, begin, rest: shown };
    const narrow = markWidth + 1;
    // A path that is wider than its column would be cut by the terminal.
    if (title !== undefined && safe.split(' ').some((word) => word.length > width - column)) {
      return { look, begin, rest: `\n${wrapWords(' '.repeat(narrow) + safe, width, narrow)}` };
    }
    // Under a long title a narrow terminal has no room.
    const indent = column > width / 2 ? narrow : column;
    return { look, begin, rest: wrapWords(shown, width, indent, begin).slice(begin.length) };
  });
}
