import { steepest } from '../../../src/docs/figures/slope.ts';
import type { Bar } from './bar.ts';

/** Ten times the size may take ten times as much; the rest is noise. */
const most = 11;

/** How many times as much a program takes where the size is ten times as large, at the steepest part of its curve. */
export function growthOf(program: string, unit: 's' | 'MB', bars: readonly Bar[]): Bar {
  const points = bars.flatMap((bar) =>
    bar.program === program && bar.unit === unit && bar.figure !== undefined && bar.size
      ? [{ size: bar.size, figure: bar.figure }]
      : [],
  );
  const what = `${program}, ${unit === 's' ? 'time' : 'memory'} at 10 × the size`;
  return points.length < 2
    ? { what, figure: undefined, unit: 'ratio', note: 'measured at one size only' }
    : { what, figure: steepest(points), unit: 'ratio', most };
}
