import { Writable } from 'node:stream';
import { expect, vi } from 'vitest';
import { test as base, type RunOptions } from './petstore.ts';
import { screenOf } from './screen.ts';
import { never } from './told.ts';
import type { Output } from './values.ts';

// The program draws with it; time would pass in memory while it loads.
await import('ora');

type WatchOptions = Pick<RunOptions, 'env' | 'signal'> & { readonly columns?: number };

/** A command that runs on a terminal. Time stands still but for `pass` and `end`. */
type Watched = Pick<ReturnType<typeof createTerminal>, 'text'> & {
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
      const { output, text, screen } = createTerminal(columns);
      let release = clock.hold();
      let drawn = 0;
      const ended = petstore(argv, { ...options, context: { stdout: output, stderr: output } });
      return {
        text,
        shows(pattern) {
          const look = async () => {
            expect(text().length).toBeGreaterThan(drawn);
            const shown = (await screen()).join('\n');
            expect(shown).toMatch(pattern);
            return shown;
          };
          // It draws in real time, and nothing more once it has ended.
          return Promise.race([vi.waitFor(look, 10_000), ended.then(look)]);
        },
        async pass(ms) {
          const passed = clock.sleep(ms, never);
          release();
          await passed;
          release = clock.hold();
          drawn = text().length;
        },
        async end() {
          release();
          const { exitCode } = await ended;
          return { exitCode, screen: await screen() };
        },
      };
    }),
});

/** A terminal of that many columns as ora sees it. */
function createTerminal(columns: number) {
  let written = '';
  const stream = new Writable({
    decodeStrings: false,
    write(chunk: string, _encoding, done) {
      written += chunk;
      done();
    },
  });
  const tty = Object.assign(stream, {
    isTTY: true,
    columns,
    cursorTo: (x: number) => stream.write(`\u001b[${x + 1}G`),
    clearLine: () => stream.write('\u001b[K'),
    moveCursor: (_x: number, y: number) => stream.write(`\u001b[${-y}A`),
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
    async screen(): Promise<string[]> {
      const lines = await screenOf(written, columns);
      return lines.map((line) => line.replace(/^[\u2800-\u28ff] /, ''));
    },
  };
}
