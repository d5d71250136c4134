import { stopAt } from './faults.ts';
import { takeObject } from './json-object.ts';
import type { Reader, Rows } from './rows.ts';

/** Longest line, in characters. */
const maxLine = 1024 * 1024;

/** Reads one object a line; empty lines are passed over. */
export function createNdjsonReader(rows: Rows): Reader {
  let line = 1;
  let begun = '';

  return {
    read(text) {
      let from = 0;
      for (let to = text.indexOf('\n'); to >= 0; to = text.indexOf('\n', from)) {
        extend(text.slice(from, to));
        takeLine();
        from = to + 1;
      }
      extend(text.slice(from));
    },
    end: takeLine,
  };

  function extend(text: string): void {
    begun += text;
    if (begun.length > maxLine) throw stopAt({ line, column: 1 }, 'line longer than 1 MiB');
  }

  function takeLine(): void {
    const text = begun.replace(/\r$/, '');
    const start = text.search(/[^ \t]/);
    const position = { line, column: start + 1 };
    if (text[start] === '[' && rows.list.length === 0) {
      const reason = 'expected one JSON object per line, got an array';
      throw stopAt(position, reason, 'For one JSON array: --format json');
    }
    if (start >= 0) takeObject(rows, text.slice(start), position);
    begun = '';
    line += 1;
  }
}
