import type { ProgressEvent, WaitEvent } from '../events.ts';
import { isoTime } from '../text/iso-time.ts';
import { thousands } from '../text/number.ts';
import { countdown } from '../text/time.ts';
import { waitWords } from './waiting.ts';

/** A progress, and when it ends as far as one can know, in ms since 1970. */
export type Shown = ProgressEvent & { readonly endsAt: number | undefined };

export type StatusLook = {
  /** Cells that the text may take. */
  readonly width: number;
  readonly ascii: boolean;
  /** ms since 1970. */
  readonly now: number;
};

/** Cells of the bar: where there is room, where other parts want it, and where there is hardly any. */
const longestBar = 20;
const shortBar = 8;
const shortestBar = 3;

const signs = {
  unicode: { full: '█', empty: '░', between: ' · ', about: '≈' },
  ascii: { full: '#', empty: '-', between: ' | ', about: '~' },
};

/** "████░░░░ 58/60 · rate limit, next in 0:57 · done ≈ 23:55Z": bar and count stay, and the rest goes from the right. */
export function progressText(
  progress: Shown,
  wait: WaitEvent | undefined,
  look: StatusLook,
): string {
  const { full, empty, between, about } = look.ascii ? signs.ascii : signs.unicode;
  const { done, total } = progress;
  const count = `${thousands(done)}/${thousands(total)}`;
  const end = endOf(progress, wait, look.now);
  const finish = end === undefined ? [] : [`done ${about} ${timeOf(end, look.now)}`];
  const [long, short] = wait ? waitTexts(wait) : [];
  const choices = [long ? [long, ...finish] : finish, long ? [long] : [], short ? [short] : [], []];
  const texts = choices.map((parts) => [count, ...parts].join(between));
  const text = texts.find(({ length }) => shortBar + 1 + length <= look.width) ?? count;

  const cells = Math.min(longestBar, look.width - text.length - 1);
  if (cells < shortestBar) return text.slice(0, Math.max(0, look.width));
  const filled = total > 0 ? Math.floor((cells * done) / total) : 0;
  return `${full.repeat(filled)}${empty.repeat(cells - filled)} ${text}`;
}

/** No sooner than the wait. */
function endOf({ endsAt }: Shown, wait: WaitEvent | undefined, now: number): number | undefined {
  if (endsAt === undefined || wait?.waitMs === Number.POSITIVE_INFINITY) return undefined;
  return Math.max(endsAt, now + (wait?.waitMs ?? 0));
}

/** "23:55Z", or "2026-11-22 23:55Z" where that is more than a day away. */
function timeOf(ms: number, now: number): string {
  const [date = '', time = ''] = isoTime(ms).split('T');
  const minutes = `${time.slice(0, 5)}Z`;
  return ms - now < 86_400_000 ? minutes : `${date} ${minutes}`;
}

/** Why nothing is sent and for how long, and the same without the reason. */
function waitTexts(wait: WaitEvent): [long: string, short: string] {
  const left = countdown(wait.waitMs);
  switch (wait.reason) {
    case 'settle': {
      const outcomes =
        wait.count === 1 ? '1 unknown outcome' : `${thousands(wait.count)} unknown outcomes`;
      return [`checking ${outcomes} in ${left}`, `checking in ${left}`];
    }
    case 'claimed': {
      const { why } = waitWords(wait);
      return [why, 'waiting'];
    }
    default:
      return [`${obstacles[wait.reason]}, next in ${left}`, `next in ${left}`];
  }
}

const obstacles = {
  window: 'rate limit',
  day: 'daily rate limit',
  '429': 'rate limit exceeded',
  tripped: 'rate limit exceeded 3 times',
  banned: 'API key temporarily banned',
  unavailable: 'service unavailable',
  probe: 'another request is in flight',
};
