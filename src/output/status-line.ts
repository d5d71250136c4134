import type { Ora } from 'ora';
import type { Context, Environment, Output } from '../context.ts';
import type { Sink } from './sink.ts';

/** How often the line is drawn anew, in ms. */
const interval = 100;
/** Cells of the spinner, and of the margin that keeps a full line from being broken. */
const aroundText = 3;

export type LineLook = { readonly color: boolean; readonly ascii: boolean };

export type StatusLine = {
  /** Cells that a text may take. */
  readonly width: () => number;
  /** Shows a text in place of the last one; undefined takes the line away. */
  readonly show: (text: string | undefined) => void;
  /** Takes the line away for good: one that is left on would keep the process alive. */
  readonly end: () => void;
};

/** Whether lines can be rewritten on a stream. A terminal that reports no width cannot be trusted with it. */
export function canRewrite(stream: Output, env: Environment): boolean {
  return stream.isTTY && reportedWidth(stream) > 0 && env.TERM !== 'dumb' && !env.CI;
}

/** What the terminal itself says, 0 if nothing: a line that it breaks cannot be rewritten. */
function reportedWidth({ stream, columns }: Output): number {
  return (stream ? stream.columns : columns) ?? 0;
}

/** The one line of the terminal that is rewritten; all other lines of the run appear above it. */
export function createStatusLine(
  context: Context,
  sink: Sink,
  { color, ascii }: LineLook,
): StatusLine {
  let text: string | undefined;
  let spinner: Ora | undefined;
  let starting = false;
  let ended = false;

  return {
    width: () => reportedWidth(context.stderr) - aroundText,
    show(next) {
      text = ended ? undefined : next;
      if (text === undefined) stop();
      else if (spinner) spinner.text = text;
      else if (!starting) void start();
    },
    end() {
      ended = true;
      text = undefined;
      stop();
    },
  };

  function stop(): void {
    spinner?.stop();
    spinner = undefined;
  }

  async function start(): Promise<void> {
    starting = true;
    const loaded = await import('ora').catch(() => undefined);
    // An import goes on without it.
    if (!loaded) return;
    await sink.flush();
    starting = false;
    const { stream } = context.stderr;
    // It may be over meanwhile; a spinner that is never stopped would keep the process alive.
    if (text === undefined || !stream) return;
    spinner = loaded
      .default({
        text,
        stream,
        interval,
        isEnabled: true,
        color: color && 'cyan',
        spinner: ascii ? 'line' : 'dots',
        // Signals are petstore's own business, and the cursor stays as it is should the process die.
        discardStdin: false,
        hideCursor: false,
      })
      .start();
  }
}
