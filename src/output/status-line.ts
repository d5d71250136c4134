import { Writable } from 'node:stream';
import type { Ora } from 'ora';
import type { Context } from '../context.ts';
import type { Event, Progress, Wait } from '../events.ts';
import { clockTime, duration } from '../time.ts';
import { progressText, waitText } from './event-text.ts';
import type { Sink } from './sink.ts';

const minShownWaitMs = 2_000;
const intervalMs = { progress: 10_000, wait: 30_000 };
const barWidth = 5;
/** The spinner and the spaces around it. */
const spinnerWidth = 3;

export type Status = {
  readonly show: (event: Wait | Progress) => void;
  /** Removes the status for good: a spinner that is never stopped keeps the process alive. */
  readonly end: () => void;
};

export function createStatusLine(
  context: Pick<Context, 'uptime'>,
  sink: Sink,
  terminal: { stream: NodeJS.WriteStream; color: boolean; unicode: boolean },
): Status {
  const { stream, color, unicode } = terminal;
  const activity = createActivity(context);
  let spinner: Ora | undefined;
  let isStarting = false;
  let hasEnded = false;
  let drawnWidth = 0;

  // ora calls it for each frame, so the countdown needs no timer of its own.
  const text = () => {
    const line = composeLine(activity, stream.columns - spinnerWidth, unicode);
    drawnWidth = line.length + spinnerWidth;
    return line;
  };
  const isShown = () => !hasEnded && text() !== '';
  const update = () => {
    if (!isShown()) {
      spinner?.stop();
      spinner = undefined;
    } else if (!spinner && !isStarting) void start();
  };

  // A terminal that becomes narrower wraps what is drawn, and ora clears only one row. A frame that is drawn before the
  // system tells of the new width must not wrap as well.
  const onResize = () => {
    const above = Math.ceil(drawnWidth / stream.columns) - 1;
    if (!spinner || above < 1) return;
    spinner.clear();
    // Not through the stream's own method, which ora has replaced: it would draw in between.
    Reflect.apply(Writable.prototype.write, stream, [`\u001b[${above}A\r\u001b[J`]);
  };
  stream.on('resize', onResize);

  return {
    show(event) {
      activity.note(event);
      update();
    },
    end() {
      hasEnded = true;
      stream.off('resize', onResize);
      update();
    },
  };

  async function start(): Promise<void> {
    isStarting = true;
    // An import may be hours old: if ora cannot be loaded, it goes on without a status line.
    const loaded = await import('ora').catch(() => undefined);
    if (!loaded) return;
    await sink.flush();
    isStarting = false;
    if (!isShown()) return;
    spinner = loaded
      .default({
        stream,
        isEnabled: true,
        color: color && 'cyan',
        spinner: unicode ? 'dots' : 'line',
        suffixText: () => `\u001b[?7l${text()}\u001b[?7h`,
        // petstore handles signals itself, and the cursor stays visible if the process dies.
        discardStdin: false,
        hideCursor: false,
      })
      .start();
  }
}

export function createStatusLines(
  context: Pick<Context, 'uptime'>,
  say: (event: Event) => void,
): Status {
  const activity = createActivity(context);
  const saidAt: { wait?: number | undefined; progress?: number } = {};
  return {
    show(event) {
      activity.note(event);
      const progress = activity.progress();
      const wait = activity.wait();
      if (!wait) saidAt.wait = undefined;
      saidAt.progress ??= context.uptime();
      const left = progress && { left: progress.total - progress.done };
      for (const current of [wait && { ...wait, ...left }, progress]) {
        if (!current) continue;
        const last = saidAt[current.event] ?? Number.NEGATIVE_INFINITY;
        if (context.uptime() - last < intervalMs[current.event]) continue;
        saidAt[current.event] = context.uptime();
        say(current);
      }
    },
    end() {},
  };
}

/** Returns the fullest line that fits, because one that wraps would not be cleared as a whole. The time comes before all else. */
function composeLine(activity: Activity, width: number, unicode: boolean): string {
  const progress = activity.progress();
  const wait = activity.wait();
  const bar = progress && progressBar(progress, unicode);
  const rows = progress && progressText(progress).replace(' rows', '');
  const [count] = rows?.split(', ') ?? [];
  const full = wait && !(progress && wait.reason === 'response') ? waitText(wait) : undefined;
  const end = wait?.resetAt;
  const short = wait && end && `next in ${duration(wait.waitMs)} (${clockTime(end)})`;
  const lines = [
    [bar && `${bar} ${rows}`, progress && wait?.next === 'next request' ? short : full],
    [count, short ?? full],
    [short ?? full ?? count],
  ].map((parts) => parts.filter(Boolean).join(' | '));
  return lines.find((line) => line.length <= width) ?? (lines.at(-1) ?? '').slice(0, width);
}

function progressBar({ done, total }: Progress, unicode: boolean): string {
  const filled = total > 0 ? Math.floor((barWidth * done) / total) : 0;
  const [full, empty] = unicode ? ['█', '░'] : ['#', '-'];
  return full.repeat(filled) + empty.repeat(barWidth - filled);
}

type Activity = ReturnType<typeof createActivity>;

function createActivity({ uptime }: Pick<Context, 'uptime'>) {
  const waits = new Map<symbol, { readonly event: Wait; readonly end: number }>();
  let progress: Progress | undefined;
  let reportedAt = 0;
  return {
    note(event: Wait | Progress): void {
      if (event.event === 'progress') {
        progress = event.over ? undefined : event;
        reportedAt = uptime();
      } else if (event.waitMs <= 0) waits.delete(event.by);
      else if (event.waitMs > minShownWaitMs || waits.has(event.by)) {
        waits.set(event.by, { event, end: uptime() + event.waitMs });
      }
    },
    /** Returns the progress with the estimate as of now, or without one that has passed. */
    progress(): Progress | undefined {
      if (!progress?.leftMs) return progress;
      const { leftMs, ...rest } = progress;
      const now = leftMs - (uptime() - reportedAt);
      return now > 0 ? { ...rest, leftMs: now } : rest;
    },
    wait(): Wait | undefined {
      const [first] = [...waits.values()].sort((a, b) => a.end - b.end);
      if (!first || first.end <= uptime()) return undefined;
      return { ...first.event, waitMs: first.end - uptime() };
    },
  };
}
