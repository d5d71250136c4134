import leven from 'leven';

export function nearest(
  word: string,
  names: readonly string[],
  accepts: (name: string) => boolean = () => true,
): string | undefined {
  let found: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const name of names) {
    // Two letters in the wrong order are two changes, and seldom the first ones of a word.
    const slip = name.charAt(0) === word.charAt(0) ? 1 : 0;
    const most = Math.min(3, Math.max(1, Math.floor(name.length / 3)) + slip);
    const changes = leven(word, name, { maxDistance: most + 1 });
    if (changes > most || changes >= least || changes >= name.length || !accepts(name)) continue;
    [found, least] = [name, changes];
  }
  return found;
}
