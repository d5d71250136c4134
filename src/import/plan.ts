import { findDifferences } from '../fields.ts';
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
  const existing = new Map<string, Category[]>();
  for (const category of near) {
    const same = existing.get(category.name);
    if (same) same.push(category);
    else existing.set(category.name, [category]);
  }
  const ours = new Set(findCreated(items).map(({ id }) => id));
  const foreign = near.filter(({ id }) => !ours.has(String(id))).map(({ name }) => name);
  // Of several the first one.
  const lookAlikes = new Map(foreign.toReversed().map((name) => [foldName(name), name]));
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
    const equal = same.find((category) => findDifferences(item, category).length === 0);
    const found = equal ?? same[0];
    if (found) return { fate: equal ? 'existing' : 'differs', id: String(found.id) };
    const lookAlike = lookAlikes.get(foldName(name));
    return { fate: lookAlike === undefined || isAgreed ? 'create' : 'similar', lookAlike };
  }
}

/** Returns a key that names share if they differ only in case, whitespace or Unicode normalization. */
export function foldName(name: string): string {
  return name.normalize('NFC').trim().replace(/\s+/g, ' ').toLowerCase();
}
