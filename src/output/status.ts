import type { Context } from '../context.ts';
import type { ProgressEvent, WaitEvent } from '../events.ts';
import { isOver } from './progress.ts';
import type { Sink } from './sink.ts';
import { createStatusLine } from './status-line.ts';
import { statusText } from './status-text.ts';
import { createWaits } from './waiting.ts';

export type Status = {
  readonly show: (event: ProgressEvent | WaitEvent) => void;
  /** Takes it off the screen for good. */
  readonly end: () => void;
};

/** Shows what goes on, progress and waits alike, in the one line of the terminal that is rewritten. */
export function createStatus(context: Context, sink: Sink, color: boolean): Status {
  const line = createStatusLine(context, sink, color);
  const waits = createWaits(context);
  let progress: ProgressEvent | undefined;
  return {
    show(event) {
      if (event.event === 'wait') waits.onWait(event);
      else progress = isOver(event) ? undefined : event;
      line.show(statusText(progress, waits.next(), line.width()));
    },
    end: line.end,
  };
}
