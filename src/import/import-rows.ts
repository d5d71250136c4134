import type { Context } from '../context.ts';
import { nothingSent, withDetails } from '../errors.ts';
import { notice, type Report } from '../events.ts';
import type { Client } from '../service/client.ts';
import type { Category } from '../service/resources.ts';
import { quoted } from '../text/quote.ts';
import { formatCount } from '../time.ts';
import { decideFates, findByFate } from './fates.ts';
import type { Entry, Ledger } from './ledger.ts';
import { claim, fetchList, findCopies, type Known } from './lookup.ts';
import { describeRow, type Item } from './rows.ts';
import { Round, type StopReason } from './send-rows.ts';
import { describeUnknown, type SettleTimes, settle } from './settle.ts';
import type { Turn } from './turn.ts';

export type Job = SettleTimes & {
  readonly context: Context;
  readonly client: Client;
  readonly report: Report;
  readonly items: readonly Item[];
  readonly turn: Turn;
  readonly ledger: Ledger;
  readonly maxWaitMs: number;
  /** Shows the plan and asks. Throws if the answer is no. */
  readonly confirm: (beforeAsking: () => Promise<void>) => Promise<void>;
  readonly onRowDone: () => void;
};

export type Ending = {
  readonly stop: StopReason | undefined;
  readonly copies: readonly Category[];
};

/** An import ends if it has looked so many times without a single row created. */
const maxFruitlessLooks = 3;

/** Creates what the list of the service lacks, until nothing is left or something stops it. Throws only if nothing was created. */
export async function runImport(job: Job): Promise<Ending> {
  const { ledger, turn } = job;
  const lookup = new Lookup(job);
  try {
    ledger.open();
  } catch (error) {
    throw withDetails(error, nothingSent);
  }
  return turn.run(async () => {
    for (const { id } of await lookup.run()) lookup.known.add(id);
    await job.confirm(() => turn.giveBack());
    const stop = await createAll(job, lookup).catch((error): StopReason => {
      return { kind: 'failed', error };
    });
    return { stop, copies: lookup.copies };
  });
}

async function createAll(job: Job, lookup: Lookup): Promise<StopReason | undefined> {
  const { context, items, report, settleMs } = job;
  let fruitless = 0;
  for (;;) {
    const left = findByFate(items, 'create');
    // The lookup may have found all that was unknown.
    if (left.length === 0) return undefined;
    const before = findByFate(items, 'created').length;
    const stop = await new Round(job, lookup.known).send(left);
    if (stop?.kind === 'failed') return stop;
    const unknown = findByFate(items, 'unknown').length;
    if (unknown > 0) await settle(context, report, settleMs, describeUnknown(unknown));
    await lookup.run();
    const hasProgress = lookup.hadNews || findByFate(items, 'created').length > before;
    fruitless = hasProgress ? 0 : fruitless + 1;
    if (fruitless === maxFruitlessLooks && findByFate(items, 'create').length > 0) return stop;
  }
}

class Lookup {
  /** Ids of the first list, and those that rows and copies got since. */
  readonly known = new Set<Category['id']>();
  readonly copies: Category[] = [];
  /** Others may have created something before the last list. */
  hadNews = false;
  #entries: readonly Entry[] = [];
  readonly #job: Job;

  constructor(job: Job) {
    this.#job = job;
  }

  /** Requests the list, and goes by it: the service had its time to carry out what was unknown. */
  run(): Promise<Category[]> {
    const { items, ledger, turn } = this.#job;
    return turn.list(async (findRecent, hasNews) => {
      this.hadNews = hasNews;
      const names = hasNews ? items.map(({ name }) => name) : [];
      // Only now: whoever had the turn before has written down what it created.
      if (hasNews) this.#entries = ledger.read(names);
      const list = await fetchList(this.#job, findKnown(items), this.#entries, findRecent(names));
      this.#claimUnknown(list);
      decideFates(items, list, this.#entries);
      for (const copy of findCopies(items, list, this.known)) {
        this.copies.push(copy);
        this.known.add(copy.id);
      }
      return list;
    });
  }

  #claimUnknown(list: readonly Category[]): void {
    const { items, ledger, report, onRowDone } = this.#job;
    const unknown = findByFate(items, 'unknown');
    const found = claim(unknown, list, this.known);
    for (const item of found) {
      const { as } = item;
      ledger.add(item);
      if (as !== undefined)
        notice(report, `${describeRow(item)}: the list has it as ${quoted(as)}`);
      onRowDone();
    }
    const absent = findByFate(unknown, 'unknown');
    for (const item of absent) item.fate = 'create';
    if (unknown.length > 0) notice(report, describeClaim(found.length, absent.length));
  }
}

function findKnown(items: readonly Item[]): Known[] {
  return findByFate(items, 'created', 'existing', 'differs')
    .filter(({ isMistaken }) => !isMistaken)
    .map(({ id = '', name, as = name, fate }) => ({ name, id, as, isOurs: fate === 'created' }));
}

function describeClaim(found: number, absent: number): string {
  return `checked: ${formatCount(found)} created, ${formatCount(absent)} not created, which will be sent again`;
}
