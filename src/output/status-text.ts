import type { WaitEvent } from '../events.ts';
import { clockTime, countdown } from '../text/time.ts';
import { progressText, type Shown, type StatusLook } from './progress-text.ts';
import { waitWords } from './waiting.ts';

/** What goes on in at most `width` cells; undefined when nothing does. Each character of it is a cell. */
export function statusText(
  progress: Shown | undefined,
  wait: WaitEvent | undefined,
  look: StatusLook,
): string | undefined {
  if (progress) return progressText(progress, wait, look);
  return wait && firstToFit(look.width, countdownTexts(wait));
}

function countdownTexts(wait: WaitEvent): string[] {
  const { why, next, timedNext } = waitParts(wait);
  const sentences = `${capital(why)}. ${capital(timedNext)}.`;
  return [`${sentences} Ctrl-C to stop.`, sentences, `${capital(next)}.`];
}

function waitParts(wait: WaitEvent) {
  const { why, what } = waitWords(wait);
  if (!Number.isFinite(wait.waitMs)) return { why, next: what, timedNext: what };
  const next = `${what} in ${countdown(wait.waitMs)}`;
  return { why, next, timedNext: `${next} (${clockTime(wait.resetAt)})` };
}

/** The first text that fits, or else as much of the last one as does. All are ASCII: a character is a cell. */
function firstToFit(width: number, texts: readonly string[]): string {
  const last = texts.at(-1) ?? '';
  return texts.find((text) => text.length <= width) ?? last.slice(0, Math.max(0, width));
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
