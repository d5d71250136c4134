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

  // ora calls it for each frame, so the countdown needs no timer of its own.
  const text = () => {
    const progress = activity.progress();
    const wait = activity.wait();
    const silence = wait?.reason === 'response';
    const bar = progress && progressBar(progress, unicode);
    const rows = progress && progressText(progress).replace(' rows', '');
    const full = wait && !(progress && silence) ? waitText(wait) : undefined;
    const end = wait?.resetAt;
    const short = end && `next in ${duration(wait?.waitMs ?? 0)} (${clockTime(end)})`;
    const brief = wait?.next === 'next request' && progress ? short : full;
    const [count] = rows?.split(',') ?? [];
    // A line that wraps would not be cleared as a whole. The time comes before all else.
    const forms = [
      [bar && `${bar} ${rows}`, brief],
      [count, short ?? full],
      [short ?? full ?? count],
    ];
    const lines = forms.map((parts) => parts.filter(Boolean).join(' | '));
    const width = stream.columns - spinnerWidth;
    return lines.find((line) => line.length <= width) ?? (lines.at(-1) ?? '').slice(0, width);
  };
  const isShown = () => !hasEnded && text() !== '';
  const update = () => {
    if (!isShown()) {
      spinner?.stop();
      spinner = undefined;
    } else if (!spinner && !isStarting) void start();
  };

  return {
    show(event) {
      activity.note(event);
      update();
    },
    end() {
      hasEnded = true;
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
        suffixText: text,
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

function progressBar({ done, total }: Progress, unicode: boolean): string {
  const filled = total > 0 ? Math.floor((barWidth * done) / total) : 0;
  const [full, empty] = unicode ? ['█', '░'] : ['#', '-'];
  return full.repeat(filled) + empty.repeat(barWidth - filled);
}

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
