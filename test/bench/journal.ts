import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { measureMemory } from './import/memory.ts';
import { seeded } from './import/random.ts';
import { type Journal, measureRate } from './import/rate.ts';
import { makeRows, writeRows } from './import/rows.ts';
import { serveHere } from './import/service-process.ts';
import { median } from './median.ts';

/**
 * What the journal costs: an import of 10,000 creates with it and without, three times each, at a service in a process of its
 * own. Then the memory that a plan for 100,000 rows takes.
 */
const [role] = process.argv.slice(2);
if (role === 'service') await serveHere();
else await measure();

async function measure(): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'petstore-journal-'));
  if (role !== 'memory') await compareRates(home);
  if (role !== 'rate') await measureMemory(home, 100_000);
  rmSync(home, { recursive: true });
}

async function compareRates(home: string): Promise<void> {
  console.log(`a write and its fdatasync take ${syncTime(home).toFixed(2)} ms here (median)`);
  const creates = 10_000;
  const file = join(home, 'rows.csv');
  writeRows(file, makeRows.ensure(creates, seeded(1)), 'csv');
  const rates: Record<Journal, number[]> = { real: [], none: [] };
  for (let turn = 0; turn < 3; turn += 1) {
    for (const journal of ['real', 'none'] as const) {
      const folder = join(home, `${journal}-${turn}`);
      rates[journal].push(await measureRate({ file, creates, home: folder, journal }));
    }
  }
  const [real, none] = [median(rates.real), median(rates.none)];
  for (const [journal, each] of Object.entries(rates)) {
    console.log(`journal ${journal}: ${each.map((rate) => rate.toFixed(0)).join(', ')} creates/s`);
  }
  console.log(`medians ${real.toFixed(0)} of ${none.toFixed(0)}: ${(real / none).toFixed(2)}`);
}

/** What the disk takes for one line, in ms. */
function syncTime(home: string): number {
  const file = openSync(join(home, 'sync'), 'a');
  const times = Array.from({ length: 201 }, () => {
    const start = performance.now();
    writeSync(file, `${'x'.repeat(100)}\n`);
    fdatasyncSync(file);
    return performance.now() - start;
  });
  closeSync(file);
  return median(times);
}
