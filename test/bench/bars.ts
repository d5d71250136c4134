import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Bar, Setup } from './bars/bar.ts';
import { measureImport } from './bars/imports.ts';
import { measureLists } from './bars/lists.ts';
import { serveHere, startService } from './bars/service.ts';
import { measureStart } from './bars/start.ts';

/**
 * Each bar of speed beside its peer, measured in turns: `npm run bench -- RUNS --only start`. What takes seconds is run less
 * often. PETSTORE_TEST_NODES names further Node binaries, separated by colons. Lists and imports need curl and jq.
 */
const parts: Readonly<Record<string, (setup: Setup) => Bar[]>> = {
  start: measureStart,
  lists: measureLists,
  import: measureImport,
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
    for (const bar of part({ runs, folder, service: at })) console.log(lineOf(bar));
    close();
    rmSync(folder, { recursive: true });
  }
}

function lineOf({ name, figure, unit, max }: Bar): string {
  const digits = unit === 'MB' ? 0 : 2;
  const print = (value: number) => `${value.toFixed(digits)}${unit === 'ratio' ? '' : ` ${unit}`}`;
  const limit = max === undefined ? '' : `at most ${print(max)}`;
  const verdict = max === undefined ? '' : figure <= max ? 'met' : 'NOT MET';
  const cells = [name.padEnd(48), print(figure).padStart(9), limit.padStart(16)];
  return `${cells.join(' ')}  ${verdict}`.trimEnd();
}
