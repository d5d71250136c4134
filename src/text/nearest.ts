import leven from 'leven';

export function nearest(word: string, names: readonly string[]): string | undefined {
  let found: string | undefined;
  let fewest = Number.POSITIVE_INFINITY;
  for (const name of names) {
    // Two letters in the wrong order are two changes, and seldom the first ones of a word.
    const slip = name.charAt(0) === word.charAt(0) ? 1 : 0;
    const maxChanges = Math.min(3, Math.max(1, Math.floor(name.length / 3)) + slip);
    const changes = leven(word, name, { maxDistance: maxChanges + 1 });
    if (changes > maxChanges || changes >= fewest || changes >= name.length) continue;
    [found, fewest] = [name, changes];
  }
  return found;
}
