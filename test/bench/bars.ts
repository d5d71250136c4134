import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { measureAge } from './bars/age.ts';
import { type Bar, isMet, type Setup } from './bars/bar.ts';
import { measureImportSizes } from './bars/import-sizes.ts';
import { measureImport } from './bars/imports.ts';
import { measureInstall } from './bars/install.ts';
import { measureLists } from './bars/lists.ts';
import { measurePeers } from './bars/peers.ts';
import { serveHere, startService } from './bars/service.ts';
import { measureStart } from './bars/start.ts';
import { measureWaits } from './bars/waits.ts';
import { machineHere } from './machine.ts';

/**
 * Every bar of speed beside its peer, measured in turns: `npm run bench -- RUNS --only start --json`. What takes seconds is
 * run less often. PETSTORE_TEST_NODES names further Node binaries, separated by colons.
 */
const parts: Readonly<Record<string, (setup: Setup) => Bar[] | Promise<Bar[]>>> = {
  start: measureStart,
  lists: measureLists,
  import: measureImport,
  install: measureInstall,
  age: measureAge,
  'import-sizes': measureImportSizes,
  waits: measureWaits,
  peers: measurePeers,
};

const { values, positionals } = parseArgs({
  options: { only: { type: 'string' }, json: { type: 'boolean' } },
  allowPositionals: true,
});
if (positionals[0] === 'service') await serveHere();
else await measure(Number(positionals[0] ?? 15));

async function measure(runs: number): Promise<void> {
  const machine = machineHere();
  const { cores, cpu, node } = machine;
  if (!values.json) console.log(`${cores} cores, ${cpu}, Node ${node}, ${runs} runs`);
  const measured: Bar[] = [];
  for (const [name, part] of Object.entries(parts)) {
    if (values.only !== undefined && values.only !== name) continue;
    const folder = mkdtempSync(join(tmpdir(), 'petstore-bars-'));
    const { at, close } = await startService();
    const bars = await part({ runs, folder, service: at });
    close();
    rmSync(folder, { recursive: true });
    measured.push(...bars);
    if (!values.json) for (const bar of bars) console.log(lineOf(bar));
  }
  if (!values.json) return;
  const bars = measured.map((bar) => ({ ...bar, met: isMet(bar) }));
  console.log(JSON.stringify({ machine, runs, bars }, rounded, 2));
}

/** More digits than that are noise. */
function rounded(_key: string, value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toPrecision(4)) : value;
}

function lineOf(bar: Bar): string {
  const { what, figure, unit, most, note } = bar;
  const number = (value: number) =>
    `${value.toFixed(unit === 'MB' ? 0 : 2)}${unit === 'ratio' ? '' : ` ${unit}`}`;
  const met = isMet(bar);
  const cells = [
    what.padEnd(56),
    (figure === undefined ? '-' : number(figure)).padStart(9),
    (most === undefined ? '' : `at most ${number(most)}`).padStart(16),
    note ?? (met === undefined ? '' : met ? '  met' : '  NOT MET'),
  ];
  return cells.join(' ').trimEnd();
}
