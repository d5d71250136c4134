import type { Context } from '../../context.ts';
import { readClock } from '../clock.ts';
import { emptyLedger, type Ledger } from '../ledger.ts';
import type { SharedLog } from '../log.ts';
import { accountOf, restrictsMore } from '../merge-account.ts';
import type { Account, Entry } from '../records.ts';
import { LostLog } from './log.ts';
import { hasLostLog, mirror } from './mirror.ts';
import { createPresence, type Store } from './presence.ts';

/** How long a line that says so keeps all processes of this machine careful, in ms, and how soon it is said again. */
const apartTime = 30_000;
const renewAfter = 20_000;

/**
 * The store's log as long as the store answers and keeps it, else that of this machine, and the store's again when it is back.
 * Each time all that is known goes along, so that no wait gets lost. Never fails, and never waits long for a store.
 * @param onFailure called once, with why the store is not used
 */
export function fallBack(
  store: Store,
  local: SharedLog,
  context: Pick<Context, 'now' | 'uptime' | 'boot' | 'sleep' | 'random' | 'signal'>,
  { onFailure }: { onFailure: (error: unknown) => void },
): SharedLog {
  const { isThere, noticed, inTime, giveUp } = createPresence(store, context, onFailure);
  /** What the store told last. */
  let known: Ledger = emptyLedger;
  /** Undefined while the store is in use. A process joins it first of all: its machine may know what the store was never told. */
  let leaving: Promise<void> | undefined = Promise.resolve();
  let joining: Promise<void> | undefined;
  let isFirst = true;
  let renewAt = 0;
  /** Requests that the store knows of, and those of them that ended meanwhile: how they did. */
  const open = new Set<string>();
  const ended = new Map<string, 'lost' | 'unsent'>();

  return {
    isRemote: () => leaving === undefined,
    async read() {
      return (await inStore()) ?? local.read();
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
      const own = await local.append(entry);
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
      const there = await noticed(entry ? store.append(entry) : store.read());
      known = there;
      await mirror(there, store.mark(), local, context);
      return there;
    } catch (error) {
      leaving ??= leave(error);
      await leaving;
      return undefined;
    }
  }

  async function leave(error: unknown): Promise<void> {
    giveUp(error);
    isFirst = false;
    renewAt = 0;
    await stayApart();
  }

  /** Says to all processes of this machine that it goes on without the store, and what the store knew. */
  async function stayApart(): Promise<void> {
    if (context.uptime() < renewAt) return;
    renewAt = context.uptime() + renewAfter;
    await local.append({ ...accountNow(known), apart: context.now() + apartTime });
  }

  /** Whether the store is in use again. */
  async function isBack(): Promise<boolean> {
    if (!isThere()) return false;
    joining ??= join().then(() => {
      leaving = undefined;
    }, leave);
    await joining;
    joining = undefined;
    return leaving === undefined;
  }

  function accountNow(ledger: Ledger): Account {
    return accountOf(ledger, readClock(context), context.random());
  }

  /** Tells the store what happened without it. */
  async function join(): Promise<void> {
    const work = store.read();
    const there = await (isFirst ? noticed(work) : inTime(work));
    const isLost = isFirst && hasLostLog(store.mark(), await local.read(), context.now());
    isFirst = false;
    known = there;
    const own = accountNow(await mirror(there, store.mark(), local, context));
    if (isLost) throw new LostLog();
    if (restrictsMore(own, there)) known = await inTime(store.append(own));
    for (const [id, k] of ended) {
      await inTime(store.append({ k, id, ...readClock(context) }));
      ended.delete(id);
    }
  }
}

function isEnd(entry: Entry): entry is Entry & { readonly id: string } {
  return ['answer', 'refused', 'lost', 'unsent'].includes(entry.k);
}
