import type { Context, Engine } from '../../context.ts';
import { readClock } from '../clock.ts';
import { emptyLedger, type Ledger } from '../ledger.ts';
import { restrictsMore } from '../merge-account.ts';
import type { Entry } from '../records.ts';
import type { SharedLog } from '../shared-log.ts';
import { LostLog, type StoreLog } from './log.ts';
import { hasLostLog, hearsay, mirror } from './mirror.ts';
import { StoreTimeout, withTimeout } from './timeout.ts';

/** How soon a store that is gone is tried again, in ms of the time in which something is needed; half of it more or less. */
const retryAfter = 5_000;
/** How long a line that says so keeps all processes of this machine careful, in ms, and how soon it is said again. */
const apartTime = 30_000;
const renewAfter = 20_000;

/** The way to the store, and how to give it up. */
export type Store = StoreLog & Pick<Engine, 'drop' | 'activity'>;

type Clock = Pick<Context, 'now' | 'uptime' | 'boot' | 'sleep' | 'random' | 'signal'>;

/**
 * The store's log as long as the store answers and keeps it, else that of this machine, and the store's again when it is back.
 * Each time all that is known goes along, so that no wait gets lost. Never fails, and never waits long for a store.
 * @param onFailure hears once why the store is not used
 */
export function fallBack(
  store: Store,
  alone: SharedLog,
  context: Clock,
  { onFailure }: { onFailure: (error: unknown) => void },
): SharedLog {
  /** What the store told last. */
  let known: Ledger = emptyLedger;
  /** Undefined while the store is in use. A process joins it first of all: its machine may know what the store was never told. */
  let leaving: Promise<void> | undefined = Promise.resolve();
  let joining: Promise<void> | undefined;
  let isFirst = true;
  let found = true;
  let tryAt = 0;
  let renewAt = 0;
  let reported = false;
  /** Requests that the store knows of, and those of them that ended meanwhile: how they did. */
  const open = new Set<string>();
  const ended = new Map<string, 'lost' | 'unsent'>();

  return {
    isFar: () => leaving === undefined,
    async read() {
      return (await inStore()) ?? alone.read();
    },
    async append(entry) {
      if (entry.k === 'ask') open.add(entry.id);
      const ledger = await inStore(entry);
      // By hand, all is cleared.
      if (ledger && entry.k !== 'clear') {
        if (isEnd(entry)) open.delete(entry.id);
        return ledger;
      }
      if (isEnd(entry) && open.delete(entry.id)) {
        ended.set(entry.id, entry.k === 'unsent' ? 'unsent' : 'lost');
      }
      if (entry.k === 'ask' && !ledger) await stayApart();
      const own = await alone.append(entry);
      return ledger ?? own;
    },
  };

  /** What the store says after the entry, or undefined when it is not to be used now. */
  async function inStore(entry?: Entry): Promise<Ledger | undefined> {
    const wasAway = leaving !== undefined;
    if (wasAway && !(await isBack())) return undefined;
    // Who is back has just looked.
    if (wasAway && !entry) return known;
    try {
      const work = entry ? store.append(entry) : store.read();
      const there = await withTimeout(context, store, noticed(work));
      known = there;
      await mirror(there, store.mark(), alone, context);
      return there;
    } catch (error) {
      leaving ??= leave(error);
      await leaving;
      return undefined;
    }
  }

  async function leave(error: unknown): Promise<void> {
    stayAway(error);
    renewAt = 0;
    await stayApart();
  }

  /** Says to all processes of this machine that it goes on without the store, and what the store knew. */
  async function stayApart(): Promise<void> {
    if (context.uptime() < renewAt) return;
    renewAt = context.uptime() + renewAfter;
    await alone.append({ ...hearsay(known, context), apart: context.now() + apartTime });
  }

  /** Whether the store is in use again. It is looked for in the background: nobody waits for one that stays away. */
  async function isBack(): Promise<boolean> {
    if (!found && context.uptime() >= tryAt) {
      tryAt = Number.POSITIVE_INFINITY;
      store.drop();
      withTimeout(context, store, noticed(store.read())).catch((error) => {
        // That it begins anew is no news to who was away.
        if (error instanceof LostLog) found = true;
        else stayAway(error);
      });
    }
    if (!found) return false;
    joining ??= join().then(() => {
      leaving = undefined;
    }, leave);
    await joining;
    joining = undefined;
    return leaving === undefined;
  }

  /** An answer shows that the store is there, also one that comes when it was given up. */
  function noticed<Value>(work: Promise<Value>): Promise<Value> {
    work.then(
      () => {
        found = true;
      },
      () => {},
    );
    return work;
  }

  function stayAway(error: unknown): void {
    // What is silent may answer yet.
    if (!(error instanceof StoreTimeout)) store.drop();
    found = false;
    isFirst = false;
    tryAt = context.uptime() + retryAfter * (0.5 + context.random());
    // Who wants to stop did not give it the time.
    if (!reported && !context.signal.aborted) onFailure(error);
    reported = true;
  }

  /** Tells the store what happened without it. */
  async function join(): Promise<void> {
    const work = store.read();
    const there = await withTimeout(context, store, isFirst ? noticed(work) : work);
    const isLost = isFirst && hasLostLog(store.mark(), await alone.read(), context.now());
    isFirst = false;
    known = there;
    const own = hearsay(await mirror(there, store.mark(), alone, context), context);
    if (isLost) throw new LostLog();
    if (restrictsMore(own, there)) known = await withTimeout(context, store, store.append(own));
    for (const [id, k] of ended) {
      await withTimeout(context, store, store.append({ k, id, ...readClock(context) }));
      ended.delete(id);
    }
    found = false;
  }
}

function isEnd(entry: Entry): entry is Entry & { readonly id: string } {
  return ['answer', 'refused', 'lost', 'unsent'].includes(entry.k);
}
