import { plans as documented, type Quotas, windowMs } from '../plans.ts';

type Span = { readonly limit: number; readonly length: number };
export type Plan = { readonly minute: Span; readonly day: Span };

export const plans = {
  free: toPlan(documented.free),
  pro: toPlan(documented.pro),
  business: toPlan(documented.business),
};

export type PlanName = keyof typeof plans;

function toPlan({ minute, day }: Quotas): Plan {
  return {
    minute: { limit: minute, length: windowMs.minute },
    day: { limit: day, length: windowMs.day },
  };
}

type Refusal = { readonly isBan: boolean; readonly until: number };

const windowNames = ['minute', 'day'] as const;
const maxEarlyRequests = 2;
const banMs = 300_000;

/** Counts the requests of one key. The ban and its rules are the sandbox's own, because the interface document names none. */
export class Quota {
  minute = { openedAt: 0, used: 0 };
  day = { openedAt: 0, used: 0 };
  /** The end of the last Retry-After, and the requests before it. */
  retryAt = 0;
  earlyRequests = 0;
  bannedUntil = 0;

  take(plan: Plan, now: number): Refusal | undefined {
    if (now < this.bannedUntil) return { isBan: true, until: this.bannedUntil };
    const windows = this.#windows(plan, now);
    const full = windows.filter(({ remaining }) => remaining === 0);
    if (full.length === 0) {
      for (const { name, openedAt, used } of windows) this[name] = { openedAt, used: used + 1 };
      return undefined;
    }
    this.earlyRequests = now < this.retryAt ? this.earlyRequests + 1 : 0;
    if (this.earlyRequests > maxEarlyRequests) {
      this.bannedUntil = now + banMs;
      return { isBan: true, until: this.bannedUntil };
    }
    this.retryAt = Math.max(...full.map(({ resetAt }) => resetAt));
    return { isBan: false, until: this.retryAt };
  }

  tightestWindow(plan: Plan, now: number) {
    return this.#windows(plan, now).reduce((minute, day) =>
      day.remaining < minute.remaining ? day : minute,
    );
  }

  #windows(plan: Plan, now: number) {
    return windowNames.map((name) => {
      const { limit, length } = plan[name];
      const isOpen = now < this[name].openedAt + length;
      const { openedAt, used } = isOpen ? this[name] : { openedAt: wholeSecond(now), used: 0 };
      const remaining = Math.max(0, limit - used);
      return { name, openedAt, used, limit, remaining, resetAt: openedAt + length };
    });
  }
}

/** A window opens with the second of its first request, because X-RateLimit-Reset is in whole seconds. */
function wholeSecond(ms: number): number {
  return Math.floor(ms / 1_000) * 1_000;
}
