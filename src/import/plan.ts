import type { Category } from '../api/resources.ts';
import type { Row } from './rows.ts';

/** `ensure`: each distinct name exists once at the end. `each`: every row creates a category of its own. */
export type Mode = 'ensure' | 'each';

/** `differs`: it exists with another description. `similar`: a listed name looks like it. `repeated`: an earlier row has the name. */
type Fate = 'create' | 'created_before' | 'existing' | 'differs' | 'similar' | 'repeated';

/** A row that was created; `as` is its name if the service changed it. */
export type Created = { readonly row: number; readonly id: string; readonly as?: string };

export type Plan = {
  readonly fates: readonly Fate[];
  readonly ids: ReadonlyMap<number, string>;
  /** Listed names that rows look like, by row, whether agreed to or not. */
  readonly lookAlikes: ReadonlyMap<number, string>;
};

type Content = { readonly name: string; readonly description?: string | undefined };

export function makePlan(
  mode: Mode,
  rows: readonly Row[],
  list: readonly Category[],
  created: ReadonlyMap<number, Created>,
  agreed: ReadonlySet<number>,
): Plan {
  const wanted = new Set(rows.map(({ name }) => lookAlikeKey(name)));
  // The list may be many times as long as the file.
  const near = list.filter(({ name }) => wanted.has(lookAlikeKey(name)));
  const existing = groupBy(near, ({ name }) => name);
  const ours = idsOf(created);
  const foreign = groupBy(
    near.filter(({ id }) => !ours.has(id.text)),
    ({ name }) => lookAlikeKey(name),
  );
  const seen = new Set<string>();
  const ids = new Map<number, string>();
  const lookAlikes = new Map<number, string>();
  return { fates: rows.map(fateOf), ids, lookAlikes };

  function fateOf(row: Row, index: number): Fate {
    const isRepeated = seen.has(row.name);
    seen.add(row.name);
    const own = created.get(index);
    if (own) {
      ids.set(index, own.id);
      return 'created_before';
    }
    if (mode === 'each') return 'create';
    if (isRepeated) return 'repeated';
    const same = existing.get(row.name) ?? [];
    const equal = same.find(
      ({ description = '' }) => row.description === undefined || row.description === description,
    );
    const found = equal ?? same[0];
    if (found) {
      ids.set(index, found.id.text);
      return equal ? 'existing' : 'differs';
    }
    const [lookAlike] = foreign.get(lookAlikeKey(row.name)) ?? [];
    if (!lookAlike) return 'create';
    lookAlikes.set(index, lookAlike.name);
    return agreed.has(index) ? 'create' : 'similar';
  }
}

export function keyOf(mode: Mode, { name, description = '' }: Content): string {
  return mode === 'ensure' ? name : JSON.stringify([name, description]);
}

/** Returns a key that names share if they differ only in case, whitespace or Unicode normalization. */
export function lookAlikeKey(name: string): string {
  return name.normalize('NFC').trim().replace(/\s+/g, ' ').toLowerCase();
}

export function idsOf(created: ReadonlyMap<number, Created>): Set<string> {
  return new Set([...created.values()].map(({ id }) => id));
}

/** Groups items in their order. `Map.groupBy` needs Node 21. */
export function groupBy<Item>(
  items: Iterable<Item>,
  keyOf: (item: Item) => string,
): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}
