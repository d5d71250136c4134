import { findDifferences } from '../fields.ts';
import type { Category } from '../service/resources.ts';
import { cutMark } from '../text/secret.ts';
import type { Entry } from './ledger.ts';
import { type Fate, type Item, undecided } from './rows.ts';

export function findByFate(items: readonly Item[], ...fates: readonly Fate[]): Item[] {
  return items.filter(({ fate }) => fates.includes(fate));
}

/** Decides what becomes of each row that was not sent. The entries tell which names the service has under another one. */
export function decideFates(
  items: readonly Item[],
  list: readonly Category[],
  entries: readonly Entry[],
): void {
  const folds = items.map(({ name }) => foldName(name));
  /** Of the rows that look alike the first one. */
  const firsts = new Map(items.toReversed().map((item) => [folds[item.index], item]));
  // The list may be many times as long as the file.
  const near = list.filter(({ name }) => firsts.has(foldName(name)));
  const existing = new Map<string, Category[]>();
  const named = near.map((category) => ({ name: category.name, category }));
  for (const { name, category } of [...named, ...findRenamed(list, entries)]) {
    const same = existing.get(name);
    if (same) same.push(category);
    else existing.set(name, [category]);
  }
  const ours = new Set(findByFate(items, 'created').map(({ id }) => id));
  const foreign = near.filter(({ id }) => !ours.has(String(id))).map(({ name }) => name);
  // Of several the first one.
  const lookAlikes = new Map(foreign.toReversed().map((name) => [foldName(name), name]));
  const names = new Set<string>();
  for (const item of items) {
    const first = firsts.get(folds[item.index]);
    const isRepeated = names.has(item.name);
    names.add(item.name);
    const isDone = ['created', 'refused', 'unknown'].includes(item.fate) || item.isMistaken;
    if (!isDone) Object.assign(item, undecided, decide(item, isRepeated, first));
  }

  function decide(item: Item, isRepeated: boolean, first = item): Partial<Item> {
    const { name } = item;
    if (isRepeated) return { fate: 'repeated' };
    const same = existing.get(name) ?? [];
    const equal = same.find((category) => findDifferences(item, category).length === 0);
    const found = equal ?? same[0];
    if (found) {
      const as = found.name === name ? undefined : found.name;
      return { fate: equal ? 'existing' : 'differs', id: String(found.id), as };
    }
    const listed = lookAlikes.get(folds[item.index] ?? '');
    if (listed !== undefined) return { fate: 'similar', lookAlike: listed };
    if (first === item) return { fate: 'create' };
    return { fate: 'similar', lookAlike: first.name, lookAlikeLine: first.line };
  }
}

function findRenamed(list: readonly Category[], entries: readonly Entry[]) {
  const renamed = entries.filter(({ name, as }) => as !== name);
  if (renamed.length === 0) return [];
  const look = lookIn(list);
  return renamed.flatMap(({ name, id, as }) => {
    const category = look(id, as);
    return category ? [{ name, category }] : [];
  });
}

export function findUnlisted<Known extends { readonly id: string; readonly as?: string }>(
  known: readonly Known[],
  list: readonly Category[],
): Known[] {
  const look = lookIn(list);
  const distinct = new Map(known.map((entry) => [entry.id, entry]));
  return [...distinct.values()].filter(({ id, as }) => !look(id, as));
}

/** Returns a function that compares names, where they are known, as well as ids: another account has such ids too. */
function lookIn(list: readonly Category[]): (id: string, name?: string) => Category | undefined {
  const listed = new Map(list.map((category) => [String(category.id), category]));
  return (id, name) => {
    const category = listed.get(id);
    // Of a name that a secret was cut out of, only the id proves something.
    const isEnough = name === undefined || name.includes(cutMark) || category?.name === name;
    return isEnough ? category : undefined;
  };
}

/**
 * Returns a key that look-alikes share: names that differ only in case, white space, composition, forms of one character (ﬁ, Ａ)
 * or characters that do not show. The Turkish ı, which has the capital of an i, stays as it is.
 */
export function foldName(name: string): string {
  // ASCII, without what lies beyond it: 0.1 s instead of 0.6 s for 100,000 names.
  if (/^[ -~]*$/.test(name)) return name.trim().replace(/ {2,}/g, ' ').toLowerCase();
  ignorable ??= new RegExp(hidden, 'gu');
  const shown = name.normalize('NFKC').replace(ignorable, '').replace(/\s+/g, ' ').trim();
  // The capital of ß is SS, but ẞ is its own capital until it was a ß.
  const folded = shown.replace(/[^ı]+/g, (text) => text.toLowerCase().toUpperCase().toLowerCase());
  return folded.normalize('NFC');
}

const hidden = String.raw`\p{Default_Ignorable_Code_Point}`;
/** Compiled on first use, because V8 needs some milliseconds for its tables. */
let ignorable: RegExp | undefined;
