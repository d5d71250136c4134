import type { Context } from '../context.ts';
import type { ProgressEvent, WaitEvent } from '../events.ts';
import { createWaits } from './waiting.ts';

type Ongoing = ProgressEvent | WaitEvent;

/** How often what goes on is mentioned where no line can be rewritten, in ms. */
const every = { progress: 10_000, wait: 30_000 };

/**
 * Says what goes on in lines of its own: a progress every 10 s, a wait at its start and every 30 s of it, once for all
 * requests that wait.
 */
export function createLines(
  context: Context,
  say: (event: Ongoing) => void,
): (event: Ongoing) => void {
  const waits = createWaits(context);
  let progress: ProgressEvent | undefined;
  let heardAt = 0;
  let progressAt: number | undefined;
  let waitAt: number | undefined;
  return (event) => {
    if (event.event === 'wait') return showWait(event);
    heardAt = context.uptime();
    showProgress(event);
  };

  function showProgress(event: ProgressEvent): void {
    const now = context.uptime();
    progressAt ??= now;
    progress = event.over ? undefined : event;
    if (!progress) {
      progressAt = undefined;
    } else if (now - progressAt >= every.progress) {
      progressAt = now;
      say(asOf(event, now - heardAt));
    }
  }

  function showWait(event: WaitEvent): void {
    waits.onWait(event);
    if (waits.over()) waitAt = undefined;
    const now = context.uptime();
    const wait = waits.next();
    const left = progress && { left: progress.total - progress.done };
    if (wait && (waitAt === undefined || now - waitAt >= every.wait)) {
      waitAt = now;
      say({ ...wait, ...left });
    }
    // No row comes to its end meanwhile, and yet somebody may look every ten seconds.
    if (progress) showProgress(progress);
  }
}

/** The same so many ms later; an estimate that has passed says nothing any more. */
function asOf(event: ProgressEvent, passed: number): ProgressEvent {
  const leftMs = (event.leftMs ?? 0) - passed;
  return { ...event, leftMs: leftMs > 0 ? leftMs : undefined };
}
