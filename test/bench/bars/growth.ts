import type { Bar } from './bar.ts';

/** Ten times the size may take ten times as much; the rest is noise. */
const most = 11;

/**
 * How many times as much a program takes where the size is ten times as large, between the two neighbouring sizes between which
 * that is most.
 */
export function growthOf(program: string, unit: 's' | 'MB', bars: readonly Bar[]): Bar {
  const points = bars.flatMap((bar) =>
    bar.program === program && bar.unit === unit && bar.figure !== undefined && bar.size
      ? [{ size: bar.size, figure: bar.figure }]
      : [],
  );
  const tenfold = points.slice(1).map((point, n) => {
    const before = points[n] ?? point;
    const exponent = Math.log(point.figure / before.figure) / Math.log(point.size / before.size);
    return 10 ** exponent;
  });
  const what = `${program}, ${unit === 's' ? 'time' : 'memory'} at 10 × the size`;
  return tenfold.length === 0
    ? { what, figure: undefined, unit: 'ratio', note: 'measured at one size only' }
    : { what, figure: Math.max(...tenfold), unit: 'ratio', most };
}
