import { Writable } from 'node:stream';
import type { Output } from '../../src/context.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal acts on
const escapes = /\x1b\[[?\d;]*[a-zA-Z]/g;

/** A terminal of that many columns as ora sees it. */
export function createTerminal(columns: number) {
  let written = '';
  let rows = [''];
  let row = 0;
  let column = 0;
  let onWrite = () => {};

  function type(character: string): void {
    if (character === '\n' || column === columns) {
      row += 1;
      column = 0;
      rows[row] ??= '';
    }
    if (character === '\n') return;
    const line = rows[row] ?? '';
    rows[row] = line.slice(0, column).padEnd(column) + character + line.slice(column + 1);
    column += 1;
  }

  const stream = new Writable({
    decodeStrings: false,
    write(chunk: string, _encoding, done) {
      written += chunk;
      for (const character of chunk.replace(escapes, '')) type(character);
      onWrite();
      done();
    },
  });
  const tty = {
    isTTY: true,
    columns,
    cursorTo(x: number) {
      column = x;
    },
    clearLine() {
      rows[row] = (rows[row] ?? '').slice(0, column);
      rows = rows.slice(0, row + 1);
    },
    moveCursor(_x: number, y: number) {
      row += y;
    },
  };
  const output: Output = {
    isTTY: true,
    // As the context of a real run.
    columns: columns || 80,
    stream: Object.assign(stream, tty) as never,
    write: (text) => new Promise((resolve) => stream.write(text, () => resolve())),
  };
  return {
    output,
    /** All that was ever written. */
    text: () => written,
    /** The lines that one sees, without the spinner's changing sign. */
    screen: () =>
      rows.map((line) => line.replace(/^[\u2800-\u28ff] /, '').trimEnd()).filter(Boolean),
    /** Resolves with the next write. */
    nextWrite: () =>
      new Promise<void>((resolve) => {
        onWrite = resolve;
      }),
  };
}
