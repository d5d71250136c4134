import type { Context } from '../context.ts';
import type { WaitEvent } from '../events.ts';
import type { Sink } from './sink.ts';
import { clockTime, countdown, isoTime, timeLeft } from './time.ts';

/** Shorter waits are not worth a line, in ms. */
const shortestShown = 2_000;
/** How often a wait is mentioned where no line can be rewritten, in ms. */
const lineEvery = 30_000;

export type WaitDisplay = (event: WaitEvent) => void;

/** One line at the start of a wait and every 30 s of it. */
export function createWaitLines(context: Context, say: (event: WaitEvent) => void): WaitDisplay {
  let saidAt: number | undefined;
  return (event) => {
    if (event.waitMs <= 0) {
      saidAt = undefined;
    } else if (saidAt === undefined ? event.waitMs > shortestShown : isDue(saidAt)) {
      saidAt = context.now();
      say(event);
    }
  };

  function isDue(since: number): boolean {
    return context.now() - since >= lineEvery;
  }
}

/** The line of a wait where nobody watches it pass. */
export function waitLine(event: WaitEvent): string {
  const { waitMs, resetAt } = event;
  return `petstore: ${inWords(event)}, waiting ${timeLeft(waitMs)} until ${isoTime(resetAt)}`;
}

/** A countdown in one line of the terminal, gone when the wait is over. */
export function createCountdown(context: Context, sink: Sink): WaitDisplay {
  let shown = false;
  let over = false;
  let spinner: { text: string; stop: () => unknown } | undefined;

  return (event) => {
    if (event.waitMs <= 0) {
      over = true;
      spinner?.stop();
      spinner = undefined;
      shown = false;
    } else if (spinner) {
      spinner.text = countdownText(event);
    } else if (!shown && event.waitMs > shortestShown) {
      shown = true;
      over = false;
      void start(countdownText(event));
    }
  };

  async function start(text: string): Promise<void> {
    const { default: ora } = await import('ora');
    const { stream } = context.stderr;
    await sink.flush();
    // The wait may have ended meanwhile; a spinner that nobody stops would keep the process alive.
    if (over || !stream) return;
    // Signals are petstore's own business, and the cursor stays as it is should the process die.
    spinner = ora({ text, stream, discardStdin: false, hideCursor: false }).start();
  }
}

function countdownText(event: WaitEvent): string {
  const { waitMs, resetAt } = event;
  return `${capital(inWords(event))}. Next request in ${countdown(waitMs)} (${clockTime(resetAt)}). Ctrl-C to stop.`;
}

function inWords({ reason, limit }: WaitEvent): string {
  switch (reason) {
    case 'window':
      return `limit ${limit}/min reached`;
    case 'day':
      return `limit ${limit}/day reached`;
    case 'tripped':
      return 'refused three times in a row';
    case 'banned':
      return 'the key stopped working after a 429';
    case '429':
      return 'refused with 429';
    case 'unavailable':
      return 'the service is not available';
    case 'probe':
      return 'another request goes first';
  }
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
