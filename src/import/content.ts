/**
 * What the import is to bring about. `ensure`: each distinct name exists once at the end.
 * `each`: every row makes a category of its own, whatever is there.
 */
export type Mode = 'ensure' | 'each';

export type Content = { readonly name: string; readonly description?: string | undefined };

/** What two categories share if one of them may stand for the other. */
export function contentKey(mode: Mode, { name, description = '' }: Content): string {
  return mode === 'ensure' ? name : JSON.stringify([name, description]);
}

/** What names share that differ in case, in spaces or in how Unicode composes them, and so look alike. */
export function looseKey(name: string): string {
  return name.normalize('NFC').trim().replace(/\s+/g, ' ').toLowerCase();
}

/** Items by what they share, in their order. */
export function groupBy<Item>(
  items: Iterable<Item>,
  keyOf: (item: Item) => string,
): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const same = groups.get(key);
    if (same) same.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}
