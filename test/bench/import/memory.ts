import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { startFaultyService } from './faulty-service.ts';
import { environment } from './home.ts';
import { seeded } from './random.ts';
import { existing, makeRows, writeRows } from './rows.ts';

/** Prints the most memory that a plan for that many rows takes, by the file's format and that of the output. */
export async function measureMemory(home: string, count: number): Promise<void> {
  const random = seeded(2);
  const service = await startFaultyService({ random, share: 0, pace: 0, before: existing });
  const rows = makeRows.each(count, random);
  for (const format of ['csv', 'json', 'ndjson'] as const) {
    const file = join(home, `rows.${format}`);
    writeRows(file, rows, format);
    for (const output of ['table', 'json'] as const) {
      const { code, bytes, peak } = await plan(file, output);
      const what = `plan of ${rows.length} rows, ${format} to ${output}`.padEnd(40);
      console.log(`${what} ${(peak / 1024).toFixed(0)} MiB, exit ${code}, ${bytes} bytes`);
    }
  }
  service.close();

  async function plan(file: string, output: string) {
    const note = join(home, 'peak');
    const frame = ['--require', resolve('test/bench/import/peak.cjs'), resolve('bin/petstore.js')];
    const args = ['categories', 'import', file, '--dry-run', '--quiet', '--output', output];
    const child = spawn(process.execPath, [...frame, ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...environment(home, service), PETSTORE_BENCH_PEAK: note },
    });
    let bytes = 0;
    child.stdout.on('data', ({ length }) => {
      bytes += length;
    });
    const code = await new Promise((done) => child.once('close', done));
    return { code, bytes, peak: Number(readFileSync(note, 'utf8')) };
  }
}
