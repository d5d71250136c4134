import { notice } from '../events.ts';
import { readCategories } from '../service/client.ts';
import type { Category } from '../service/resources.ts';
import { formatCount } from '../time.ts';
import type { Job } from './job.ts';
import type { Entry } from './ledger.ts';
import { claim, describeMissing, fetchList, findCopies, type Known } from './lookup.ts';
import { findByFate, findCreated, findUnlisted, plan } from './plan.ts';
import type { Item } from './rows.ts';
import { Round, type StopReason } from './send-rows.ts';
import { computeRestMs, describeUnknown, settle } from './settle.ts';

export type Ending = {
  readonly stop: StopReason | undefined;
  readonly copies: readonly Category[];
};

const afterKill = { why: 'an earlier run did not finish', next: 'checking what it created' };
/** An import ends if it has looked so many times without a single row created. */
const maxFruitlessLooks = 3;

/** Creates what the list of the service lacks, until nothing is left or something stops it. Throws only if nothing was created. */
export async function runImport(job: Job): Promise<Ending> {
  const { context, items, ledger, report, settleMs, turn } = job;
  const copies: Category[] = [];
  /** Ids of the first list, and those that rows and copies got since. */
  const known = new Set<Category['id']>();
  let entries: readonly Entry[] = [];
  let isPlanned = false;
  let stop: StopReason | undefined;
  try {
    await turn.take();
    ledger.open();
    const list = await lookUp();
    for (const { id } of list) known.add(id);

    await job.confirm(() => turn.release(false));
    isPlanned = true;
    plan(items, list, entries);
    let left = findByFate(items, 'create');
    for (let fruitless = 0; left.length > 0 && fruitless < maxFruitlessLooks; ) {
      const before = findCreated(items).length;
      stop = await new Round(job, known).send(left);
      const unknown = findByFate(items, 'unknown').length;
      // The list may have to wait for the limit of another day.
      if (unknown === 0 && ledger.sync()) await turn.rest();
      if (stop?.kind === 'failed') break;
      if (unknown > 0) await settle(context, report, settleMs, describeUnknown(unknown));
      const isOvertaken = turn.hasNews;
      await lookUp();
      left = findByFate(items, 'create');
      fruitless = isOvertaken || findCreated(items).length > before ? 0 : fruitless + 1;
    }
    // The lookup may have found all that was unknown.
    if (left.length === 0) stop = undefined;
  } catch (error) {
    if (!isPlanned) throw error;
    stop = { kind: 'failed', error };
  } finally {
    await turn.release(findByFate(items, 'unknown').length > 0 || !ledger.sync());
  }
  return { stop, copies };

  /** Requests the list, and goes by it: the service had its time to carry out what was unknown. */
  async function lookUp(): Promise<Category[]> {
    await turn.take();
    // Only now: whoever had the turn before has written down what it created.
    if (turn.hasNews) entries = ledger.read(items.map(({ name }) => name));
    const restMs = computeRestMs(context.uptime(), turn.predecessorSeenAt, job);
    if (restMs > 0) await settle(context, report, restMs, afterKill);
    const list = await fetchList(job, findKnown(items), entries);
    const unknown = findByFate(items, 'unknown');
    const found = claim(unknown, list, known);
    for (const item of found) {
      ledger.add(item);
      job.onRowDone();
    }
    for (const item of findByFate(unknown, 'unknown')) item.fate = 'create';
    plan(items, list, entries);
    if (unknown.length > 0) {
      notice(report, describeClaim(found.length, findByFate(unknown, 'create').length));
    }
    await turn.afterList();
    for (const copy of findCopies(items, list, known)) {
      copies.push(copy);
      known.add(copy.id);
    }
    return list;
  }
}

/** Plans without changing anything. Returns the list that it went by. */
export async function previewImport(
  job: Pick<Job, 'client' | 'report' | 'items' | 'ledger'>,
): Promise<Category[]> {
  const { client, report, items, ledger } = job;
  const entries = ledger.read(items.map(({ name }) => name));
  const list = await readCategories(client);
  const recent = entries.filter((entry) => ledger.isRecent(entry));
  const missing = findUnlisted(recent, list).length;
  if (missing > 0) notice(report, describeMissing(missing));
  plan(items, list, entries);
  return list;
}

function findKnown(items: readonly Item[]): Known[] {
  return findByFate(items, 'created', 'existing', 'differs')
    .filter(({ isMistaken }) => !isMistaken)
    .map(({ id = '', name, as = name, fate }) => ({ name, id, as, isOurs: fate === 'created' }));
}

function describeClaim(found: number, absent: number): string {
  return `checked: ${formatCount(found)} created, ${formatCount(absent)} not created, which will be sent again`;
}
