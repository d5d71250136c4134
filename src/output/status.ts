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

/** Shows what goes on, progress and waits alike, in the one line of the terminal that is rewritten. */
export function createStatus(context: Context, sink: Sink, look: LineLook): Status {
  const line = createStatusLine(context, sink, look);
  const waits = createWaits(context);
  let progress: ProgressEvent | undefined;
  /** By the context's `uptime`. */
  let end: number | undefined;
  return {
    show(event) {
      if (event.event === 'wait') waits.onWait(event);
      else follow(event);
      const now = context.now();
      const endsAt = end === undefined ? undefined : now + end - context.uptime();
      const shown = progress && { ...progress, endsAt };
      line.show(statusText(shown, waits.next(), { width: line.width(), ascii: look.ascii, now }));
    },
    end: line.end,
  };

  function follow(event: ProgressEvent): void {
    progress = event.over ? undefined : event;
    end = event.leftMs === undefined ? undefined : context.uptime() + event.leftMs;
  }
}
