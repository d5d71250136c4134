import type { Context } from '../context.ts';
import { dropPermits } from './learn.ts';
import type { Limit, Step } from './limit.ts';
import { merge, shifted, withoutPermits } from './merge.ts';
import { emptyState, type Permit, type State } from './state.ts';

const retryAfterMs = 5_000;
/** After a store has lost what it had, nobody knows for this long what is in flight. */
const maxUnknownMs = 10_000;

/**
 * Returns the limit that machines share through a store. While that fails, this machine's own limit is used. Each is told what the
 * other one knows, so that no wait gets lost.
 * @param onFailure called once, with the reason why the store is not used
 */
export function shareThrough(
  store: Limit,
  own: Limit,
  { uptime, owner, signal }: Pick<Context, 'uptime' | 'owner' | 'signal'>,
  onFailure: (error: unknown) => void,
): Limit {
  let retryAt = Number.NEGATIVE_INFINITY;
  let wasOffline = false;
  let isReported = false;
  /** What the store had last, by the clock of this machine's own limit. */
  let known: State = emptyState;
  const isRemote = () => uptime() >= retryAt;

  return {
    isRemote,
    async change(step) {
      if (isRemote()) {
        try {
          const result = await changeBoth(step);
          wasOffline = false;
          return result;
        } catch (error) {
          await goOffline(error);
        }
      }
      return own.change((state, now) => step(state, now, true));
    },
  };

  async function changeBoth<Result>(step: Step<Result>): Promise<Result> {
    const here = await own.change((state, now) => [state, { state, now }]);
    const there = await store.change((current, now) => {
      const mine = shifted(here.state, now - here.now);
      const [state, result] = step(merge(repaired(current, now, mine), mine), now, false);
      return [state, { state, now, result }];
    });
    await own.change((state, now) => {
      // The reply took its time, so no wait gets shorter on the way.
      known = shifted(there.state, now - there.now);
      return [merge(state, known), undefined];
    });
    return there.result;
  }

  function repaired(state: State, now: number, mine: State): State {
    // The store was flushed.
    if (state === emptyState && (mine.minute ?? mine.day ?? mine.block)) {
      return { ...state, otherUsers: { until: now + maxUnknownMs, delayMs: 0 } };
    }
    // It was not told how our requests ended.
    return wasOffline ? dropPermits(state, now, isOurs) : state;
  }

  function isOurs({ owner: { pid, host } }: Permit): boolean {
    return pid === owner.pid && host === owner.host;
  }

  async function goOffline(error: unknown): Promise<void> {
    retryAt = uptime() + retryAfterMs;
    if (!wasOffline) {
      wasOffline = true;
      // What is in flight may be counted, although this machine will not hear of it.
      await own.change((state) => [merge(state, withoutPermits(known)), undefined]);
    }
    if (!isReported && !signal.aborted) onFailure(error);
    isReported = true;
  }
}
