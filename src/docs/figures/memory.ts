import type { TopLevelSpec } from 'vega-lite';
import type { Palette } from './draw.ts';
import { measuredOn, type Speed } from './measured.ts';

/** The most memory that a list takes, by its rows. */
export function memoryPlot({ machine, bars }: Speed) {
  const values = bars.flatMap(({ program, size: rows, unit, figure }) => {
    if (program === undefined || rows === undefined || unit !== 'MB' || figure === undefined)
      return [];
    return [{ program, rows, mb: figure, ours: program.startsWith('petstore') }];
  });
  const most = Math.max(...values.map(({ rows }) => rows));
  const ends = values.filter(
    ({ rows, program, ours }) => rows === most && (!ours || program.endsWith('table')),
  );
  const labels = ends.map((end) => ({
    ...end,
    label: end.ours ? 'petstore, each of six formats' : named(end.program),
  }));
  return ({ ours, other }: Palette): TopLevelSpec => ({
    title: {
      text: 'Peak memory while listing categories',
      subtitle: `largest process of a pipe; ${measuredOn(machine)}`,
    },
    // The labels' room is ours to give: Vega cannot measure text here, and takes twice as much.
    width: 510,
    height: 270,
    autosize: 'none',
    padding: { left: 76, right: 214, top: 68, bottom: 62 },
    encoding: {
      x: {
        field: 'rows',
        type: 'quantitative',
        title: 'categories in the list',
        scale: { type: 'log' },
        axis: { values: [1e3, 1e4, 1e5, 1e6], format: ',', grid: false },
      },
      y: { field: 'mb', type: 'quantitative', title: 'megabytes', axis: { tickCount: 6 } },
      color: {
        field: 'ours',
        type: 'nominal',
        legend: null,
        scale: { domain: [true, false], range: [ours, other] },
      },
    },
    layer: [
      {
        data: { values },
        mark: { type: 'line', strokeWidth: 2.5, point: { size: 45 } },
        encoding: {
          detail: { field: 'program' },
          strokeDash: {
            condition: { test: "datum.program === 'fetch script'", value: [6, 4] },
            value: [1, 0],
          },
        },
      },
      {
        data: { values: labels },
        mark: { type: 'text', align: 'left', dx: 10 },
        encoding: { text: { field: 'label' } },
      },
    ],
  });

  function named(program: string): string {
    const { curl, jq } = machine.peers;
    return program.startsWith('curl') ? `curl ${curl} | jq ${jq}` : program;
  }
}
