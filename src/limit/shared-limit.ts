import type { Context, Engine } from '../context.ts';
import { storeCell } from '../store/store-cell.ts';
import { asOffline } from './decide.ts';
import { dropPermits } from './learn.ts';
import { type Limit, openLimit, type Step } from './limit.ts';
import { merge, shifted } from './merge.ts';
import { emptyState, type Permit, type Snapshot, type State } from './state.ts';
import { snapshotSchema } from './state-schema.ts';

const minLifetimeS = 25 * 3_600;

export function openStoreLimit(engine: Engine, name: string, context: Context): Limit {
  const parse = (json: string) => snapshotSchema.parse(JSON.parse(json));
  const cell = storeCell(engine, `petstore:lim:${name}`, { parse, lifetimeS }, context);
  return openLimit(cell, ({ now }) => ({ wall: now, uptime: now, boot: 'server' }), context.turn);
}

function lifetimeS({ state, stamp }: Snapshot): number {
  const waitS = Math.ceil(Math.max(0, (state.block?.until ?? 0) - stamp.at) / 1_000);
  return minLifetimeS + waitS;
}

const retryAfterMs = 5_000;

/**
 * Shares a limit with other machines through a store. While that fails, this machine's own limit is used. Each is told what the
 * other one knows, so that no wait gets lost. `onFailure` is called once, with the reason why the store is not used.
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
  /** The last state of the store, by the clock of this machine's own limit. */
  let known: State = emptyState;
  const isRemote = () => uptime() >= retryAt;
  const isOurs = (permit: Permit) =>
    permit.owner.pid === owner.pid && permit.owner.host === owner.host;

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
    const there = await store.change((before, now) => {
      const mine = shifted(here.state, now - here.now);
      // The store was not told how our requests ended.
      const current = wasOffline ? dropPermits(before, now, isOurs) : before;
      // A store that lost its values does not know what other machines have in flight.
      const news = before === emptyState ? asOffline(mine) : mine;
      const [state, result] = step(merge(current, news), now, false);
      return [state, { state, now, result }];
    });
    await own.change((state, now) => {
      // The reply took its time, so no wait gets shorter on the way.
      known = shifted(there.state, now - there.now);
      return [merge(state, known), undefined];
    });
    return there.result;
  }

  async function goOffline(error: unknown): Promise<void> {
    retryAt = uptime() + retryAfterMs;
    wasOffline = true;
    await own.change((state, now) => {
      // What is in flight may be counted, although this machine will not hear of it.
      const spent = dropPermits(known, now, () => true);
      return [merge(state, spent), undefined];
    });
    if (!isReported && !signal.aborted) onFailure(error);
    isReported = true;
  }
}
