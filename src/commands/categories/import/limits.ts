import type { Allowances } from '../../../import/forecast.ts';
import { readClock } from '../../../pacing/clock.ts';
import { guard } from '../../../pacing/decide.ts';
import { limitStatus, type WindowStatus } from '../../../pacing/limit-status.ts';
import type { Profile } from '../../../session/profile.ts';
import type { Session } from '../../../session/session.ts';
import { type NamedPlan, parsePlan } from '../../../settings/values.ts';

/** What a forecast rests on: the plan of the settings, or else what answers told of the limit. */
export type KnownLimit = Allowances & {
  /** For a sentence: "Free"; undefined where no plan is set. */
  readonly plan: string | undefined;
};

/** The plan of the session's profile, if one is set. @throws Failure (usage) when it is none */
export function planOf({ name, settings }: Profile): NamedPlan | undefined {
  return settings.plan === undefined
    ? undefined
    : parsePlan(settings.plan, `plan of profile ${name}`);
}

/** What is known of the limit of the session's key: by its plan, and by what answers told. */
export async function knownLimit(
  { host, limit }: Session,
  plan: NamedPlan | undefined,
): Promise<KnownLimit> {
  const clock = readClock(host.context);
  const { minute, day, wait } = limitStatus(await (await limit()).read(), clock);
  const minuteNow = allowance(
    plan?.quotas.minute ?? minute.limit,
    { ...minute, used: 0 },
    clock.at,
  );
  const waitMs = wait ? wait.until - clock.at : 0;
  return {
    plan: plan?.name,
    // Until a wait ends, that nothing is sent is all that counts.
    minute: minuteNow && waitMs > 0 ? { ...minuteNow, left: 0, resetMs: waitMs } : minuteNow,
    day: allowance(plan?.quotas.day ?? day.limit, day, clock.at),
  };
}

function allowance(
  limit: number | undefined,
  { remaining, used = 0, resetAt }: WindowStatus,
  now: number,
) {
  if (limit === undefined) return undefined;
  const resetMs = resetAt === undefined ? undefined : resetAt + guard - now;
  return { limit, left: remaining ?? limit - used, resetMs };
}
