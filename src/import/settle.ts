import type { Context } from '../context.ts';
import type { Report, Wait } from '../events.ts';
import { pause } from '../request/wait.ts';
import { countOf } from '../time.ts';
import { maxBeatAgeMs } from './turn-cell.ts';

type Words = Pick<Wait, 'why' | 'next' | 'count'>;

/** Within these times the service carries out a request or drops it, and its list shows what it created. */
export type SettleTimes = {
  readonly settleMs: number;
  /** After a kill, counted from the last sign of life. */
  readonly settleAfterKillMs: number;
};

/** Nobody resets the connections of a killed process: the system goes on sending what it had taken. */
export const defaultSettleTimes: SettleTimes = { settleMs: 60_000, settleAfterKillMs: 120_000 };

export function settle(
  context: Context,
  report: Report,
  settleMs: number,
  words: Words,
): Promise<void> {
  const watch = { report, signal: context.signal };
  return pause(context, settleMs, { reason: 'settle', ...words }, watch);
}

/** Waits until what a process has sent that was last seen at `seenAt` is carried out or dropped. */
export async function settleAfterKill(
  context: Context,
  report: Report,
  settleAfterKillMs: number,
  seenAt: number,
): Promise<void> {
  const now = context.uptime();
  const restMs = Math.min(seenAt + maxBeatAgeMs, now) + settleAfterKillMs - now;
  const words = { why: 'an earlier run did not finish', next: 'checking what it created' };
  if (restMs > 0) await settle(context, report, restMs, words);
}

export function describeUnknown(count: number): Words {
  const next = count === 1 ? 'checking it' : 'checking them';
  return { why: `${countOf(count, 'outcome')} unknown`, next, count };
}
