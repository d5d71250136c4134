import type { Allowances } from '../../../import/forecast.ts';
import { readClock } from '../../../pacing/clock.ts';
import { limitStatus } from '../../../pacing/limit-status.ts';
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
  const { minute, day } = limitStatus(await (await limit()).read(), readClock(host.context));
  return {
    plan: plan?.name,
    minute: allowance(plan?.quotas.minute ?? minute.limit, minute.remaining, 0),
    day: allowance(plan?.quotas.day ?? day.limit, day.remaining, day.used),
  };
}

function allowance(limit: number | undefined, remaining: number | undefined, used = 0) {
  return limit === undefined ? undefined : { limit, left: remaining ?? limit - used };
}
