import type { Context } from '../context.ts';
import type { Report, Wait } from '../events.ts';
import { pause } from '../request/pause.ts';
import { countOf } from '../time.ts';
import { maxBeatAgeMs, type Predecessor } from './hold.ts';

type Words = Pick<Wait, 'why' | 'next' | 'count'>;

/** Within these times the service carries out a request or drops it, and its list shows what it created. */
export type SettleTimes = {
  readonly settleMs: number;
  /** After a kill, counted from the last sign of life. */
  readonly settleAfterKillMs: number;
};

/** Nobody resets the connections of a killed process: the system goes on sending what it had taken. */
export const defaultSettleTimes: SettleTimes = { settleMs: 60_000, settleAfterKillMs: 120_000 };

/** Returns for how long requests of these processes may still be carried out. */
export function computeRestMs(
  uptime: number,
  predecessors: readonly Predecessor[],
  { settleMs, settleAfterKillMs }: SettleTimes = defaultSettleTimes,
): number {
  const rests = predecessors.map(({ wasKilled, lastSeenAt }) => {
    const silenceMs = Math.max(0, uptime - lastSeenAt - maxBeatAgeMs);
    return (wasKilled ? settleAfterKillMs : settleMs) - silenceMs;
  });
  return Math.max(0, ...rests);
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
