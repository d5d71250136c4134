import { readCategories } from '../api/client.ts';
import type { Category } from '../api/resources.ts';
import { Failure } from '../errors.ts';
import { notice } from '../events.ts';
import { cutMark } from '../text/secret.ts';
import { commandOn } from '../text/shell.ts';
import { countOf, duration } from '../time.ts';
import type { Job } from './job.ts';
import { createdOf, groupBy, type Item, keyOf, withFate } from './plan.ts';
import { describeRow } from './rows.ts';

const firstPauseMs = 5_000;

/** Returns a list that shows every category that this import created or found; a list without one of them is stale. */
export async function fetchList(job: Job, journal: string): Promise<Category[]> {
  const { context, client, items, settleMs, report } = job;
  const end = context.uptime() + settleMs;
  for (let pauseMs = firstPauseMs; ; pauseMs *= 2) {
    const list = await readCategories(client, { decides: true });
    const missing = findMissing(items, list);
    if (missing.length === 0) return list;
    const leftMs = end - context.uptime();
    if (leftMs <= 0) throw incompleteList(missing, journal);
    if (pauseMs === firstPauseMs) {
      const retrying = `retrying for up to ${duration(settleMs)}`;
      notice(report, `${describeMissing(missing.length)}; ${retrying}`);
    }
    await context.sleep(Math.min(pauseMs, leftMs), context.signal);
  }
}

export function findMissing(items: readonly Item[], list: readonly Category[]): Item[] {
  const known = withFate(items, 'created', 'created_before', 'existing', 'differs');
  const isListed = lookIn(list);
  return known.filter(({ id = '', name, as = name }) => !isListed(id, as));
}

/** Returns a function that compares names as well as ids, since another account has such ids too. */
export function lookIn(list: readonly Category[]): (id: string, name: string) => boolean {
  const names = new Map(list.map(({ id, name }) => [id.text, name]));
  // Of a name that a secret was cut out of, only the id proves something.
  return (id, name) => (name.includes(cutMark) ? names.has(id) : names.get(id) === name);
}

export function describeMissing(count: number): string {
  const categories = countOf(count, 'category', 'categories');
  return `${categories} that this import knows ${count === 1 ? 'is' : 'are'} missing from the list`;
}

function incompleteList([first, ...more]: readonly Item[], path: string): Failure {
  const others = more.length === 0 ? '' : ` and ${more.length} more`;
  const which = first && describeRow(first);
  const message = `categories that this import knows are missing from the list: ${which}${others}`;
  return new Failure('service', message, {
    consequence:
      'The list may be out of date, the categories may have been deleted, or the key belongs to another account. Nothing more was sent.',
    hint: `Run the same command again later. To start over, delete the journal: ${commandOn('rm', path)}`,
  });
}

type Known = Pick<Job, 'items' | 'mode'> & {
  /** Of categories that were there before the import began; undefined if none of its runs has a journal. */
  readonly before: readonly string[] | undefined;
};

/** Finds categories for rows of unknown outcome: of exactly their content, not there before, and no other row's. */
export function claim(
  { items, mode, before }: Known,
  list: readonly Category[],
  fate: 'created' | 'created_before',
): Item[] {
  // What is listed counts as existing, if nothing was sent by a run whose journal we have.
  if (!before) return [];
  const known = knownIds(items, before);
  const byId = new Map(list.map((category) => [category.id.text, category]));
  const free = groupBy(
    [...byId.values()].filter(({ id }) => !known.has(id.text)),
    (category) => keyOf(mode, category),
  );
  return withFate(items, 'unknown').filter((item) => {
    const found = free.get(keyOf(mode, item))?.shift();
    return found && Object.assign(item, { fate, id: found.id.text });
  });
}

/** Finds categories just like one of ours that were not there before: of a service that was late, or of another client. */
export function findCopies({ items, mode, before = [] }: Known, list: readonly Category[]) {
  const known = knownIds(items, before);
  const ours = new Set<string>();
  for (const item of createdOf(items)) {
    ours.add(keyOf(mode, item));
    ours.add(keyOf(mode, { ...item, name: item.as ?? item.name }));
  }
  return list.filter((category) => !known.has(category.id.text) && ours.has(keyOf(mode, category)));
}

function knownIds(items: readonly Item[], before: readonly string[]): Set<string | undefined> {
  return new Set([...before, ...createdOf(items).map(({ id }) => id)]);
}
