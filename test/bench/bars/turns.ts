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
  /** Medians. `cpuSeconds` counts all processes of a program, as the shell's `time` does. */
  readonly seconds: number;
  readonly cpuSeconds: number;
  /** In MB; undefined where peak.cjs was not loaded into the program. */
  readonly peak: number | undefined;
};

/**
 * Runs programs in turns and returns what each took; a first turn, which finds caches cold, is not counted.
 * @throws Error with the last words of a program that fails
 */
export function takeTurns<Name extends string>(
  runs: number,
  programs: Readonly<Record<Name, Turn>>,
): Record<Name, Measured> {
  const names = Object.keys(programs) as Name[];
  const taken = new Map(names.map((name) => [name, [] as ReturnType<typeof runOnce>[]]));
  for (let turn = 0; turn <= runs; turn += 1) {
    for (const name of names) {
      const run = runOnce(programs[name](turn));
      if (turn > 0) taken.get(name)?.push(run);
    }
  }
  const measured = names.map((name): [Name, Measured] => {
    const all = taken.get(name) ?? [];
    const peaks = all.flatMap(({ peak }) => peak ?? []);
    return [
      name,
      {
        seconds: median(all.map(({ seconds }) => seconds)),
        cpuSeconds: median(all.map(({ cpuSeconds }) => cpuSeconds)),
        peak: peaks.length > 0 ? median(peaks) : undefined,
      },
    ];
  });
  return Object.fromEntries(measured) as Record<Name, Measured>;
}

function runOnce({ argv: [program = '', ...args], env, cwd }: Program) {
  const cpuBefore = cpuOfChildren();
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
  const cpuSeconds = cpuOfChildren() - cpuBefore;
  return { seconds, cpuSeconds, peak: readPeak(env.PETSTORE_BENCH_PEAK) };
}

/** Linux counts the time of children that have ended, in ticks of 10 ms; NaN elsewhere. */
function cpuOfChildren(): number {
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[13]) + Number(fields[14])) / 100;
  } catch {
    return Number.NaN;
  }
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
