import type { Context } from '../context.ts';
import type { Report, Wait } from '../events.ts';
import { pause } from '../request/pause.ts';
import { countOf } from '../time.ts';
import { maxBeatAgeMs } from './hold.ts';

type Words = Pick<Wait, 'why' | 'next' | 'count'>;

/** Within these times the service carries out a request or drops it, and its list shows what it created. */
export type SettleTimes = {
  readonly settleMs: number;
  /** After a kill, counted from the last sign of life. */
  readonly settleAfterKillMs: number;
};

/** Nobody resets the connections of a killed process: the system goes on sending what it had taken. */
export const defaultSettleTimes: SettleTimes = { settleMs: 60_000, settleAfterKillMs: 120_000 };

/** Returns for how long requests of processes that were last seen at these times may still be carried out. */
export function computeRestMs(
  uptime: number,
  lastSeenAt: readonly number[],
  { settleAfterKillMs }: SettleTimes = defaultSettleTimes,
): number {
  const seenAt = Math.min(Math.max(...lastSeenAt) + maxBeatAgeMs, uptime);
  return lastSeenAt.length === 0 ? 0 : Math.max(0, seenAt + settleAfterKillMs - uptime);
}

/** Waits until the service has carried out, or dropped, requests that it was sent and did not respond to. */
export function settle(
  context: Context,
  report: Report,
  settleMs: number,
  words: Words,
): Promise<void> {
  return pause(
    context,
    settleMs,
    { reason: 'settle', ...words },
    { report, signal: context.signal },
  );
}

export function describeUnknown(count: number): Words {
  const next = count === 1 ? 'checking it' : 'checking them';
  return { why: `${countOf(count, 'outcome')} unknown`, next, count };
}
