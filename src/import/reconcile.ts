import type { Category } from '../api/resources.ts';
import { cutMark } from '../text/secret.ts';
import { type Content, contentKey, groupBy, looseKey, type Mode } from './content.ts';
import type { JournalState } from './journal-state.ts';

/** What the list says of the rows whose outcome was unknown. */
export type Findings = {
  /** Rows that were created, with the category that is theirs. */
  readonly claimed: ReadonlyMap<number, Category>;
  /** Rows that were not. */
  readonly absent: readonly number[];
  /** Rows of which only something similar is there: they are neither claimed nor ever sent again. */
  readonly doubtful: ReadonlyMap<number, readonly Category[]>;
};

/**
 * Finds the open rows in a list that was made after the settle time. A row claims a category of just its content that was not
 * there before and that no other row has; rows of the same content may stand for each other.
 */
export function reconcile(
  mode: Mode,
  rows: readonly Content[],
  state: JournalState,
  list: readonly Category[],
): Findings {
  const free = unaccounted(state, list);
  const open = [...state.open].sort((a, b) => a - b);
  const claimed = new Map<number, Category>();
  claim((content) => contentKey(mode, content));
  // A service that was seen to change names may have changed these as well.
  if ([...state.done.values()].some(({ as }) => as !== undefined)) {
    claim((content) => contentKey(mode, { ...content, name: looseKeyOf(content) }));
  }

  const left = open.filter((row) => !claimed.has(row));
  const similar = groupBy(free, looseKeyOf);
  const doubtful = new Map<number, readonly Category[]>();
  for (const row of left) {
    const found = similar.get(looseKeyOf(contentOf(row)));
    if (found) doubtful.set(row, found);
  }
  return { claimed, absent: left.filter((row) => !doubtful.has(row)), doubtful };

  function claim(keyOf: (content: Content) => string): void {
    const candidates = groupBy(free, keyOf);
    for (const row of open) {
      if (claimed.has(row)) continue;
      const category = candidates.get(keyOf(contentOf(row)))?.shift();
      if (!category) continue;
      claimed.set(row, category);
      free.delete(category);
    }
  }

  function contentOf(row: number): Content {
    return rows[row] ?? { name: '' };
  }
}

/**
 * The categories that look like one of these rows and belong to none: they were there before, are somebody else's, or are a
 * copy that came too late.
 */
export function findForeign(
  rows: readonly Content[],
  state: JournalState,
  list: readonly Category[],
): Category[] {
  const names = new Set(rows.map(looseKeyOf));
  return [...unaccounted(state, list)].filter((category) => names.has(looseKeyOf(category)));
}

/** The rows whose category, created before, the list does not show: by id and name, since another account has such ids too. */
export function findMissing(
  rows: readonly Content[],
  { done }: JournalState,
  list: readonly Category[],
): number[] {
  const names = new Map(list.map(({ id, name }) => [id.text, looseKey(name)]));
  return [...done]
    .filter(([row, { id, as = rows[row]?.name ?? '' }]) => {
      // A name that a secret was cut out of tells nothing more.
      return as.includes(cutMark) ? !names.has(id) : names.get(id) !== looseKey(as);
    })
    .map(([row]) => row);
}

/** The categories that no row has and that are not known as foreign. Each once, also where a list shows one twice. */
export function unaccounted(
  { done, foreign }: Pick<JournalState, 'done'> & Partial<Pick<JournalState, 'foreign'>>,
  list: readonly Category[],
): Set<Category> {
  const ours = new Set([...done.values()].map(({ id }) => id));
  const others = list.filter(({ id }) => !ours.has(id.text) && !foreign?.has(id.text));
  return new Set(new Map(others.map((category) => [category.id.text, category])).values());
}

function looseKeyOf({ name }: Content): string {
  return looseKey(name);
}
