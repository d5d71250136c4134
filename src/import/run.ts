import { join } from 'node:path';
import { readCategories } from '../api/client.ts';
import type { Category } from '../api/resources.ts';
import { Failure, type ServiceError, systemCode } from '../errors.ts';
import { notice } from '../events.ts';
import { quoted } from '../text/quoted.ts';
import { countOf, formatCount, isoTime } from '../time.ts';
import { type Hold, holdNames } from './hold.ts';
import type { Job } from './job.ts';
import {
  type Header,
  type Identity,
  Journal,
  journalPath,
  type Replayed,
  readJournal,
  refuseChangedFile,
} from './journal.ts';
import { describeMissing, fetchList, findCopies, findCreated, findMissing } from './lookup.ts';
import { type Created, keyOf, makePlan, type Plan } from './plan.ts';
import type { Row } from './rows.ts';
import { type Progress, Round, type Stop } from './send.ts';
import { settle, unknownOutcomes } from './settle.ts';

export type Ending = {
  /** By the last list; undefined if the run ended before it was confirmed. */
  readonly plan: Plan | undefined;
  readonly stop: Stop | undefined;
  readonly created: ReadonlyMap<number, Created>;
  readonly createdBefore: ReadonlySet<number>;
  readonly refusals: ReadonlyMap<number, ServiceError>;
  readonly unknown: ReadonlySet<number>;
  readonly copies: readonly Category[];
};

const afterKill = { why: 'an earlier run was killed', next: 'checking what it created' };

/** Creates what the list of the service lacks, until nothing is left or something stops it. Throws only if nothing was created. */
export async function runImport(job: Job): Promise<Ending> {
  const { context, rows, mode, report, settleMs } = job;
  const folder = join(job.stateFolder, 'imports');
  const path = journalPath(folder, job);
  const progress: Progress = { unknown: new Set(), refusals: new Map(), unknownInARow: 0 };
  const { unknown, refusals } = progress;
  const copies = new Map<string, Category>();
  let createdBefore: ReadonlySet<number> = new Set();
  let plan: Plan | undefined;
  let stop: Stop | undefined;
  let journal: Journal | undefined;
  let hold: Hold | undefined;
  let shownCount = 0;
  try {
    hold = await holdRows(job, path);
    refuseChangedFile(context, folder, job);
    journal = new Journal(context, path, mode);
    if (journal.header) notice(report, describeResumption(journal, journal.header));
    const wasKilled = journal.state === 'sending';
    // A killed run could not write down its last rows. They stay unknown if the wait below is interrupted.
    if (wasKilled && journal.header) {
      for (const row of rowsNotIn(journal.created, rows)) unknown.add(row);
    }
    if (wasKilled || mustSettle(hold, journal)) {
      await settle(context, report, settleMs, afterKill);
    }
    const first = await lookUp(journal, new Set());
    createdBefore = new Set(journal.created.keys());
    if (wasKilled && journal.header) journal.setState('idle');
    hold.forgetPredecessors();

    // A yes holds for the look-alikes that were shown.
    const agreed = await job.confirm(first.plan);
    plan = makePlan(mode, rows, first.list, journal.created, agreed);
    if (plan.fates.includes('create') && !journal.header) journal.begin(headerOf(job, first.list));
    for (let left = remaining(plan, refusals); !stop && left.length > 0; ) {
      stop = await new Round(job, journal, progress).send(left);
      // The list may have to wait for the limit of another day.
      if (unknown.size === 0) journal.setState('idle');
      if (stop?.kind === 'failed') break;
      if (unknown.size > 0) await settle(context, report, settleMs, unknownOutcomes(unknown.size));
      ({ plan } = await lookUp(journal, agreed));
      left = remaining(plan, refusals);
      // The lookup may have found all that was unknown.
      if (left.length === 0) stop = undefined;
    }
    if (!stop) finish(job, journal, refusals.size > 0);
  } catch (error) {
    if (!journal?.header) throw withoutJournal(error);
    stop = { kind: 'failed', error };
  } finally {
    // Synced before the hold goes: the next process trusts this journal.
    const isAtRest = unknown.size === 0 && canRest(journal);
    hold?.release(!isAtRest || shownCount !== (journal?.created.size ?? 0));
  }
  const { created } = journal;
  return { plan, stop, created, createdBefore, refusals, unknown, copies: [...copies.values()] };

  async function lookUp(journal: Journal, agreed: ReadonlySet<number>) {
    const list = await fetchList(job, journal);
    const claimed = findCreated(job, journal, list, unknown);
    for (const created of claimed) {
      journal.add(created);
      job.onRowDone();
    }
    const plan = makePlan(mode, rows, list, journal.created, agreed);
    if (unknown.size > 0) {
      const absent = [...unknown].filter((row) => plan.fates[row] === 'create');
      notice(report, describeClaim(claimed.length, absent.length));
    }
    // The others were not created: the service had its time.
    unknown.clear();
    shownCount = journal.created.size;
    for (const copy of findCopies(job, journal, list)) {
      if (!copies.has(copy.id.text)) notice(report, describeCopy(copy));
      copies.set(copy.id.text, copy);
    }
    return { list, plan };
  }
}

export async function previewImport(
  job: Pick<Job, 'context' | 'client' | 'report' | 'rows' | 'stateFolder'> & Identity,
): Promise<Plan> {
  const { context, client, report, rows, mode } = job;
  const folder = join(job.stateFolder, 'imports');
  refuseChangedFile(context, folder, job);
  const journal = readJournal(context, journalPath(folder, job), mode);
  const list = await readCategories(client);
  const missing = findMissing(rows, journal.created, list);
  if (missing.length > 0) notice(report, describeMissing(missing.length));
  const unknown = journal.state === 'sending' ? rowsNotIn(journal.created, rows) : [];
  const claimed = findCreated(job, journal, list, unknown);
  const created = new Map([
    ...journal.created,
    ...claimed.map((found) => [found.row, found] as const),
  ]);
  return makePlan(mode, rows, list, created, new Set());
}

function holdRows(job: Job, journal: string): Promise<Hold> {
  const { context, address, path, rows, mode, stateFolder, maxWaitMs, report } = job;
  const folder = join(stateFolder, 'names');
  const names = mode === 'ensure' ? rows.map(({ name }) => name) : [];
  const options = { folder, address, names, journal, path, maxWaitMs, report };
  return holdNames(context, { ...options, doing: 'importing' });
}

function describeResumption({ created, state }: Replayed, { at }: Header): string {
  const rows = `${countOf(created.size, 'row')} created`;
  return state === 'done'
    ? `this import was started at ${isoTime(at)} and is finished: ${rows}`
    : `resuming the import started at ${isoTime(at)}: ${rows}`;
}

function rowsNotIn(created: ReadonlyMap<number, Created>, rows: readonly Row[]): number[] {
  return [...rows.keys()].filter((row) => !created.has(row));
}

/** The journal tells what a killed run of the same import left; of any other process nothing is known. */
function mustSettle({ predecessors }: Hold, { path, header }: Journal): boolean {
  return predecessors.some(({ journal }) => journal !== path || header === undefined);
}

function headerOf(job: Job, list: readonly Category[]): Header {
  const { address, sha256, mode, path, rows, context } = job;
  const wanted = new Set(rows.map((row) => keyOf(mode, row)));
  const before = list.filter((category) => wanted.has(keyOf(mode, category)));
  const identity = { address, sha256, mode, ...(path !== undefined && { path }) };
  const ids = before.map(({ id }) => id.text);
  return { v: 2, ...identity, rows: rows.length, at: context.now(), before: ids };
}

function remaining({ fates }: Plan, refusals: ReadonlyMap<number, ServiceError>): number[] {
  return [...fates.keys()].filter((row) => fates[row] === 'create' && !refusals.has(row));
}

function describeClaim(found: number, absent: number): string {
  return `checked: ${formatCount(found)} created, ${formatCount(absent)} not created, which will be sent again`;
}

function describeCopy({ name, id }: Category): string {
  return `${quoted(name)} also exists with id ${id}, which belongs to no row of this import: a late duplicate, or created by another client`;
}

function finish({ mode }: Job, journal: Journal, hasRefusals: boolean): void {
  const isRenamed = [...journal.created.values()].some(({ as }) => as !== undefined);
  // If each name counts and the service changed none, the list tells all that the journal does.
  if (mode === 'ensure' && !isRenamed) journal.remove();
  // Rows that were created must not be forgotten while others are corrected.
  else if (mode === 'ensure' || !hasRefusals) journal.setState('done');
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
