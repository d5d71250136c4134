import { differencesOf } from '../fields.ts';
import type { Category } from '../service/resources.ts';
import type { Fate, Item } from './rows.ts';

export function findByFate(items: readonly Item[], ...fates: readonly Fate[]): Item[] {
  return items.filter(({ fate }) => fates.includes(fate));
}

export function findCreated(items: readonly Item[]): Item[] {
  return findByFate(items, 'created', 'created_before');
}

export function plan(items: readonly Item[], list: readonly Category[]): void {
  const wanted = new Set(items.map(({ name }) => foldName(name)));
  // The list may be many times as long as the file.
  const near = list.filter(({ name }) => wanted.has(foldName(name)));
  const existing = groupBy(near, ({ name }) => name);
  const ours = new Set(findCreated(items).map(({ id }) => id));
  const foreign = groupBy(
    near.filter(({ id }) => !ours.has(id.text)),
    ({ name }) => foldName(name),
  );
  const seen = new Set<string>();
  for (const item of items) {
    const isRepeated = seen.has(item.name);
    seen.add(item.name);
    const wasSent = ['created', 'created_before', 'refused', 'unknown'].includes(item.fate);
    if (!wasSent)
      Object.assign(item, { id: undefined, lookAlike: undefined, ...decide(item, isRepeated) });
  }

  function decide(item: Item, isRepeated: boolean): Partial<Item> {
    const { name, isAgreed } = item;
    if (isRepeated) return { fate: 'repeated' };
    const same = existing.get(name) ?? [];
    const equal = same.find((category) => differencesOf(item, category).length === 0);
    const found = equal ?? same[0];
    if (found) return { fate: equal ? 'existing' : 'differs', id: found.id.text };
    const [lookAlike] = foreign.get(foldName(name)) ?? [];
    if (!lookAlike) return { fate: 'create' };
    return { fate: isAgreed ? 'create' : 'similar', lookAlike: lookAlike.name };
  }
}

/** Returns a key that names share if they differ only in case, whitespace or Unicode normalization. */
export function foldName(name: string): string {
  return name.normalize('NFC').trim().replace(/\s+/g, ' ').toLowerCase();
}

/** Groups items in their order. `Map.groupBy` needs Node 21. */
function groupBy<Item>(items: Iterable<Item>, keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}
