import type { Context, Engine } from '../context.ts';
import { followClock, readClock } from './clock.ts';
import { guard } from './decide.ts';
import { summary, tellsMore } from './hear.ts';
import { inTime, Silence } from './in-time.ts';
import { emptyLedger, type Ledger } from './ledger.ts';
import type { Entry, Heard } from './records.ts';
import type { SharedLog } from './shared-log.ts';
import type { StoreLog } from './store-log.ts';

/** How often a store that is gone is tried again, in ms of the time in which something is needed. */
const retryAfter = 5_000;
/** How long a line that says so keeps all processes of this machine careful, in ms, and how soon it is said again. */
const apartTime = 30_000;
const renewAfter = 20_000;

/** The way to the store, and how to give it up. */
export type Store = StoreLog & Pick<Engine, 'drop' | 'activity'>;

type Clock = Pick<Context, 'now' | 'uptime' | 'boot' | 'sleep' | 'random' | 'signal'>;

/**
 * The store's log as long as the store answers, else that of this machine, and the store's again when it is back. Each time all
 * that is known goes along, so that no wait gets lost. Never fails, and never waits long for a store.
 * @param wasAlone this machine may know what it never told the store, because its processes ended before it was back
 * @param onFailure hears once why the store is not used
 */
export function fallBack(
  store: Store,
  alone: SharedLog,
  context: Clock,
  { wasAlone, onFailure }: { wasAlone: boolean; onFailure: (error: unknown) => void },
): SharedLog {
  /** What the store told last. */
  let known: Ledger = emptyLedger;
  /** Undefined while the store is in use. */
  let leaving: Promise<void> | undefined = wasAlone ? Promise.resolve() : undefined;
  let joining: Promise<void> | undefined;
  let found = wasAlone;
  let tryAt = 0;
  let renewAt = 0;
  let told = false;
  /** The end of the wait that this machine's own log was told of last. */
  let keptUntil = 0;
  /** Requests that the store knows of, and those of them that ended meanwhile: how they did. */
  const open = new Set<string>();
  const ended = new Map<string, 'lost' | 'unsent'>();

  return {
    isFar: () => leaving === undefined,
    async read() {
      return (await inStore(({ read }) => read())) ?? alone.read();
    },
    async append(entry) {
      if (entry.k === 'ask') open.add(entry.id);
      const ledger = await inStore(({ append }) => append(entry));
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

  /** What the store says, or undefined when it is not to be used now. */
  async function inStore(
    action: (store: StoreLog) => Promise<Ledger>,
  ): Promise<Ledger | undefined> {
    if (leaving && !(await isBack())) return undefined;
    try {
      known = await inTime(context, store, noticed(action(store)));
      await keepWait();
      return known;
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

  /** A wait in force holds for whoever starts when the store is gone. */
  async function keepWait(): Promise<void> {
    const { block } = known;
    if (!block || block.until <= Math.max(keptUntil, context.now()) + guard) return;
    keptUntil = block.until;
    const { offset, refusals } = known;
    const wait = hearsay({ ...emptyLedger, block, refusals, offset });
    if (tellsMore(wait, await alone.read())) await alone.append(wait);
  }

  /** What a ledger by this machine's clock has to say to another log now. */
  function hearsay(ledger: Ledger, apart?: number): Heard {
    const clock = readClock(context);
    const now = summary(followClock(ledger, clock));
    return { k: 'heard', ...clock, ledger: now, jitter: context.random(), apart };
  }

  /** Says to all processes of this machine that it goes on without the store, and what the store knew. */
  async function stayApart(): Promise<void> {
    if (context.uptime() < renewAt) return;
    renewAt = context.uptime() + renewAfter;
    await alone.append(hearsay(known, context.now() + apartTime));
  }

  /** Whether the store is in use again. It is looked for in the background: nobody waits for one that stays away. */
  async function isBack(): Promise<boolean> {
    if (!found && context.uptime() >= tryAt) {
      tryAt = Number.POSITIVE_INFINITY;
      store.drop();
      inTime(context, store, noticed(store.read())).catch(stayAway);
    }
    if (!found) return false;
    joining ??= join().then(() => {
      leaving = undefined;
    }, stayAway);
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
    if (!(error instanceof Silence)) store.drop();
    found = false;
    tryAt = context.uptime() + retryAfter;
    // Who wants to stop did not give it the time.
    if (!told && !context.signal.aborted) onFailure(error);
    told = true;
  }

  /** Tells the store what happened without it. */
  async function join(): Promise<void> {
    const there = await inTime(context, store, store.read());
    const own = hearsay(await alone.read());
    if (tellsMore(own, there)) await inTime(context, store, store.append(own));
    for (const [id, k] of ended) {
      await inTime(context, store, store.append({ k, id, ...readClock(context) }));
      ended.delete(id);
    }
    found = false;
  }
}

function isEnd(entry: Entry): entry is Entry & { readonly id: string } {
  return ['answer', 'refused', 'lost', 'unsent'].includes(entry.k);
}
