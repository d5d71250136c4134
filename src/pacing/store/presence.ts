import type { Context, Engine } from '../../context.ts';
import type { Ledger } from '../ledger.ts';
import { LostLog, type StoreLog } from './log.ts';
import { StoreTimeout, withTimeout } from './timeout.ts';

/** How soon a store that is gone is tried again, in ms of the time in which something is needed; half of it more or less. */
const retryAfter = 5_000;

/** The way to the store, and how to give it up. */
export type Store = StoreLog & Pick<Engine, 'drop' | 'activity'>;

/** Keeps account of whether a store answers. @param onFailure called once, with why the store is not used */
export function createPresence(
  store: Store,
  context: Pick<Context, 'uptime' | 'sleep' | 'random' | 'signal'>,
  onFailure: (error: unknown) => void,
) {
  let there = true;
  let tryAt = 0;
  let reported = false;
  return { isThere, noticed, inTime, giveUp };

  /** A store that is gone is tried again in the background: nobody waits for one that stays away. */
  function isThere(): boolean {
    if (!there && context.uptime() >= tryAt) {
      tryAt = Number.POSITIVE_INFINITY;
      store.drop();
      noticed(store.read()).catch((error) => {
        // That it begins anew is no news to who was away.
        if (error instanceof LostLog) there = true;
        else giveUp(error);
      });
    }
    return there;
  }

  /** As inTime; an answer shows that the store is there, also one that comes when it was given up. */
  function noticed(work: Promise<Ledger>): Promise<Ledger> {
    work.then(
      () => {
        there = true;
      },
      () => {},
    );
    return inTime(work);
  }

  function inTime(work: Promise<Ledger>): Promise<Ledger> {
    return withTimeout(context, store, work);
  }

  function giveUp(error: unknown): void {
    // What is silent may answer yet.
    if (!(error instanceof StoreTimeout)) store.drop();
    there = false;
    tryAt = context.uptime() + retryAfter * (0.5 + context.random());
    // Who wants to stop did not give it the time.
    if (!reported && !context.signal.aborted) onFailure(error);
    reported = true;
  }
}
