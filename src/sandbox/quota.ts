import { plans as documented, type Quotas, windowMs } from '../plans.ts';

/** How many requests a window takes, and how many ms it lasts. */
type Span = { readonly limit: number; readonly length: number };
export type Plan = { readonly minute: Span; readonly day: Span };

const spansOf = ({ minute, day }: Quotas): Plan => ({
  minute: { limit: minute, length: windowMs.minute },
  day: { limit: day, length: windowMs.day },
});

export const plans = {
  free: spansOf(documented.free),
  pro: spansOf(documented.pro),
  business: spansOf(documented.business),
};

export type PlanName = keyof typeof plans;

/** A window opens with the second of its first request, so that its end can be told in whole seconds. ms since 1970. */
type Window = { readonly opened: number; readonly used: number };

/** What one key has used, and how it took being refused. */
export type Quota = {
  readonly minute: Window;
  readonly day: Window;
  /** The end of the last Retry-After, and the requests that came before it. */
  readonly retryAfter: { readonly until: number; readonly early: number };
  readonly bannedUntil: number;
};

const closed: Window = { opened: 0, used: 0 };
export const freshQuota: Quota = {
  minute: closed,
  day: closed,
  retryAfter: { until: 0, early: 0 },
  bannedUntil: 0,
};

/** The state of the limit as the X-RateLimit headers tell it. */
export type WindowStatus = {
  readonly limit: number;
  readonly remaining: number;
  readonly resetAt: number;
};

export type Decision = {
  readonly quota: Quota;
  readonly verdict: 'granted' | 'limited' | 'banned';
  readonly window: WindowStatus;
  /** When the next request is welcome; `now` unless refused. */
  readonly until: number;
};

const earlyUntilBan = 3;
const banTime = 300_000;

/** Decides on one request at `now`. The ban and its rules are the sandbox's own: the document names none. */
export function decide(quota: Quota, plan: Plan, now: number): Decision {
  const minute = current(quota, plan, 'minute', now);
  const day = current(quota, plan, 'day', now);
  const open = { ...quota, minute, day };
  if (now < quota.bannedUntil) return decided(open, 'banned', quota.bannedUntil);

  const full = windowStatuses(open, plan, now).filter(({ remaining }) => remaining === 0);
  if (full.length === 0) {
    return decided({ ...open, minute: spend(minute, now), day: spend(day, now) }, 'granted', now);
  }
  const early = now < quota.retryAfter.until ? quota.retryAfter.early + 1 : 0;
  const banned = early >= earlyUntilBan;
  const until = banned ? now + banTime : Math.max(...full.map(({ resetAt }) => resetAt));
  return banned
    ? decided({ ...open, bannedUntil: until }, 'banned', until)
    : decided({ ...open, retryAfter: { until, early } }, 'limited', until);

  function decided(after: Quota, verdict: Decision['verdict'], until: number): Decision {
    return { quota: after, verdict, window: tightestWindow(after, plan, now), until };
  }
}

/** The window that runs out first. */
export function tightestWindow(quota: Quota, plan: Plan, now: number): WindowStatus {
  const [minute, day] = windowStatuses(quota, plan, now);
  return day.remaining < minute.remaining ? day : minute;
}

function windowStatuses(quota: Quota, plan: Plan, now: number): [WindowStatus, WindowStatus] {
  const status = (name: 'minute' | 'day'): WindowStatus => {
    const { opened, used } = current(quota, plan, name, now);
    const { limit, length } = plan[name];
    const resetAt = (used > 0 ? opened : wholeSecond(now)) + length;
    return { limit, remaining: limit - used, resetAt };
  };
  return [status('minute'), status('day')];
}

function current(quota: Quota, plan: Plan, name: keyof Plan, now: number): Window {
  const window = quota[name];
  return now < window.opened + plan[name].length ? window : closed;
}

function spend({ opened, used }: Window, now: number): Window {
  return { opened: used > 0 ? opened : wholeSecond(now), used: used + 1 };
}

function wholeSecond(ms: number): number {
  return Math.floor(ms / 1_000) * 1_000;
}
