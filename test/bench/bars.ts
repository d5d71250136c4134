import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Bar, Setup } from './bars/bar.ts';
import { measureImport } from './bars/imports.ts';
import { measureInstall } from './bars/install.ts';
import { measureLists } from './bars/lists.ts';
import { serveHere, startService } from './bars/service.ts';
import { measureStart } from './bars/start.ts';

/**
 * Each bar of speed beside its peer, measured in turns: `npm run bench -- RUNS --only start`. What takes seconds is run less
 * often. PETSTORE_TEST_NODES names further Node binaries, separated by colons.
 */
const parts: Readonly<Record<string, (setup: Setup) => Bar[] | Promise<Bar[]>>> = {
  start: measureStart,
  lists: measureLists,
  import: measureImport,
  install: measureInstall,
};

const { values, positionals } = parseArgs({
  options: { only: { type: 'string' } },
  allowPositionals: true,
});
if (positionals[0] === 'service') await serveHere();
else await measure(Number(positionals[0] ?? 15));

async function measure(runs: number): Promise<void> {
  const [{ model = 'unknown' } = {}] = cpus();
  console.log(`${cpus().length} cores, ${model}, Node ${process.versions.node}, ${runs} runs`);
  for (const [name, part] of Object.entries(parts)) {
    if (values.only !== undefined && values.only !== name) continue;
    const folder = mkdtempSync(join(tmpdir(), 'petstore-bars-'));
    const { at, close } = await startService();
    for (const bar of await part({ runs, folder, service: at })) console.log(lineOf(bar));
    close();
    rmSync(folder, { recursive: true });
  }
}

function lineOf({ name, figure, unit, max, note }: Bar): string {
  const print = (value: number) =>
    `${value.toFixed(unit === 'MB' || unit === 'kB' ? 0 : 2)}${unit === 'ratio' ? '' : ` ${unit}`}`;
  const verdict =
    figure === undefined || max === undefined ? '' : figure <= max ? 'met' : 'NOT MET';
  const cells = [
    name.padEnd(48),
    (figure === undefined ? '-' : print(figure)).padStart(9),
    (max === undefined ? '' : `at most ${print(max)}`).padStart(16),
    ` ${note ?? verdict}`,
  ];
  return cells.join(' ').trimEnd();
}
