import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { median } from '../median.ts';

/** A program, with nothing of our environment but what it needs. */
export type Program = {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
};

/** The program of one turn, from 0 on; what it has to find is made here, untimed. */
export type Turn = (turn: number) => Program;

export type Measured = {
  /** Median, in seconds. */
  readonly seconds: number;
  /** The middle half of all runs: the first and the third quartile. */
  readonly quartiles: readonly [number, number];
  /** Median of the most memory that it took, in MB; undefined where peak.cjs was not loaded into it. */
  readonly peak: number | undefined;
};

/**
 * Runs programs in turns and tells what each took; a first turn, which finds caches cold, is not counted.
 * @param uncounted how many first turns that is; 0 for what takes so long that caches are nothing to it
 * @throws Error with the last words of a program that fails
 */
export function takeTurns<Name extends string>(
  runs: number,
  programs: Readonly<Record<Name, Turn>>,
  uncounted = 1,
): Record<Name, Measured> {
  const names = Object.keys(programs) as Name[];
  const taken = Object.fromEntries(
    names.map((name) => [name, { seconds: [] as number[], peaks: [] as number[] }]),
  ) as Record<Name, { seconds: number[]; peaks: number[] }>;
  for (let turn = 0; turn < uncounted + runs; turn += 1) {
    for (const name of names) {
      const { seconds, peak } = runOnce(programs[name](turn));
      if (turn < uncounted) continue;
      taken[name].seconds.push(seconds);
      if (peak !== undefined) taken[name].peaks.push(peak);
    }
  }
  return Object.fromEntries(
    names.map((name) => {
      const { seconds, peaks } = taken[name];
      const peak = peaks.length > 0 ? median(peaks) : undefined;
      const measured: Measured = {
        seconds: median(seconds),
        quartiles: quartilesOf(seconds),
        peak,
      };
      return [name, measured];
    }),
  ) as Record<Name, Measured>;
}

function quartilesOf(numbers: readonly number[]): [number, number] {
  const sorted = [...numbers].sort((a, b) => a - b);
  const at = (part: number) => sorted[Math.round(part * (sorted.length - 1))] ?? Number.NaN;
  return [at(0.25), at(0.75)];
}

function runOnce({ argv: [program = '', ...args], env, cwd }: Program) {
  const start = performance.now();
  const { status, stderr, error } = spawnSync(program, args, {
    env,
    cwd,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const seconds = (performance.now() - start) / 1_000;
  if (error) throw error;
  if (status !== 0) {
    throw new Error(`exit ${status}: ${stderr.toString().split('\n', 1)[0]?.slice(0, 100)}`);
  }
  return { seconds, peak: readPeak(env.PETSTORE_BENCH_PEAK) };
}

function readPeak(path: string | undefined): number | undefined {
  if (path === undefined || !existsSync(path)) return undefined;
  const peak = (Number(readFileSync(path, 'utf8')) * 1_024) / 1_000_000;
  rmSync(path);
  return peak;
}

/** Whether a program is there to be run. */
export function isInstalled(program: string): boolean {
  return spawnSync(program, ['--version']).error === undefined;
}
