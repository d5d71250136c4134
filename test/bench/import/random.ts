/** A number in [0, 1). */
export type Random = () => number;

/** Numbers that a seed decides (mulberry32), so that a run can be had again as far as the system's own timing lets it. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A whole number in [0, limit). */
export function below(limit: number, random: Random): number {
  return Math.floor(random() * limit);
}

export function pick<Item>(items: readonly [Item, ...Item[]], random: Random): Item {
  return items[below(items.length, random)] ?? items[0];
}

/** The same items in another order. */
export function shuffle<Item>(items: readonly Item[], random: Random): Item[] {
  return items
    .map((item) => ({ item, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);
}
