import { readCategories } from '../api/client.ts';
import type { Category } from '../api/resources.ts';
import { Failure } from '../errors.ts';
import { notice } from '../events.ts';
import { cutMark } from '../text/secret.ts';
import { commandOn } from '../text/shell.ts';
import { countOf, duration } from '../time.ts';
import type { Job } from './job.ts';
import type { Journal, Replayed } from './journal.ts';
import { type Created, groupBy, idsOf, keyOf } from './plan.ts';
import { describeRow, type Row } from './rows.ts';

const firstPauseMs = 5_000;

/** Returns a list that shows every category known to be created; a list without one of them is stale. */
export async function fetchList(job: Job, journal: Journal): Promise<Category[]> {
  const { context, client, rows, settleMs, report } = job;
  const end = context.uptime() + settleMs;
  for (let pauseMs = firstPauseMs; ; pauseMs *= 2) {
    const list = await readCategories(client);
    const missing = findMissing(rows, journal.created, list);
    const [first] = missing;
    if (first === undefined) return list;
    const leftMs = end - context.uptime();
    if (leftMs <= 0) throw incompleteList(missing.length, describeRow(rows, first), journal.path);
    if (pauseMs === firstPauseMs) {
      const retrying = `retrying for up to ${duration(settleMs)}`;
      notice(report, `${describeMissing(missing.length)}; ${retrying}`);
    }
    await context.sleep(Math.min(pauseMs, leftMs), context.signal);
  }
}

/** Compares names as well as ids, since another account has such ids too. */
export function findMissing(
  rows: readonly Row[],
  created: ReadonlyMap<number, Created>,
  list: readonly Category[],
): number[] {
  const names = new Map(list.map(({ id, name }) => [id.text, name]));
  const isListed = ({ row, id, as = rows[row]?.name ?? '' }: Created) =>
    // Of a name that a secret was cut out of, only the id proves something.
    as.includes(cutMark) ? names.has(id) : names.get(id) === as;
  return [...created.values()].filter((one) => !isListed(one)).map(({ row }) => row);
}

export function describeMissing(count: number): string {
  const categories = countOf(count, 'category', 'categories');
  return `${categories} created by this import ${count === 1 ? 'is' : 'are'} missing from the list`;
}

function incompleteList(count: number, first: string, path: string): Failure {
  const others = count === 1 ? '' : ` and ${count - 1} more`;
  const message = `categories created by this import are missing from the list: ${first}${others}`;
  return new Failure('service', message, {
    consequence:
      'The list may be out of date, the categories may have been deleted, or the key belongs to another account. Nothing more was sent.',
    hint: `Run the same command again later. To start over, delete the journal: ${commandOn('rm', path)}`,
  });
}

/** Finds categories for rows of unknown outcome: of exactly their content, not there before, and no other row's. */
export function findCreated(
  { rows, mode }: Pick<Job, 'rows' | 'mode'>,
  { header, created }: Pick<Replayed, 'header' | 'created'>,
  list: readonly Category[],
  unknown: Iterable<number>,
): Created[] {
  // Without a header nothing was sent by a run whose journal we have: what is listed counts as existing.
  if (!header) return [];
  const known = knownIds({ header, created });
  const byId = new Map(list.map((category) => [category.id.text, category]));
  const free = groupBy(
    [...byId.values()].filter(({ id }) => !known.has(id.text)),
    (category) => keyOf(mode, category),
  );
  return [...unknown]
    .sort((a, b) => a - b)
    .flatMap((row) => {
      const found = free.get(keyOf(mode, rows[row] as Row))?.shift();
      return found ? [{ row, id: found.id.text }] : [];
    });
}

/** Finds categories just like one of ours that were not there before: of a service that was late, or of another client. */
export function findCopies(
  { rows, mode }: Job,
  { header, created }: Replayed,
  list: readonly Category[],
): Category[] {
  const known = knownIds({ header, created });
  const ours = new Set<string>();
  for (const { row, as } of created.values()) {
    const content = rows[row] as Row;
    ours.add(keyOf(mode, content));
    if (as !== undefined) ours.add(keyOf(mode, { ...content, name: as }));
  }
  return list.filter((category) => !known.has(category.id.text) && ours.has(keyOf(mode, category)));
}

function knownIds({ header, created }: Pick<Replayed, 'header' | 'created'>): Set<string> {
  return new Set([...(header?.before ?? []), ...idsOf(created)]);
}
