import { type Plan, plans } from '../../src/sandbox/quota.ts';
import { answer } from '../../src/sandbox/service.ts';
import { openService } from './service.ts';

/** How the service tells the time and its limit; the sandbox tells both well. */
export type Manners = {
  readonly plan?: Plan;
  /** How far its clock is ahead of ours, in ms. */
  readonly skew?: number;
  readonly resetRoundedDown?: boolean;
  readonly resetInMs?: boolean;
  readonly noDate?: boolean;
  /** Requests that were made before in this window. */
  readonly used?: number;
};

export type Service = Awaited<ReturnType<typeof startService>>;

/** A sandbox on a real port that several programs race for. */
export async function startService(manners: Manners = {}) {
  const { plan = plans.free, skew = 0, used = 0 } = manners;
  const service = await openService({
    plan,
    skewMs: skew,
    spoil({ date, ...headers }) {
      const end = service.state.quota.minute.openedAt + plan.minute.length;
      return {
        ...headers,
        // The server would add a date of its own if there were none; this one no client can read.
        date: manners.noDate ? 'unknown' : (date ?? ''),
        ...(manners.resetRoundedDown && {
          'x-ratelimit-reset': `${Math.floor((end - 1) / 1_000)}`,
        }),
        ...(manners.resetInMs && { 'x-ratelimit-reset': `${end}` }),
      };
    },
  });
  const at = Date.now() + skew;
  for (let n = 0; n < used; n += 1)
    answer(service.state, { at, operation: 'GET /v1/store/orders', key: 'valid' });
  return service;
}
