import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';

/** A program, with nothing of our environment but what it needs. */
export type Program = {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
};

/** Makes what the program of one turn, counted from 0, has to find; that is not timed. */
export type Turn = (turn: number) => Program;

/** Medians. */
export type Measured = {
  readonly seconds: number;
  /** Of all processes of a program, as the shell's `time` counts. */
  readonly cpuSeconds: number;
  /** The highest memory use in MB; NaN where peak.cjs was not loaded into the program. */
  readonly peak: number;
};

/**
 * Runs programs in turns and returns what each took. A first turn, which finds caches cold, is not counted.
 * @throws Error with the first line of stderr of a program that fails
 */
export function takeTurns<Name extends string>(
  runs: number,
  programs: Readonly<Record<Name, Turn>>,
): Record<Name, Measured> {
  const names = Object.keys(programs) as Name[];
  const taken = new Map<Name, Measured[]>(names.map((name) => [name, []]));
  for (let turn = 0; turn <= runs; turn += 1) {
    for (const name of names) {
      const run = runOnce(programs[name](turn));
      if (turn > 0) taken.get(name)?.push(run);
    }
  }
  const measured = names.map((name) => {
    const all = taken.get(name) ?? [];
    const seconds = median(all.map((run) => run.seconds));
    const cpuSeconds = median(all.map((run) => run.cpuSeconds));
    return [name, { seconds, cpuSeconds, peak: median(all.map(({ peak }) => peak)) }] as const;
  });
  return Object.fromEntries(measured) as Record<Name, Measured>;
}

function runOnce({ argv: [program = '', ...args], env }: Program): Measured {
  const cpuBefore = cpuOfChildren();
  const start = performance.now();
  const { status, stderr, error } = spawnSync(program, args, {
    env,
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

function readPeak(path: string | undefined): number {
  if (path === undefined || !existsSync(path)) return Number.NaN;
  const peak = (Number(readFileSync(path, 'utf8')) * 1_024) / 1_000_000;
  rmSync(path);
  return peak;
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

export function isInstalled(program: string): boolean {
  return spawnSync(program, ['--version']).error === undefined;
}
