import { readCategories } from '../api/client.ts';
import type { Category } from '../api/resources.ts';
import { pause } from '../api/retry.ts';
import { Failure } from '../errors.ts';
import { notice } from '../events.ts';
import { quoted } from '../text/quoted.ts';
import { commandOn } from '../text/shell.ts';
import { duration, formatCount } from '../time.ts';
import { contentKey, groupBy } from './content.ts';
import { mayForget } from './forget.ts';
import { contentOf, describeRow, type Job } from './job.ts';
import { findForeign, findMissing, reconcile, unaccounted } from './reconcile.ts';

/** A list that lacks what was created is an old one. How soon it is asked for again, in ms; each pause is longer. */
const firstPause = 5_000;

/**
 * All categories, by a list that shows each one this import has created, as far as they may not be forgotten. It is asked for
 * until the settle time is over.
 * @throws Failure (service) when there is no such list
 */
export async function fetchList(job: Job): Promise<Category[]> {
  const { client, context, journal, mode } = job;
  const { state } = journal;
  const end = context.uptime() + job.settle;
  for (let pause = firstPause; ; pause *= 2) {
    const list = await readCategories(client);
    const missing = findMissing(job.rows, state, list);
    const [first] = missing;
    if (first === undefined || (state.finished && mode === 'each')) return list;
    const left = end - context.uptime();
    if (left > 0) {
      if (pause === firstPause) reportStaleList(job, missing.length);
      await context.sleep(Math.min(pause, left), context.signal);
      continue;
    }
    if (!mayForget(mode, state, missing, job.otherKey)) {
      throw incomplete(missing.length, describeRow(job, first), journal.path);
    }
    forget(job, missing);
    return list;
  }
}

/** "2 categories created by this import are". */
export function categoriesOfOurs(count: number): string {
  return count === 1
    ? '1 category created by this import is'
    : `${count} categories created by this import are`;
}

function reportStaleList({ settle, report }: Job, missing: number): void {
  const message = `${categoriesOfOurs(missing)} missing from the list; retrying for up to ${duration(settle)}`;
  notice(report, message);
}

function forget({ journal, report }: Job, missing: readonly number[]): void {
  for (const row of missing) journal.add({ k: 'n', row });
  const [what, longer] =
    missing.length === 1 ? ['1 category', 'exists'] : [`${missing.length} categories`, 'exist'];
  notice(report, `${what} created by this import no longer ${longer}`);
}

function incomplete(count: number, first: string, path: string): Failure {
  const others = count === 1 ? '' : ` and ${count - 1} more`;
  return new Failure(
    'service',
    `categories created by this import are missing from the list: ${first}${others}`,
    {
      consequence: 'The list may be out of date, or they were deleted. No rows are sent.',
      hint: `Run the same command again later. If they were deleted, delete the journal first: ${commandOn('rm', path)}`,
    },
  );
}

/** Returns the words of the wait before so many unknown outcomes are looked up. */
export function settleWait(count: number) {
  const [why, next] =
    count === 1
      ? ['1 outcome unknown', 'checking it']
      : [`${formatCount(count)} outcomes unknown`, 'checking them'];
  return { reason: 'settle', why, next, count } as const;
}

/** Finds out what became of the rows whose outcome is unknown, when the service is surely done with them. */
export async function resolveOpen(job: Job): Promise<Category[]> {
  const { context, journal, report } = job;
  // From now on, whenever they were sent: no clock can make that shorter than it has to be.
  const wait = settleWait(journal.state.open.size);
  await pause(context, job.settle, wait, { report, signal: context.signal });
  const list = await fetchList(job);

  const { claimed, absent, doubtful } = reconcile(job.mode, job.rows, journal.state, list);
  for (const [row, { id, name }] of claimed) {
    const changed = name !== contentOf(job, row).name;
    journal.add({ k: 'd', row, id: id.text, via: 'list', ...(changed && { as: name }) });
    job.onSettled();
  }
  for (const row of absent) journal.add({ k: 'n', row });
  await journal.commit();

  const sure = claimed.size + absent.length;
  if (sure > 0) {
    const message = `checked: ${claimed.size} created, ${absent.length} not created and safe to send again`;
    notice(report, message);
  }
  for (const [row, similar] of doubtful) {
    const as = similar.map(({ id, name }) => `${quoted(name)} (id ${id})`).join(', ');
    notice(report, `${describeRow(job, row)}: possibly created as ${as}; not sent again`);
  }
  return list;
}

/**
 * Writes down which categories are not ours although they look like it, and names those that are just like one of ours: a
 * duplicate that came too late, or another client's.
 * @param todo rows that are yet to be sent
 */
export function recordForeign(job: Job, list: readonly Category[], todo: readonly number[]): void {
  const { journal, mode } = job;
  const { done, open } = journal.state;
  const contents = (rows: Iterable<number>) => [...rows].map((row) => contentOf(job, row));
  const doubtful = new Set(findForeign(contents(open), journal.state, list));
  const ours = contents(done.keys());
  const foreign = findForeign([...ours, ...contents(todo)], journal.state, list).filter(
    (category) => !doubtful.has(category),
  );
  if (foreign.length > 0) journal.add({ k: 'b', ids: foreign.map(({ id }) => id.text) });

  const keys = new Set(ours.map((content) => contentKey(mode, content)));
  if (mode === 'ensure') reportOwnCopies(job, list);
  // Where each name is to be there once, a second one is a copy in every run, also one that was written down before.
  const others = mode === 'ensure' ? unaccounted({ done }, list) : foreign;
  for (const category of others) {
    if (keys.has(contentKey(mode, category)) && !doubtful.has(category)) reportCopy(job, category);
  }
}

/** A row whose name the service changed into one that is there already has made a copy. */
function reportOwnCopies(job: Job, list: readonly Category[]): void {
  const { journal, copies, report } = job;
  const changed = [...journal.state.done].filter(([, { as }]) => as !== undefined);
  if (changed.length === 0) return;
  const there = groupBy(list, ({ name }) => name);
  const rowOf = new Map(changed.map(([row, { id }]) => [id, row]));
  for (const [row, { id, as = '' }] of changed) {
    const same = there.get(as) ?? [];
    const own = same.find((category) => category.id.text === id);
    // Of rows that were changed into the same name the first one is the original.
    const other = same.find((category) => (rowOf.get(category.id.text) ?? -1) < row);
    if (!own || !other || copies.has(id)) continue;
    copies.set(id, own);
    const message = `${describeRow(job, row)}: the service changed the name to ${quoted(as)} (id ${id}), a duplicate of id ${other.id}`;
    notice(report, message);
  }
}

function reportCopy({ copies, report }: Job, category: Category): void {
  const { id, name } = category;
  if (copies.has(id.text)) return;
  copies.set(id.text, category);
  const message = `${quoted(name)} also exists with id ${id}, which belongs to no row of this import: a late duplicate, or created by another client`;
  notice(report, message);
}
