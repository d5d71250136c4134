import leven, { closestMatch } from 'leven';

/** The name that few changes lead to, if there is one: a slip for each three characters of it. */
export function nearest(name: string, names: readonly string[]): string | undefined {
  const near = names.filter((known) => {
    const most = Math.floor(known.length / 3);
    return leven(name, known, { maxDistance: most + 1 }) <= most;
  });
  return closestMatch(name, near);
}
