import type { TopLevelSpec } from 'vega-lite';
import type { Palette } from './draw.ts';
import { measuredOn, type Speed } from './measured.ts';

/** How long petstore takes to start, beside what it is compared with. */
export function startPlot({ machine, runs, bars }: Speed) {
  const values = bars.flatMap(({ program, size, figure, quartiles }) => {
    if (program === undefined || size !== undefined) return [];
    if (figure === undefined || quartiles === undefined) return [];
    const [low, high] = [milliseconds(quartiles[0]), milliseconds(quartiles[1])];
    return [
      { program: named(program), ms: milliseconds(figure), low, high, ours: isOurs(program) },
    ];
  });
  values.sort((one, other) => one.ms - other.ms);
  const longest = Math.max(...values.map(({ high }) => high));
  const names = values.map(({ program }) => program);
  return ({ ours, other, text }: Palette): TopLevelSpec => ({
    title: {
      text: 'Time from start to exit',
      subtitle: `median and middle half of ${runs} runs on ${measuredOn(machine)}`,
    },
    width: 800,
    height: 300,
    autosize: { type: 'fit', contains: 'padding' },
    data: { values },
    encoding: {
      y: {
        field: 'program',
        type: 'nominal',
        sort: names,
        title: null,
        axis: { labelLimit: 0, domain: false, ticks: false, labelPadding: 8 },
      },
    },
    layer: [
      {
        mark: { type: 'bar', height: 18 },
        encoding: {
          x: {
            field: 'ms',
            type: 'quantitative',
            title: 'milliseconds',
            axis: { tickCount: 6 },
            scale: { domain: [0, longest * 1.08] },
          },
          color: {
            field: 'ours',
            type: 'nominal',
            legend: null,
            scale: { domain: [true, false], range: [ours, other] },
          },
        },
      },
      {
        mark: { type: 'rule', color: text, strokeWidth: 2 },
        encoding: { x: { field: 'low', type: 'quantitative' }, x2: { field: 'high' } },
      },
      {
        mark: { type: 'text', align: 'left', dx: 8 },
        encoding: {
          x: { field: 'high', type: 'quantitative' },
          text: { field: 'ms', type: 'quantitative', format: '.0f' },
        },
      },
    ],
  });

  function named(program: string): string {
    const version = machine.peers[program === 'HTTPie' ? 'http' : program];
    const name = version === undefined ? program : `${program} ${version}`;
    return isOurs(program) || program.startsWith('node') ? name : `${name}: list`;
  }
}

function isOurs(program: string): boolean {
  return program.startsWith('petstore');
}

function milliseconds(seconds: number): number {
  return seconds * 1_000;
}
