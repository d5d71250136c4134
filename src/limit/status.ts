import { decide, isOpen } from './decide.ts';
import { dropPermits } from './learn.ts';
import type { Limit } from './limit.ts';
import type { State } from './state.ts';

export type WindowStatus = {
  readonly limit?: number | undefined;
  readonly remaining?: number | undefined;
  /** Counted by the service, or by petstore for less than a day. */
  readonly used?: number | undefined;
  readonly resetMs?: number | undefined;
  readonly serviceResetAt?: number | undefined;
  readonly source: 'service' | 'own count' | 'unknown';
};

export function readStatus(limit: Limit) {
  return limit.change((recorded, now) => {
    const state = dropPermits(recorded, now, ({ expiresAt }) => now >= expiresAt);
    const denied = decide(state, now);
    const minute = windowStatus(state, 'minute', now);
    const day = windowStatus(state, 'day', now);
    const inFlight = Object.keys(state.permits).length;
    const wait = denied?.reason === 'probe' ? undefined : denied;
    return [recorded, { minute, day, inFlight, wait }];
  });
}

function windowStatus(state: State, kind: 'minute' | 'day', now: number): WindowStatus {
  const window = state[kind];
  const limit = window?.limit;
  if (window && isOpen(state, kind, now)) {
    const remaining = Math.max(0, window.remaining);
    const { serviceResetAt, endsAt } = window;
    const source = serviceResetAt === undefined ? 'own count' : 'service';
    const used = window.limit - remaining;
    return { limit, remaining, used, resetMs: endsAt - now, serviceResetAt, source };
  }
  if (kind === 'day' && state.ownCount) {
    return { limit, used: state.ownCount.requests, source: 'own count' };
  }
  return { limit, source: 'unknown' };
}
