import type { Output } from '../context.ts';
import { widthOf } from './layout.ts';
import type { Look } from './paint.ts';
import type { Line, Sink } from './sink.ts';
import { reportedWidth } from './status-line.ts';
import { wrapWords } from './wrap.ts';

/** A sentence below what is drawn. */
export type Caption = { readonly text: string; readonly look?: Look | undefined };

/** What is on the screen. */
type Drawing = {
  readonly text: string;
  /** Cells of each line, and of the terminal that they were drawn on. */
  readonly cells: readonly number[];
  readonly width: number;
  /** How many lines stderr had until then. */
  readonly said: number;
};

/**
 * A sink for a terminal on which each print takes the place of the one before it. Only what it drew is ever erased: where
 * another line came in between, it is drawn anew below, and of what a narrower terminal broke, some lines may stay.
 * @param captions asked for at each print
 */
export function createRedraw(stdout: Output, sink: Sink, captions: () => readonly Caption[]): Sink {
  let drawn: Drawing | undefined;

  return {
    ...sink,
    async print(lines, paint) {
      const width = reportedWidth(stdout);
      const shown = cutToHeight([...lines, ...captions().flatMap(linesOf)], width);
      const text = JSON.stringify(shown);
      const last = drawn?.said === sink.said() ? drawn : undefined;
      if (last?.text === text && last.width === width) return;
      if (last) {
        // Terminals differ in whether they break lines anew: this is the least that is there now.
        const rows = rowsOf({ ...last, width: Math.max(last.width, width) });
        await stdout.write(`\x1b[${rows}A\r\x1b[J`);
      }
      await sink.print(shown, paint);
      drawn = { text, cells: shown.flatMap(cellsOf), width, said: sink.said() };
    },
  };

  function linesOf({ text, look }: Caption): Line[] {
    const lines = wrapWords(sink.show(text), reportedWidth(stdout), 2).split('\n');
    return lines.map((line) => (look ? { look, begin: line, rest: '' } : line));
  }

  /** What scrolled off the screen could not be erased. */
  function cutToHeight(lines: readonly Line[], width: number): readonly Line[] {
    let room = (stdout.stream?.rows || Number.POSITIVE_INFINITY) - 1;
    const end = lines.findIndex((line) => {
      room -= rowsOf({ cells: cellsOf(line), width });
      return room < 0;
    });
    return end < 0 ? lines : lines.slice(0, Math.max(1, end));
  }
}

/** Rows of the terminal. */
function rowsOf({ cells, width }: Pick<Drawing, 'cells' | 'width'>): number {
  return cells.reduce((rows, count) => rows + Math.max(1, Math.ceil(count / width)), 0);
}

function cellsOf(line: Line): number[] {
  return textOf(line).split('\n').map(widthOf);
}

function textOf(line: Line): string {
  if (typeof line === 'string') return line;
  if ('bold' in line) return line.bold;
  if ('look' in line) return line.begin + line.rest;
  return 'record' in line ? line.record : line.sealed;
}
