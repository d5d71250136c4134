import { type ExactNumber, exact, type JsonObject } from '../../json/exact.ts';
import type { Printer } from '../../output/results.ts';
import type { Denied } from '../../pacing/decide.ts';
import type { LimitStatus, WindowStatus } from '../../pacing/limit-status.ts';
import { inWords, waitReason } from '../../pacing/words.ts';
import { isoEnd, isoTime } from '../../text/iso-time.ts';

export const columns = ['window', 'limit', 'remaining', 'used', 'resetAt', 'source'] as const;

/** A limit store that is set, and whether it responds. */
export type SharedThrough = { readonly address: string; readonly answers: boolean };

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
