import { Failure } from '../errors.ts';
import { notice } from '../events.ts';
import { pause } from '../request/pause.ts';
import { readCategories } from '../service/client.ts';
import type { Category } from '../service/resources.ts';
import { cutMark } from '../text/secret.ts';
import { commandOn } from '../text/shell.ts';
import { countOf, duration } from '../time.ts';
import type { Job } from './job.ts';
import { findByFate, findCreated } from './plan.ts';
import { describeRow, type Item } from './rows.ts';

const firstPauseMs = 5_000;
const maxOutageMs = 300_000;
const firstTryMs = 1_000;
const maxTryMs = 30_000;

/** Returns a list that shows every category that this import created or found; a list without one of them is stale. */
export async function fetchList(job: Job, journal: string): Promise<Category[]> {
  const { context, client, items, settleMs, report } = job;
  const end = context.uptime() + settleMs;
  for (let pauseMs = firstPauseMs; ; pauseMs *= 2) {
    const list = await retryWhileAway(job, () => readCategories(client, { decides: true }));
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

async function retryWhileAway<Result>(job: Job, request: () => Promise<Result>): Promise<Result> {
  const { context, report, maxWaitMs } = job;
  const end = context.uptime() + Math.min(maxWaitMs, maxOutageMs);
  for (let pauseMs = firstTryMs; ; pauseMs = Math.min(2 * pauseMs, maxTryMs)) {
    try {
      return await request();
    } catch (error) {
      const isAway = error instanceof Failure && error.details.isAway;
      if (!isAway || context.uptime() + pauseMs > end) throw error;
      const words = { reason: 'unavailable', why: error.message, next: 'next try' } as const;
      await pause(context, pauseMs, words, { report, signal: context.signal });
    }
  }
}

export function findMissing(items: readonly Item[], list: readonly Category[]): Item[] {
  const known = findByFate(items, 'created', 'created_before', 'existing', 'differs');
  const isListed = lookIn(list);
  return known.filter(({ id = '', name, as = name }) => !isListed(id, as));
}

/** Returns a function that compares names as well as ids, since another account has such ids too. */
export function lookIn(list: readonly Category[]): (id: string, name: string) => boolean {
  const names = new Map(list.map(({ id, name }) => [String(id), name]));
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
    hint: `Run the same command again later. To start over, delete the journal. Run: ${commandOn('rm', path)}`,
  });
}

/** Finds categories for rows of unknown outcome: of exactly their names, and not there before the import began. */
export function claim(
  items: readonly Item[],
  list: readonly Category[],
  before: readonly string[],
  fate: 'created' | 'created_before',
): Item[] {
  const unknown = findByFate(items, 'unknown');
  if (unknown.length === 0) return [];
  const known = new Set([...before, ...findCreated(items).map(({ id }) => id)]);
  const unclaimed = list.filter(({ id }) => !known.has(String(id)));
  // Of several the first one: our own is older than a copy by another client.
  const free = new Map(unclaimed.toReversed().map(({ id, name }) => [name, String(id)]));
  return unknown.filter((item) => {
    const id = free.get(item.name);
    free.delete(item.name);
    return id !== undefined && Object.assign(item, { fate, id });
  });
}

/** Finds further categories with a name that was created here: of a service that was late, or of another client. */
export function findCopies(
  items: readonly Item[],
  list: readonly Category[],
  before: readonly string[] = [],
): Category[] {
  const created = findCreated(items);
  const known = new Set([...before, ...created.map(({ id }) => id)]);
  const names = new Set(created.flatMap(({ name, as = name }) => [name, as]));
  return list.filter(({ id, name }) => names.has(name) && !known.has(String(id)));
}
