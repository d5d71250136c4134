import { join } from 'node:path';
import { Failure, systemCode } from '../errors.ts';
import { notice } from '../events.ts';
import { readCategories } from '../service/client.ts';
import type { Category } from '../service/resources.ts';
import { quoted } from '../text/quote.ts';
import { countOf, formatCount, isoTime } from '../time.ts';
import type { Hold } from './hold.ts';
import type { Job } from './job.ts';
import { type Header, type Identity, Journal, locateJournal, readJournal } from './journal.ts';
import { takeTurn } from './lease.ts';
import { claim, describeMissing, fetchList, findCopies, findMissing } from './lookup.ts';
import { findByFate, findCreated, plan } from './plan.ts';
import type { Item } from './rows.ts';
import { Round, type Stop } from './send-rows.ts';
import { computeRestMs, describeUnknown, settle } from './settle.ts';

export type Ending = {
  /** The items were not planned if the run ended before the question. */
  readonly isPlanned: boolean;
  readonly stop: Stop | undefined;
  readonly copies: readonly Category[];
};

const afterKill = { why: 'an earlier run did not finish', next: 'checking what it created' };
/** An import ends if it has looked so many times without a single row created. */
const maxFruitlessLooks = 3;

/** Creates what the list of the service lacks, until nothing is left or something stops it. Throws only if nothing was created. */
export async function runImport(job: Job): Promise<Ending> {
  const { context, items, report, settleMs } = job;
  const folder = join(job.stateFolder, 'imports');
  const path = locateJournal(folder, job);
  const copies = new Map<string, Category>();
  let isPlanned = false;
  let stop: Stop | undefined;
  let journal: Journal | undefined;
  let hold: Hold | undefined;
  let shownCount = 0;
  try {
    hold = await takeNames(job, path);
    journal = new Journal(context, path, items, hold);
    if (journal.header) notice(report, describeResumption(journal.header, journal.state, items));
    const wasKilled = journal.state === 'sending';
    // A killed run could not write down its last rows. They stay unknown if the wait below is interrupted.
    if (wasKilled && journal.header) markUnknown(items);
    const restMs = findRestMs(job, hold, journal);
    if (restMs > 0) await settle(context, report, restMs, afterKill);
    const list = await lookUp(journal, 'created_before');
    if (wasKilled && journal.header) journal.setState('idle');
    hold.forgetPredecessors();

    await job.confirm();
    isPlanned = true;
    plan(items, list);
    let left = findByFate(items, 'create');
    if (left.length > 0 && !journal.header) journal.begin(createHeader(job, list));
    for (let fruitless = 0; left.length > 0 && fruitless < maxFruitlessLooks; ) {
      const before = findCreated(items).length;
      stop = await new Round(job, journal).send(left);
      const unknown = findByFate(items, 'unknown').length;
      // The list may have to wait for the limit of another day.
      if (unknown === 0) journal.setState('idle');
      if (stop?.kind === 'failed') break;
      if (unknown > 0) await settle(context, report, settleMs, describeUnknown(unknown));
      await lookUp(journal, 'created');
      left = findByFate(items, 'create');
      fruitless = findCreated(items).length > before ? 0 : fruitless + 1;
    }
    // The lookup may have found all that was unknown.
    if (left.length === 0) stop = undefined;
    if (!stop) finish(job, journal);
  } catch (error) {
    if (!journal?.header) throw withoutJournal(error);
    stop = { kind: 'failed', error };
  } finally {
    // Synced before the hold goes: the next process trusts this journal.
    const isAtRest = findByFate(items, 'unknown').length === 0 && canRest(journal);
    await hold?.release(!isAtRest || shownCount !== findCreated(items).length);
  }
  return { isPlanned, stop, copies: [...copies.values()] };

  /** Requests the list, and goes by it: the service had its time to carry out what was unknown. */
  async function lookUp(journal: Journal, fate: 'created' | 'created_before') {
    const list = await fetchList(job, journal.path);
    // Without a header nothing was sent by a run whose journal we have: what is listed counts as existing.
    const claimed = journal.header ? claim(items, list, journal.header.before, fate) : [];
    for (const item of claimed) {
      journal.add(item);
      job.onRowDone();
    }
    const others = findByFate(items, 'unknown');
    for (const item of others) item.fate = 'create';
    plan(items, list);
    if (claimed.length + others.length > 0) {
      notice(report, describeClaim(claimed.length, findByFate(others, 'create').length));
    }
    journal.hold.afterList();
    shownCount = findCreated(items).length;
    for (const copy of findCopies(items, list, journal.header?.before)) {
      if (!copies.has(String(copy.id))) notice(report, describeCopy(copy));
      copies.set(String(copy.id), copy);
    }
    return list;
  }
}

export async function previewImport(
  job: Pick<Job, 'context' | 'client' | 'report' | 'items' | 'stateFolder'> & Identity,
): Promise<void> {
  const { context, client, report, items } = job;
  const folder = join(job.stateFolder, 'imports');
  const { header, state } = readJournal(context, locateJournal(folder, job), items);
  const list = await readCategories(client);
  const missing = findMissing(items, list);
  if (missing.length > 0) notice(report, describeMissing(missing.length));
  if (state === 'sending') markUnknown(items);
  if (header) claim(items, list, header.before, 'created_before');
  for (const item of findByFate(items, 'unknown')) item.fate = 'create';
  plan(items, list);
}

function markUnknown(items: readonly Item[]): void {
  for (const item of findByFate(items, 'create')) item.fate = 'unknown';
}

function takeNames(job: Job, journal: string): Promise<Hold> {
  const { context, address, items, stateFolder, maxWaitMs, report, store } = job;
  const folder = join(stateFolder, 'names');
  const names = items.map(({ name }) => name);
  const options = { folder, address, names, journal, maxWaitMs, report, store };
  return takeTurn(context, { ...options, doing: 'importing' });
}

function describeResumption({ at }: Header, state: Journal['state'], items: readonly Item[]) {
  const rows = `${countOf(findCreated(items).length, 'row')} created`;
  return state === 'done'
    ? `this import was started at ${isoTime(at)} and is finished: ${rows}`
    : `resuming the import started at ${isoTime(at)}: ${rows}`;
}

/** Returns how long to wait. The journal tells what a killed run of the same import left; of any other nothing is known. */
function findRestMs(job: Job, { predecessors }: Hold, { path, header, state }: Journal): number {
  const others = predecessors.filter(({ journal }) => journal !== path || header === undefined);
  const killed = state === 'sending' ? predecessors : others;
  if (state === 'sending' && killed.length === 0) return job.settleAfterKillMs;
  return computeRestMs(job.context.uptime(), killed, job);
}

function createHeader(job: Job, list: readonly Category[]): Header {
  const { address, sha256, path, items, context } = job;
  const names = new Set(items.map(({ name }) => name));
  const before = list.filter(({ name }) => names.has(name)).map(({ id }) => String(id));
  const identity = { address, sha256, ...(path !== undefined && { path }) };
  return { v: 2, ...identity, rows: items.length, at: context.now(), before };
}

function describeClaim(found: number, absent: number): string {
  return `checked: ${formatCount(found)} created, ${formatCount(absent)} not created, which will be sent again`;
}

function describeCopy({ name, id }: Category): string {
  return `${quoted(name)} also exists with id ${id}, which belongs to no row of this import: a late duplicate, or created by another client`;
}

function finish({ items }: Job, journal: Journal): void {
  // If the service changed none of the names, the list tells all that the journal does.
  if (items.some(({ as }) => as !== undefined)) journal.setState('done');
  else journal.remove();
}

function withoutJournal(error: unknown): unknown {
  if (!(error instanceof Failure) || error.kind !== 'output') return error;
  const { consequence, hint, cause } = error.details;
  // For these, the failure says how to fix the permission.
  const isDenied = ['EACCES', 'EPERM'].includes(systemCode(cause) ?? '');
  const freeSpace =
    'Free some disk space or set another folder (PETSTORE_STATE_DIR), then run the same command again.';
  return error.with({
    consequence: consequence ?? 'Nothing was sent: an import needs its journal.',
    hint: hint ?? (isDenied ? undefined : freeSpace),
    outcome: 'not_sent',
  });
}

function canRest(journal: Journal | undefined): boolean {
  try {
    if (journal?.header && journal.state === 'sending') journal.setState('idle');
    return true;
  } catch {
    // The journal still says `sending`, so that the next run waits.
    return false;
  }
}
