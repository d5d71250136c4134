import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

type Fixtures = {
  readonly folder: string;
  readonly execute: (
    program: string,
    args: readonly string[],
    options: { readonly env: Readonly<Record<string, string>> },
  ) => Promise<{
    readonly code: number | NodeJS.Signals | null;
    readonly stdout: string;
    readonly stderr: string;
  }>;
};

/** Runs a program of Node and returns how it ended and the most memory that it took; a shell pipes its stdout into `pipe`. */
export async function runMeasured(
  { execute, folder }: Fixtures,
  [program, ...argv]: readonly [program: string, ...argv: readonly string[]],
  env: Readonly<Record<string, string>>,
  pipe = '',
) {
  const peak = join(folder, 'peak');
  const node = [process.execPath, '--require', resolve('test/bench/import/peak.cjs'), program];
  const ended = await execute('sh', ['-c', `"$@" ${pipe}`, 'sh', ...node, ...argv], {
    env: { ...env, PETSTORE_BENCH_PEAK: peak },
  });
  return { ...ended, peakMiB: Number(readFileSync(peak, 'utf8')) / 1024 };
}
