import type { TopLevelSpec } from 'vega-lite';
import type { Palette } from './draw.ts';
import { measuredOn, type Speed } from './measured.ts';
import { steepest } from './slope.ts';

/** What one plot shows of what was measured at several sizes. */
type Growth = {
  readonly title: string;
  /** What grows from left to right. */
  readonly across: string;
  readonly unit: 's' | 'MB';
  /** Only programs whose name begins so; the rest of it is at the end of the curve. */
  readonly of?: string;
};

const width = 500;
const height = 270;
/** The least distance of two names at the ends of curves, in pixels. */
const line = 17;

/** Curves of what a program takes by the size of what it works on, both on scales where linear growth is a diagonal. */
export function growthPlot({ machine, bars }: Speed, growth: Growth) {
  const { title, across, unit, of = '' } = growth;
  const values = bars.flatMap(({ program = '', size, unit: has, figure }) =>
    size !== undefined && has === unit && figure !== undefined && program.startsWith(of)
      ? [{ program, size, figure }]
      : [],
  );
  const most = Math.max(...values.map(({ size }) => size));
  const [low, high] = spanOf(values.map(({ figure }) => figure));
  const ends = [...new Set(values.map(({ program }) => program))].flatMap(
    (name) => values.filter(({ program }) => program === name).at(-1) ?? [],
  );
  const labels = apart(ends).map((end) => ({ ...end, label: end.program.slice(of.length) }));
  return ({ ours }: Palette): TopLevelSpec => ({
    title: { text: title, subtitle: [slopeOf(values, unit), measuredOn(machine)] },
    // The labels' room is ours to give: Vega cannot measure text here, and takes twice as much.
    width,
    height,
    autosize: 'none',
    padding: { left: 76, right: 224, top: 86, bottom: 62 },
    encoding: {
      x: {
        field: 'size',
        type: 'quantitative',
        title: across,
        scale: {
          type: 'log',
          nice: false,
          domain: [Math.min(...values.map(({ size }) => size)), most],
        },
        axis: { values: powersUpTo(most), format: ',', grid: false },
      },
      y: {
        field: 'figure',
        type: 'quantitative',
        title: unit === 's' ? 'seconds' : 'megabytes',
        scale: { type: 'log', domain: [low, high], nice: false },
        axis: { values: ticksIn(low, high), format: '~r' },
      },
    },
    layer: [
      {
        data: { values },
        mark: { type: 'line', color: ours, strokeWidth: 2.5, point: { size: 45, color: ours } },
        encoding: { detail: { field: 'program' } },
      },
      {
        data: { values: labels },
        mark: { type: 'text', align: 'left', baseline: 'middle', dx: 12, color: ours },
        encoding: { text: { field: 'label' } },
      },
    ],
  });

  /** The same points, moved until no name covers another: up, and down again where the plot ends. */
  function apart(points: typeof values): typeof values {
    const scale = height / Math.log(high / low);
    const sorted = points.toSorted((one, other) => one.figure - other.figure);
    let least = Number.NEGATIVE_INFINITY;
    let most = height;
    return sorted
      .map((point) => {
        least = Math.max(least + line, scale * Math.log(point.figure / low));
        return { ...point, at: least };
      })
      .toReversed()
      .map(({ at, ...point }) => {
        const placed = Math.min(at, most);
        most = placed - line;
        return { ...point, figure: low * Math.exp(placed / scale) };
      });
  }
}

/** How steep the steepest part of all curves is, in words. */
function slopeOf(
  values: readonly { program: string; size: number; figure: number }[],
  unit: 's' | 'MB',
): string {
  const programs = [...new Set(values.map(({ program }) => program))];
  const slopes = programs.map((name) => steepest(values.filter(({ program }) => program === name)));
  const most = Math.max(...slopes).toPrecision(2);
  return `10 times the size takes at most ${most} times the ${unit === 's' ? 'time' : 'memory'}`;
}

/** From a tick below all of them to one above, and far enough apart that noise looks small. */
function spanOf(figures: readonly number[]): readonly [number, number] {
  let low = ticks.findLastIndex((tick) => tick <= Math.min(...figures));
  let high = ticks.findIndex((tick) => tick >= Math.max(...figures));
  while (high - low < fewest) {
    low -= 1;
    if (high - low < fewest) high += 1;
  }
  return [ticks[low] ?? Number.NaN, ticks[high] ?? Number.NaN];
}

/** Ticks of the upright axis: a factor of twenty. */
const fewest = 4;

const ticks = [-3, -2, -1, 0, 1, 2, 3].flatMap((power) =>
  [1, 2, 5].map((digit) => Number(`${digit}e${power}`)),
);

function ticksIn(low: number, high: number): number[] {
  return ticks.filter((tick) => tick >= low && tick <= high);
}

function powersUpTo(most: number): number[] {
  return [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000].filter((power) => power <= most);
}
