import type { Category } from '../api/resources.ts';
import { Failure } from '../errors.ts';
import { type Job, keyOf } from './job.ts';
import { look, lookUpOpen, noteStrangers } from './lookup.ts';
import { type Stop, type Streak, sendRows } from './send.ts';

/** How an import came to its end, and what was found that no row accounts for. */
export type Ending = {
  readonly stop: Stop | undefined;
  readonly copies: readonly Category[];
  /** Rows that are open still were looked up: only something similar is there. */
  readonly lookedUp: boolean;
};

/**
 * Creates rows until all are done or something stops it. Outcomes that are unknown are looked up once the rest is sent, or
 * when they are many, and what was not created is sent again. A last look at the list shows that all is there.
 */
export async function carryOut(job: Job, create: readonly number[]): Promise<Ending> {
  const streak: Streak = { unknowns: 0 };
  const copies: Category[] = [];
  // What the service refused in an earlier run gets another chance in this one.
  job.journal.standing.refused.clear();
  for (let todo = create; ; todo = remaining(job, create)) {
    const stop = await attempt(() => sendRows(job, inOrder(job, todo), streak));
    const unsaved = await attempt(() => job.journal.commit().then(() => undefined));
    const reason = unsaved ?? stop;
    if (!mayLook(job, reason)) return { stop: reason, copies, lookedUp: false };

    const failed = await attempt(async () => {
      const list = await (job.journal.standing.open.size > 0 ? lookUpOpen(job) : look(job));
      copies.push(...noteStrangers(job, list, remaining(job, create)));
      await job.journal.commit();
      return undefined;
    });
    const lookedUp = failed === undefined;
    if (reason ?? failed) return { stop: reason ?? failed, copies, lookedUp };
    if (remaining(job, create).length === 0) return { stop: undefined, copies, lookedUp };
  }
}

async function attempt(action: () => Promise<Stop | undefined>): Promise<Stop | undefined> {
  try {
    return await action();
  } catch (error) {
    return { kind: 'failed', error };
  }
}

/** A look costs a request and time: it is for the end, and for outcomes that a network fault left open. */
function mayLook({ journal }: Job, stop: Stop | undefined): boolean {
  if (!stop) return true;
  if (stop.kind === 'unknowns') return true;
  const { error } = stop;
  const kind = error instanceof Failure ? error.kind : undefined;
  return (kind === 'network' || kind === 'service') && journal.standing.open.size > 0;
}

/** What is left to send of these rows: neither done nor refused, and no twin of one whose outcome is unknown. */
function remaining(job: Job, create: readonly number[]): number[] {
  const { done, open, refused } = job.journal.standing;
  const openKeys = new Set([...open].map((row) => keyOf(job, row)));
  return create.filter(
    (row) => !done.has(row) && !refused.has(row) && !openKeys.has(keyOf(job, row)),
  );
}

/** What was tried before comes last, so that rows which the service cannot take keep none of the others from it. */
function inOrder({ journal }: Job, todo: readonly number[]): number[] {
  const { tried } = journal.standing;
  return [...todo.filter((row) => !tried.has(row)), ...todo.filter((row) => tried.has(row))];
}
