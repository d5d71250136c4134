import type { Ora } from 'ora';
import type { Context } from '../context.ts';
import type { Event, Progress, Wait } from '../events.ts';
import { escapeText } from '../json/safe-text.ts';
import { progressText, rowsText, waitText } from './event-text.ts';
import type { Sink } from './sink.ts';

const minShownWaitMs = 2_000;
const intervalMs = 30_000;
const barWidth = 5;
/** The spinner and the space after it, and ^C, which a terminal shows behind the line. */
const otherWidth = 4;

export type Status = {
  readonly show: (event: Wait | Progress) => void;
  /** Removes the status for good: a spinner that is never stopped keeps the process alive. */
  readonly end: () => void;
};

/** Shows on one line of a terminal what is waited for, until when, and how far an import has come. */
export function createStatusLine(
  context: Pick<Context, 'uptime'>,
  sink: Sink,
  { stream, color }: { stream: NodeJS.WriteStream; color: boolean },
): Status {
  const activity = createActivity(context);
  let spinner: Ora | undefined;
  let isLoading = false;
  let hasEnded = false;

  const draw = () => {
    const text = hasEnded ? '' : composeLine(activity);
    if (text === '') spinner?.stop();
    else if (spinner) {
      const width = Math.max(1, stream.columns - otherWidth);
      spinner.start(shorten(escapeText(sink.redact(text)), width));
    } else if (!isLoading) void load();
  };

  return {
    show(event) {
      activity.note(event);
      draw();
    },
    end() {
      hasEnded = true;
      draw();
    },
  };

  async function load(): Promise<void> {
    isLoading = true;
    // An import may be hours old: if ora cannot be loaded, it goes on without a status line.
    const loaded = await import('ora').catch(() => undefined);
    if (!loaded) return;
    await sink.flush();
    spinner = loaded.default({
      stream,
      isEnabled: true,
      color: color && 'cyan',
      spinner: 'dots',
      // petstore handles signals itself, and the cursor stays visible if the process dies.
      discardStdin: false,
      hideCursor: false,
    });
    draw();
  }
}

/** Says a wait when it starts, and then it and the progress of an import every 30 seconds. */
export function createStatusLines(
  context: Pick<Context, 'uptime'>,
  say: (event: Event) => void,
): Status {
  const activity = createActivity(context);
  const saidAt = { progress: context.uptime(), wait: Number.NEGATIVE_INFINITY };
  const sayAtTimes = (event: Wait | Progress) => {
    if (context.uptime() - saidAt[event.event] < intervalMs) return;
    saidAt[event.event] = context.uptime();
    say(event);
  };
  return {
    show(event) {
      activity.note(event);
      const progress = activity.progress();
      const wait = activity.wait();
      const left = progress && { left: progress.total - progress.done };
      if (event.event === 'progress' && progress) sayAtTimes(progress);
      if (wait) sayAtTimes({ ...wait, ...left });
      else saidAt.wait = Number.NEGATIVE_INFINITY;
    },
    end() {},
  };
}

function composeLine(activity: Activity): string {
  const progress = activity.progress();
  const wait = activity.wait();
  if (!progress) return wait ? waitText(wait) : '';
  const bar = progressBar(progress);
  // With many requests in flight, one of them is always waited for.
  if (!wait || wait.reason === 'response') return `${bar} ${progressText(progress)}`;
  return `${bar} ${rowsText(progress)}, ${waitText(wait)}`;
}

/** Drops whole words from the end: half a time would be read as another one. */
function shorten(text: string, width: number): string {
  if (text.length <= width) return text;
  return text
    .slice(0, width + 1)
    .replace(/[,:;]?\s+\S*$/, '')
    .slice(0, width);
}

function progressBar({ done, total }: Progress): string {
  const filled = total > 0 ? Math.floor((barWidth * done) / total) : 0;
  return '█'.repeat(filled).padEnd(barWidth, '░');
}

type Activity = ReturnType<typeof createActivity>;

function createActivity({ uptime }: Pick<Context, 'uptime'>) {
  const waits = new Map<symbol, { readonly event: Wait; readonly end: number }>();
  let progress: Progress | undefined;
  return {
    note(event: Wait | Progress): void {
      if (event.event === 'progress') progress = event.over ? undefined : event;
      else if (event.waitMs <= 0) waits.delete(event.by);
      else if (event.waitMs > minShownWaitMs || waits.has(event.by)) {
        waits.set(event.by, { event, end: uptime() + event.waitMs });
      }
    },
    progress: () => progress,
    /** Returns the wait that ends first. */
    wait(): Wait | undefined {
      const [first] = [...waits.values()].sort((a, b) => a.end - b.end);
      if (!first || first.end <= uptime()) return undefined;
      return { ...first.event, waitMs: first.end - uptime() };
    },
  };
}
