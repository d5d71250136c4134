import type { Category } from '../api/resources.ts';
import { type Content, contentKey, groupBy, type Mode } from './content.ts';
import type { JournalState } from './journal-state.ts';
import { findSimilar, type SimilarName } from './similar.ts';

/**
 * What the import means to do with a row, or why it does nothing: created by this import before, `unknown` whether it was,
 * `existing` in the service, `differs` there in its description, `repeated` in the file, `similar` to a name that the service
 * may take for the same one.
 */
export type Intention =
  | 'create'
  | 'created_before'
  | 'unknown'
  | 'existing'
  | 'differs'
  | 'similar'
  | 'repeated';

type Contradiction = { readonly row: number; readonly earlier: number };

export type Plan = {
  /** For each row of the file. */
  readonly intentions: readonly Intention[];
  /** Ids of the categories that stand for rows which exist or differ. */
  readonly ids: ReadonlyMap<number, string>;
  /** The rows to create, in the order of the file. */
  readonly create: readonly number[];
  readonly similar: readonly SimilarName[];
  /** Rows whose name is in an earlier row, with another description. */
  readonly contradictions: readonly Contradiction[];
};

/** What is left to do for the rows when the service has `existing`, and the journal tells `state`. */
export function makePlan(
  mode: Mode,
  rows: readonly Content[],
  existing: readonly Category[],
  state: JournalState,
): Plan {
  const there = groupBy(existing, ({ name }) => name);
  const seen = new Map<string, number>();
  const contradictions: Contradiction[] = [];
  const ids = new Map<number, string>();
  // A row that might stand for one of unknown fate waits until that is known.
  const openKeys = new Set([...state.open].map((row) => keyOf(rows[row])));
  const intentions = rows.map((row, index) => {
    const key = keyOf(row);
    const earlier = seen.get(key);
    if (earlier === undefined) seen.set(key, index);
    else if (rows[earlier]?.description !== row.description)
      contradictions.push({ row: index, earlier });
    if (state.done.has(index)) return 'created_before';
    if (mode === 'ensure' && earlier !== undefined) return 'repeated';
    if (openKeys.has(key)) return 'unknown';
    const same = mode === 'ensure' ? there.get(row.name) : undefined;
    if (!same) return 'create';
    const { intention, id } = compare(row, same);
    ids.set(index, id);
    return intention;
  });
  const create = rowsToCreate(intentions);
  const similar = findSimilar(mode, rows, create, existing, state);
  return { intentions, ids, create, similar, contradictions };

  function keyOf(row: Content = { name: '' }): string {
    return contentKey(mode, row);
  }
}

/** Which of those that have a row's name stands for it. */
function compare(row: Content, same: readonly Category[]): { intention: Intention; id: string } {
  const equal = same.find(
    ({ description = '' }) => row.description === undefined || row.description === description,
  );
  const [first] = same;
  return { intention: equal ? 'existing' : 'differs', id: String((equal ?? first)?.id) };
}

/** The same plan where rows that are yet to be sent are in a later list: somebody else created them. */
export function dropExisting(
  plan: Plan,
  rows: readonly Content[],
  todo: readonly number[],
  list: readonly Category[],
): Plan {
  const there = groupBy(list, ({ name }) => name);
  const intentions = [...plan.intentions];
  const ids = new Map(plan.ids);
  for (const row of todo) {
    const content = rows[row];
    const same = content && there.get(content.name);
    if (!same) continue;
    const { intention, id } = compare(content, same);
    intentions[row] = intention;
    ids.set(row, id);
  }
  return { ...plan, intentions, ids, create: rowsToCreate(intentions) };
}

/** The same plan without those of its rows that look like others and for which `refuse` holds. */
export function dropSimilar(plan: Plan, refuse: (similar: SimilarName) => boolean): Plan {
  const intentions = [...plan.intentions];
  for (const similar of plan.similar) {
    if (intentions[similar.row] === 'create' && refuse(similar))
      intentions[similar.row] = 'similar';
  }
  return { ...plan, intentions, create: rowsToCreate(intentions) };
}

function rowsToCreate(intentions: readonly Intention[]): number[] {
  return [...intentions.keys()].filter((row) => intentions[row] === 'create');
}
