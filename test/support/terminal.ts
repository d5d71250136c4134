import { Writable } from 'node:stream';
import { expect, vi } from 'vitest';
import { test as base, type RunOptions } from './petstore.ts';
import type { Output } from './values.ts';

// The program draws with it; time would pass in memory while it loads.
await import('ora');

// biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal acts on
const escapes = /\x1b\[[?\d;]*[a-zA-Z]/g;

type WatchOptions = Pick<RunOptions, 'env' | 'signal'> & { readonly columns?: number };

/** A command that runs on a terminal. Time stands still but for `pass` and `end`. */
type Watched = Pick<ReturnType<typeof createTerminal>, 'text' | 'resize'> & {
  /** Resolves with the screen once it was drawn since time last passed, and matches. */
  readonly shows: (pattern: RegExp) => Promise<string>;
  /** Lets so many ms pass. */
  readonly pass: (ms: number) => Promise<void>;
  /** Lets the time pass to the end of the command, and returns its exit code and what is left on the screen. */
  readonly end: () => Promise<{ readonly exitCode: number; readonly screen: readonly string[] }>;
};

export const test = base.extend<{
  /** Starts a command on a terminal, 100 columns wide unless told otherwise. */
  watch: (argv: readonly string[], options?: WatchOptions) => Watched;
}>({
  watch: ({ petstore, clock }, use) =>
    use((argv, { columns = 100, ...options } = {}) => {
      const { output, text, screen, resize } = createTerminal(columns);
      let release = clock.hold();
      let drawn = 0;
      const ended = petstore(argv, { ...options, context: { stdout: output, stderr: output } });
      return {
        text,
        resize,
        // It draws in real time.
        shows: (pattern) =>
          vi.waitFor(() => {
            const shown = screen().join('\n');
            expect(shown).toMatch(pattern);
            expect(text().length).toBeGreaterThan(drawn);
            return shown;
          }, 10_000),
        async pass(ms) {
          const passed = clock.sleep(ms, new AbortController().signal);
          release();
          await passed;
          release = clock.hold();
          drawn = text().length;
        },
        async end() {
          release();
          const { exitCode } = await ended;
          return { exitCode, screen: screen() };
        },
      };
    }),
});

/** A terminal of that many columns as ora sees it. */
function createTerminal(columns: number) {
  let written = '';
  let rows = [''];
  let row = 0;
  let column = 0;

  function type(character: string): void {
    if (character === '\n' || column === tty.columns) {
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
      done();
    },
  });
  const tty = Object.assign(stream, {
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
  });
  const output: Output = {
    isTTY: true,
    get columns() {
      // As the context of a real run.
      return tty.columns || 80;
    },
    stream: tty as never,
    write: (text) => new Promise((resolve) => stream.write(text, () => resolve())),
  };
  return {
    output,
    /** All that was ever written. */
    text: () => written,
    /** The lines that one sees, without the spinner's changing sign. */
    screen: () =>
      rows.map((line) => line.replace(/^[\u2800-\u28ff] /, '').trimEnd()).filter(Boolean),
    /** The user makes the window wider or narrower; what is on the screen stays where it is. */
    resize(width: number) {
      tty.columns = width;
    },
  };
}
