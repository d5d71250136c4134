import { type ExactNumber, exact, type JsonObject } from '../../json/exact.ts';
import type { Printer } from '../../output/results.ts';
import type { Denied } from '../../pacing/decide.ts';
import type { LimitStatus, WindowStatus } from '../../pacing/limit-status.ts';
import type { SharedLog } from '../../pacing/log.ts';
import { inWords, waitReason } from '../../pacing/words.ts';
import { type Profile, profileFlag } from '../../session/profile.ts';
import type { LimitStore } from '../../settings/limit-store.ts';
import { isoEnd, isoTime } from '../../text/iso-time.ts';

export const columns = ['window', 'limit', 'remaining', 'used', 'resetAt', 'source'] as const;

/** A limit store that is set, and whether it responds. */
export type SharedThrough = { readonly address: string; readonly answers: boolean };

/** What there is to say of a store that is set. */
export function sharedThrough(
  store: LimitStore | undefined,
  log: SharedLog,
): SharedThrough | undefined {
  return store && { address: store.name, answers: log.isRemote?.() ?? false };
}

/** Why there is nothing to show of what is left now, and what to do about it; a wait in force is to be waited out first. */
export function missingValues(
  { minute, day, wait }: LimitStatus,
  profile: Profile,
): string | undefined {
  if (wait || minute.remaining !== undefined || day.remaining !== undefined) return undefined;
  const isEmpty = [minute, day].every(
    ({ limit, used }) => limit === undefined && used === undefined,
  );
  const what = isEmpty
    ? 'no values recorded yet; to get them'
    : 'the recorded windows have ended; to get current values';
  return `${what} (one request): petstore limits --refresh${profileFlag(profile)}`;
}

/** Prints both windows, and what else is known at that moment. */
export async function printOverview(
  output: Printer,
  status: LimitStatus,
  store: SharedThrough | undefined,
): Promise<void> {
  const rows = { minute: fields(status.minute), day: fields(status.day) };
  await output.overview(
    {
      ...rows,
      inFlight: exact(status.inFlight),
      wait: status.wait ? waitFields(status.wait) : null,
      store: store ?? null,
    },
    Object.entries(rows).map(([window, row]) => ({ window, ...row })),
    columns,
  );
}

/** A wait in force. */
export function waitFields(wait: Denied): JsonObject {
  return {
    reason: waitReason(wait.reason),
    why: inWords(wait),
    ...(wait.since !== undefined && { since: isoTime(wait.since) }),
    until: isoEnd(wait.until),
  };
}

function fields({ limit, remaining, used, resetAt, source }: WindowStatus): JsonObject {
  return {
    limit: known(limit),
    remaining: known(remaining),
    used: known(used),
    resetAt: resetAt === undefined ? undefined : isoTime(resetAt),
    source,
  };
}

function known(value: number | undefined): ExactNumber | undefined {
  return value === undefined ? undefined : exact(value);
}
