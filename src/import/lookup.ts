import { Failure } from '../errors.ts';
import { notice } from '../events.ts';
import { pause } from '../request/wait.ts';
import { readCategories } from '../service/client.ts';
import type { Category } from '../service/resources.ts';
import { quoted } from '../text/quote.ts';
import { countOf, duration } from '../time.ts';
import { findUnlisted, foldName } from './fates.ts';
import type { Job } from './import-rows.ts';
import type { Entry } from './ledger.ts';
import type { Item } from './rows.ts';

export type Looking = Pick<
  Job,
  'context' | 'client' | 'report' | 'ledger' | 'maxWaitMs' | 'settleMs'
>;
/** A category that an earlier list had, or that this run created. */
export type Known = Pick<Entry, 'name' | 'id' | 'as'> & { readonly isOurs?: boolean };

const firstPauseMs = 5_000;
const maxOutageMs = 300_000;
const firstTryMs = 1_000;
const maxTryMs = 30_000;

/** Returns a list that is not out of date: it has all that is known and, for `settleMs` at most, what others have just created here or on other machines (`recentIds`). */
export async function fetchList(
  job: Looking,
  known: readonly Known[],
  entries: readonly Entry[],
  recentIds: readonly string[],
): Promise<Category[]> {
  const { context, client, ledger, settleMs, report } = job;
  const end = context.uptime() + settleMs;
  const late = entries.filter((entry) => ledger.isLate(entry));
  for (let pauseMs = firstPauseMs; ; pauseMs *= 2) {
    const recent = entries.filter((entry) => ledger.isRecent(entry));
    const list = await retryWhileAway(job, () => readCategories(client, { decides: true }));
    const missing = findUnlisted([...known, ...late], list);
    const elsewhere = recentIds.map((id) => ({ id }));
    const count = findUnlisted([...elsewhere, ...known, ...late, ...recent], list).length;
    const leftMs = end - context.uptime();
    if (leftMs <= 0 && missing.length > 0) {
      // The next run has not seen it.
      const ours = known.filter(({ isOurs }) => isOurs);
      for (const entry of findUnlisted(ours, list)) ledger.add({ ...entry, isLate: true });
      throw incompleteList(missing);
    }
    if (leftMs <= 0 || count === 0) return list;
    if (pauseMs === firstPauseMs) {
      notice(report, `${describeMissing(count)}; looking again for up to ${duration(settleMs)}`);
    }
    await context.sleep(Math.min(pauseMs, leftMs), context.signal);
  }
}

async function retryWhileAway<Result>(
  job: Looking,
  request: () => Promise<Result>,
): Promise<Result> {
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

export function describeMissing(count: number): string {
  const categories = countOf(count, 'category', 'categories');
  return `${categories} that petstore knows ${count === 1 ? 'is' : 'are'} missing from the list`;
}

function incompleteList([first, ...more]: readonly Known[]): Failure {
  const others = more.length === 0 ? '' : `, and ${more.length} more`;
  const message = `the list is out of date: it lacks ${quoted(first?.as ?? '')}${others}`;
  return new Failure('service', message, {
    consequence: 'Or somebody has deleted what it lacks. Nothing more was sent.',
    hint: 'Run the same command again when the list shows that. After an hour petstore goes by the list.',
  });
}

/** Returns false if a 201 has the id of a category that was known before. Throws if that has another name: then nobody knows what became of ours. */
export function isNewCategory(
  category: Category,
  wanted: string,
  known: ReadonlySet<Category['id']>,
): boolean {
  const isNew = !known.has(category.id);
  if (isNew || foldName(category.name) === foldName(wanted)) return isNew;
  throw new Failure('outcome_unknown', describeOlder(category), {
    consequence: 'It may have been created.',
    outcome: 'unknown',
  });
}

export function describeOlder({ id, name }: Category): string {
  return `the service answered with id ${id} (${quoted(name)}), which existed before`;
}

/** Finds new categories for rows of unknown outcome: of exactly their names, or else the only one that looks like a row. */
export function claim(
  unknown: readonly Item[],
  list: readonly Category[],
  known: Set<Category['id']>,
): Item[] {
  const fresh = list.filter(({ id }) => !known.has(id));
  const exact = unknown.filter((item) => take(item, findExact(item)));
  const left = unknown.filter(({ fate }) => fate === 'unknown');
  return [...exact, ...left.filter((item) => take(item, findAlike(item)))];

  /** Of several the first one: our own is older than a copy by another client. */
  function findExact(item: Item): Category | undefined {
    return fresh.find(({ name }) => name === item.name);
  }

  /** Of two nobody knows which one the service has made of ours. */
  function findAlike(item: Item): Category | undefined {
    const fold = foldName(item.name);
    const alike = fresh.filter(({ id, name }) => !known.has(id) && foldName(name) === fold);
    return alike.length === 1 ? alike[0] : undefined;
  }

  function take(item: Item, category: Category | undefined): boolean {
    if (!category || known.has(category.id)) return false;
    const { id, name } = category;
    known.add(id);
    const as = name === item.name ? undefined : name;
    Object.assign(item, { fate: 'created', id: String(id), as });
    return true;
  }
}

/** Finds further categories with a name that was sent: of a service that was late, or of another client. */
export function findCopies(
  items: readonly Item[],
  list: readonly Category[],
  known: ReadonlySet<Category['id']>,
): Category[] {
  const sent = items.filter(({ fate, isMistaken }) => fate === 'created' || isMistaken);
  const names = new Set(sent.flatMap(({ name, as = name }) => [name, as]));
  return list.filter(({ id, name }) => names.has(name) && !known.has(id));
}
