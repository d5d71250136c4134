import type { ProgressEvent, WaitEvent } from '../events.ts';
import { clockTime, countdown } from '../text/time.ts';
import { progressWords } from './progress.ts';
import { waitWords } from './waiting.ts';

/** Cells of the bar. */
const longestBar = 20;
const shortestBar = 8;

/** What goes on in at most `width` cells; undefined when nothing does. */
export function statusText(
  progress: ProgressEvent | undefined,
  wait: WaitEvent | undefined,
  width: number,
): string | undefined {
  if (!progress) return wait && firstToFit(width, countdownTexts(wait));
  const texts = progressTexts(progress, wait);
  const text = firstToFit(width, texts);
  return text === texts[0] ? withBar(progress, text, width) : text;
}

/** From the longest to the shortest: what one can do without goes first, and the bar before all else. */
function progressTexts(progress: ProgressEvent, wait: WaitEvent | undefined): string[] {
  const { count, rate, left } = progressWords(progress);
  const { why, next, timedNext } = wait ? waitParts(wait) : {};
  const timed = wait && `${why}, ${timedNext}`;
  return [
    [count, rate, left, timed],
    [count, left, timed],
    [count, left, why, next],
    [count, left, next],
    [count, next],
    [count],
  ].map((parts) => parts.filter(Boolean).join(', '));
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

function withBar({ done, total }: ProgressEvent, text: string, width: number): string {
  const cells = Math.min(longestBar, width - text.length - 1);
  if (cells < shortestBar) return text;
  const full = Math.floor((cells * done) / total);
  return `${'█'.repeat(full)}${'░'.repeat(cells - full)} ${text}`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
