import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { draw, themes } from '../../../src/docs/figures/draw.ts';
import { growthPlot } from '../../../src/docs/figures/growth.ts';
import { memoryPlot } from '../../../src/docs/figures/memory.ts';
import { withPeers } from '../../../src/docs/figures/peers.ts';
import { racePlot } from '../../../src/docs/figures/race.ts';
import { startPlot } from '../../../src/docs/figures/start.ts';

const read = (name: string) => JSON.parse(readFileSync(`docs/figures/${name}.json`, 'utf8'));
const plots = {
  race: racePlot(read('races')),
  start: startPlot(read('start')),
  memory: memoryPlot(read('lists')),
  'age-log': growthPlot(read('age'), {
    title: 'Time of a command by the lines that its log has had',
    across: 'lines of the log',
    unit: 's',
    of: 'log lines: ',
  }),
  'age-journals': growthPlot(read('age'), {
    title: 'Time of a command by the imports that are finished',
    across: 'journals of finished imports',
    unit: 's',
    of: 'journals: ',
  }),
  lists: growthPlot(read('lists'), {
    title: 'Time of a list by its rows, in six formats',
    across: 'categories in the list',
    unit: 's',
    of: 'petstore, ',
  }),
  'import-time': growthPlot(read('import-sizes'), {
    title: 'Time of an import by its rows',
    across: 'rows created',
    unit: 's',
  }),
  'import-memory': growthPlot(read('import-sizes'), {
    title: 'Peak memory of an import by its rows',
    across: 'rows created',
    unit: 'MB',
  }),
  waits: growthPlot(read('waits'), {
    title: 'From the reset to the requests that wait for it',
    across: 'processes that wait',
    unit: 's',
  }),
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

test('the table of other programs in docs/performance.md is drawn from its figures', async () => {
  const page = 'docs/performance.md';
  const drawn = withPeers(page, readFileSync(page, 'utf8'), read('peers'));

  await expect(drawn).toMatchFileSnapshot(`../../../${page}`);
});
