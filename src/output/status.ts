import type { Context } from '../context.ts';
import type { ProgressEvent, WaitEvent } from '../events.ts';
import type { Sink } from './sink.ts';
import { createStatusLine, type LineLook } from './status-line.ts';
import { statusText } from './status-text.ts';
import { createWaits } from './waiting.ts';

export type Status = {
  readonly show: (event: ProgressEvent | WaitEvent) => void;
  /** Takes it off the screen for good. */
  readonly end: () => void;
};

/** How often the line of a wait is drawn, in ms: it counts down, however seldom the wait is reported. */
const interval = 1_000;

/** Shows what goes on, progress and waits alike, in the one line of the terminal that is rewritten. */
export function createStatus(context: Context, sink: Sink, look: LineLook): Status {
  const line = createStatusLine(context, sink, look);
  const waits = createWaits(context);
  let progress: ProgressEvent | undefined;
  /** By the context's `uptime`. */
  let end: number | undefined;
  /** Ends the countdown that goes on: its timer would keep the process alive. */
  let countdown: AbortController | undefined;
  return {
    show(event) {
      if (event.event === 'wait') waits.onWait(event);
      else follow(event);
      draw();
      if (waits.over()) stop();
      else if (!countdown) void count();
    },
    end() {
      stop();
      line.end();
    },
  };

  function draw(): void {
    const now = context.now();
    const endsAt = end === undefined ? undefined : now + end - context.uptime();
    const shown = progress && { ...progress, endsAt };
    line.show(statusText(shown, waits.next(), { width: line.width(), ascii: look.ascii, now }));
  }

  async function count(): Promise<void> {
    countdown = new AbortController();
    const { signal } = countdown;
    while (await passes(signal)) draw();
  }

  /** Whether the time until the next drawing passes. */
  function passes(signal: AbortSignal): Promise<boolean> {
    return context.sleep(interval, signal).then(
      () => true,
      () => false,
    );
  }

  function stop(): void {
    countdown?.abort();
    countdown = undefined;
  }

  function follow(event: ProgressEvent): void {
    progress = event.over ? undefined : event;
    end = event.leftMs === undefined ? undefined : context.uptime() + event.leftMs;
  }
}
