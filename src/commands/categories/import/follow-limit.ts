import type { Allowances } from '../../../import/forecast.ts';
import { windowMs } from '../../../plans.ts';
import type { KnownLimit } from './known-limit.ts';

/** The limit as it is at each moment of an import. */
export type FollowedLimit = {
  readonly now: () => Allowances;
  /** Takes one more request into account; true if a new minute has begun since the last one. */
  readonly spend: () => boolean;
};

/** How often it is read anew, in ms: others may use it too. In between our own requests are counted. */
const fresh = 1_000;

/** @param read reads what this machine knows of the limit, at no cost in requests */
export async function followLimit(
  uptime: () => number,
  read: () => Promise<KnownLimit>,
): Promise<FollowedLimit> {
  let known = await read();
  let readAt = uptime();
  let spentAt = readAt;
  let spent = 0;
  let reading = false;

  return {
    now: () => ({ minute: windowNow('minute'), day: windowNow('day') }),
    spend() {
      const reset = readAt + (known.minute?.resetMs ?? Number.POSITIVE_INFINITY);
      const isNewMinute = spentAt < reset && reset <= uptime();
      spentAt = uptime();
      spent += 1;
      if (!reading && spentAt - readAt >= fresh) void readAnew();
      return isNewMinute;
    },
  };

  function windowNow(kind: 'minute' | 'day'): Allowances[typeof kind] {
    const window = known[kind];
    if (!window) return undefined;
    const { limit, left, resetMs = windowMs[kind] } = window;
    const passed = uptime() - readAt;
    return passed < resetMs
      ? { ...window, left: left - spent, resetMs: resetMs - passed }
      : { ...window, left: limit, resetMs: windowMs[kind] };
  }

  async function readAnew(): Promise<void> {
    reading = true;
    try {
      known = await read();
      readAt = uptime();
      spent = 0;
    } catch {
      // An estimate goes on by what is known.
    } finally {
      reading = false;
    }
  }
}
