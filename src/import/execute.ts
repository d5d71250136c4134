import type { Category } from '../api/resources.ts';
import { Failure } from '../errors.ts';
import { notice } from '../events.ts';
import { looseKey } from './content.ts';
import { contentOf, type Job, keyOf } from './job.ts';
import { fetchList, recordForeign, resolveOpen } from './lookup.ts';
import { dropExisting, dropSimilar, type Plan } from './plan.ts';
import { type Stop, type Streak, sendRows } from './send.ts';

/** How an import came to its end. */
export type Ending = {
  readonly stop: Stop | undefined;
  /** As the lists of this run have changed it. */
  readonly plan: Plan;
  /** Rows that are open still were looked up: only something similar is there. */
  readonly lookedUp: boolean;
};

/**
 * Creates rows until all are done or something stops it. Outcomes that are unknown are looked up once the rest is sent, or
 * when they are many, and what was not created is sent again. A last look at the list shows that all is there.
 */
export async function executePlan(job: Job, first: Plan): Promise<Ending> {
  const streak: Streak = {
    unknowns: 0,
    mayLookAgain: true,
    changesNames: hasChangedNames(job),
  };
  let plan = first;
  // What the service refused in an earlier run gets another chance in this one.
  job.journal.state.refused.clear();
  for (let todo = plan.create; ; todo = remaining(job, plan.create)) {
    const stop = await attempt(() =>
      sendRows(job, inOrder(job, todo), streak, similarRows(job, plan)),
    );
    if (streak.changesNames) plan = refuseSimilar(job, plan);
    const unsaved = await attempt(() => job.journal.commit().then(() => undefined));
    const reason = unsaved ?? stop;
    if (!mayFetchList(job, reason)) return { stop: reason, plan, lookedUp: false };

    const failed = await attempt(async () => {
      const list = await (job.journal.state.open.size > 0 ? resolveOpen(job) : fetchList(job));
      plan = drop(job, plan, list);
      recordForeign(job, list, remaining(job, plan.create));
      await job.journal.commit();
      return undefined;
    });
    const lookedUp = failed === undefined;
    const end = { stop: reason ?? failed, plan, lookedUp };
    if (end.stop || remaining(job, plan.create).length === 0) return end;
  }
}

function hasChangedNames(job: Job): boolean {
  return [...job.journal.state.done].some(
    ([row, { as }]) => as !== undefined && looseKey(as) === looseKey(contentOf(job, row).name),
  );
}

/** Rows that a service which changes names may take for others. */
function similarRows({ mode }: Job, { similar }: Plan): ReadonlySet<number> {
  return new Set(mode === 'each' ? [] : similar.map(({ row }) => row));
}

/** Those of them that are left are not sent any more. */
function refuseSimilar(job: Job, plan: Plan): Plan {
  const left = new Set(remaining(job, plan.create));
  const next = dropSimilar(plan, ({ row }) => job.mode === 'ensure' && left.has(row));
  settleDropped(job, plan, next);
  return next;
}

/** How many rows are not to be created any more, all of which are settled. */
function settleDropped({ onSettled }: Job, before: Plan, after: Plan): number {
  const dropped = before.create.length - after.create.length;
  for (let n = 0; n < dropped; n += 1) onSettled();
  return dropped;
}

/** What a list shows by now is not created again. */
function drop(job: Job, plan: Plan, list: readonly Category[]): Plan {
  if (job.mode === 'each') return plan;
  const next = dropExisting(plan, job.rows, remaining(job, plan.create), list);
  const dropped = settleDropped(job, plan, next);
  if (dropped > 0) {
    const [rows, it] =
      dropped === 1 ? ['1 row now exists', 'it is'] : [`${dropped} rows now exist`, 'they are'];
    notice(job.report, `${rows} (created late or by another client); ${it} not created again`);
  }
  return next;
}

async function attempt(action: () => Promise<Stop | undefined>): Promise<Stop | undefined> {
  try {
    return await action();
  } catch (error) {
    return { kind: 'failed', error };
  }
}

/** A look costs a request and time: it is for the end, and for outcomes that a network fault left open. */
function mayFetchList({ journal }: Job, stop: Stop | undefined): boolean {
  if (!stop) return true;
  if (stop.kind === 'unknowns') return true;
  const { error } = stop;
  const kind = error instanceof Failure ? error.kind : undefined;
  return (kind === 'network' || kind === 'service') && journal.state.open.size > 0;
}

/** What is left to send of these rows: neither done nor refused, and no twin of one whose outcome is unknown. */
function remaining(job: Job, create: readonly number[]): number[] {
  const { done, open, refused } = job.journal.state;
  const openKeys = new Set([...open].map((row) => keyOf(job, row)));
  return create.filter(
    (row) => !done.has(row) && !refused.has(row) && !openKeys.has(keyOf(job, row)),
  );
}

/** What was tried before comes last, so that rows which the service cannot take keep none of the others from it. */
function inOrder({ journal }: Job, todo: readonly number[]): number[] {
  const { tried } = journal.state;
  return [...todo.filter((row) => !tried.has(row)), ...todo.filter((row) => tried.has(row))];
}
