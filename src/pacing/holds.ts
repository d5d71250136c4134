import { followClock } from './clock.ts';
import { decide } from './decide.ts';
import { dropLeases } from './fold.ts';
import type { Ledger, Reading } from './ledger.ts';

/** Whether a permit is granted still: its lease is not over, and nothing that was told since says to wait. */
export function isStillGranted(ledger: Ledger, id: string, clock: Reading): boolean {
  const current = dropLeases(followClock(ledger, clock), clock.at);
  const { [id]: mine, ...others } = current.inFlight;
  const decision = decide({ ...current, inFlight: others }, clock.at);
  return mine !== undefined && (decision.granted || decision.soon);
}
