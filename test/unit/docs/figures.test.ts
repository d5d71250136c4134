import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { draw, themes } from '../../../src/docs/figures/draw.ts';
import { memoryPlot } from '../../../src/docs/figures/memory.ts';
import { racePlot } from '../../../src/docs/figures/race.ts';
import { startPlot } from '../../../src/docs/figures/start.ts';

const read = (name: string) => JSON.parse(readFileSync(`docs/figures/${name}.json`, 'utf8'));
const plots = {
  race: racePlot(read('races')),
  start: startPlot(read('start')),
  memory: memoryPlot(read('lists')),
};

/** What is drawn from measured figures is as the figures are; `npm run docs` draws it anew. */
describe.for(Object.entries(plots))('the plot of %s', ([name, plot]) => {
  test.for(themes)('is drawn from its figures, %s', async (theme) => {
    const drawing = await draw(plot, theme);

    const [, width] = /<svg [^>]*width="(\d+)"/.exec(drawing) ?? [];
    expect(Number(width)).toBeLessThanOrEqual(800);
    await expect(drawing).toMatchFileSnapshot(`../../../docs/figures/${name}-${theme}.svg`);
  });
});
