import readline from 'node:readline';
import { Writable } from 'node:stream';
import headless from '@xterm/headless';
import type { Output } from '../../src/context.ts';
import type { Row, Run } from '../../src/docs/figures/terminal.ts';

const spinner = /^[\u2800-\u28ff]/;
const cyan = 6;

/** A terminal whose screen can be taken as it looks, colours too. */
export function createRecorder(columns: number) {
  const terminal = new headless.Terminal({
    cols: columns,
    rows: 1_000,
    convertEol: true,
    allowProposedApi: true,
  });
  let isOn = true;
  let onDrawn = () => {};
  const write = (text: string) => new Promise<void>((written) => terminal.write(text, written));

  const stream: Writable = new Writable({
    decodeStrings: false,
    write(chunk: string, _encoding, done) {
      if (!isOn) return done();
      // Who waits from now on wants to see what is written from now on.
      void write(chunk).then(spinner.test(chunk) ? onDrawn : undefined);
      done();
    },
  });
  // As a terminal's stream has them; each writes what moves the cursor.
  const tty = {
    isTTY: true,
    columns,
    cursorTo: (x: number) => readline.cursorTo(stream, x),
    clearLine: (direction: readline.Direction) => readline.clearLine(stream, direction),
    moveCursor: (x: number, y: number) => readline.moveCursor(stream, x, y),
  };
  const output: Output = {
    isTTY: true,
    columns,
    stream: Object.assign(stream, tty) as never,
    write: (text) => new Promise((resolve) => stream.write(text, () => resolve())),
  };

  return {
    output,
    type: (text: string) => write(text),
    /** Nothing that is written from now on is seen. */
    switchOff() {
      isOn = false;
    },
    /** Resolves when the status line has been drawn anew. */
    drawn: () =>
      new Promise<void>((resolve) => {
        onDrawn = resolve;
      }),
    async screen(): Promise<Row[]> {
      await write('');
      const { active } = terminal.buffer;
      const rows = Array.from({ length: active.baseY + active.cursorY + 1 }, (_, at) =>
        rowOf(active.getLine(at), columns),
      );
      return rows.at(-1)?.length === 0 ? rows.slice(0, -1) : rows;
    },
  };
}

function rowOf(line: headless.IBufferLine | undefined, columns: number): Row {
  const runs: Run[] = [];
  const end = line?.translateToString(true).length ?? 0;
  for (let column = 0; column < Math.min(end, columns); column += 1) {
    const cell = line?.getCell(column);
    if (!cell || cell.getWidth() === 0) continue;
    const run = {
      column,
      cells: cell.getWidth(),
      text: cell.getChars() || ' ',
      color: cell.isFgPalette() ? cell.getFgColor() % 8 : undefined,
      bold: cell.isBold() !== 0,
      dim: cell.isDim() !== 0,
    };
    const before = runs.at(-1);
    if (before && looksLike(before, run)) {
      runs[runs.length - 1] = {
        ...before,
        cells: before.cells + run.cells,
        text: before.text + run.text,
      };
    } else runs.push(run);
  }
  return runs.flatMap(standStill);
}

function looksLike(one: Run, other: Run): boolean {
  return one.color === other.color && one.bold === other.bold && one.dim === other.dim;
}

/** The spinner turns by a clock that nobody sets: it is drawn as it begins. */
function standStill(run: Run): Run[] {
  if (run.column !== 0 || !spinner.test(run.text)) return [run];
  const [, ...rest] = run.text;
  const still = { ...run, cells: 1, text: '⠋', color: cyan };
  return rest.length === 0
    ? [still]
    : [still, { ...run, column: 1, cells: run.cells - 1, text: rest.join('') }];
}
