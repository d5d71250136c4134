import type { Allowances } from '../../../import/forecast.ts';
import { readClock } from '../../../pacing/clock.ts';
import { guard } from '../../../pacing/decide.ts';
import { limitStatus, type WindowStatus } from '../../../pacing/limit-status.ts';
import { profileFlag } from '../../../session/profile.ts';
import { resolveSetting } from '../../../session/resolve.ts';
import type { Session } from '../../../session/session.ts';
import { type NamedPlan, parsePlan } from '../../../settings/values.ts';

/** What a forecast rests on: the plan of the settings, or else what responses said of the limit. */
export type KnownLimit = Allowances & {
  readonly plan: NamedPlan | undefined;
  /** For a command that sets the plan of the profile. */
  readonly profileFlag: string;
  /** When this was so, in ms of this machine's clock. */
  readonly at: number;
};

/** The plan of the session's profile, if one is set. @throws Failure (usage) when it is invalid */
export function planOf(session: Session): NamedPlan | undefined {
  const given = resolveSetting('plan', session);
  return given && parsePlan(given.text, given.source);
}

/** What is known of the limit of the session's key: by its plan, and by what responses said. */
export async function knownLimit(
  { context, limits, profile }: Session,
  plan: NamedPlan | undefined,
): Promise<KnownLimit> {
  const clock = readClock(context);
  const { minute, day, wait } = limitStatus(await (await limits()).read(), clock);
  const minuteNow = allowance(
    plan?.quotas.minute ?? minute.limit,
    { ...minute, used: 0 },
    clock.at,
  );
  const waitMs = wait ? wait.until - clock.at : 0;
  return {
    plan,
    profileFlag: profileFlag(profile),
    at: clock.at,
    // Until a wait ends, that nothing is sent is all that counts.
    minute: minuteNow && waitMs > 0 ? { ...minuteNow, left: 0, resetMs: waitMs } : minuteNow,
    day: allowance(plan?.quotas.day ?? day.limit, day, clock.at),
  };
}

function allowance(
  limit: number | undefined,
  { remaining, used = 0, resetAt, others }: WindowStatus,
  now: number,
) {
  if (limit === undefined) return undefined;
  const resetMs = resetAt === undefined ? undefined : resetAt + guard - now;
  return { limit, left: remaining ?? Math.max(0, limit - used), resetMs, others };
}
