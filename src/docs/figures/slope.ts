type Point = { readonly size: number; readonly figure: number };

/** How many times the figure ten times the size comes to, between the two neighbouring points where that is most. */
export function steepest(points: readonly Point[]): number {
  const slopes = points.slice(1).map((point, n) => {
    const before = points[n] ?? point;
    return 10 ** (Math.log(point.figure / before.figure) / Math.log(point.size / before.size));
  });
  return Math.max(...slopes);
}
