import { pause } from '../api/pause.ts';
import type { Context } from '../context.ts';
import type { Report, Wait } from '../events.ts';
import { countOf } from '../time.ts';

type Words = Pick<Wait, 'why' | 'next' | 'count'>;

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

export function unknownOutcomes(count: number): Words {
  const next = count === 1 ? 'checking it' : 'checking them';
  return { why: `${countOf(count, 'outcome')} unknown`, next, count };
}
