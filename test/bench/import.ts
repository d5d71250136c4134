import { petstore } from './import/programs.ts';
import { type Outcome, runTrial } from './import/trial.ts';
import { variants } from './import/variants.ts';

/**
 * Imports of 5,000 rows that are killed a hundred times while 8 % of all requests go wrong.
 * `npm run bench:import -- NAME …` runs the variants whose names begin so; PETSTORE_BENCH_SEED repeats a run, and
 * PETSTORE_BENCH_KILLS kills more often.
 */
const kills = Number(process.env.PETSTORE_BENCH_KILLS ?? 100);
const full = { rows: 5_000, kills, share: 0.08 };

const wanted = process.argv.slice(2);
const seed = Number(process.env.PETSTORE_BENCH_SEED ?? Math.floor(Math.random() * 2 ** 32));
console.log(`seed ${seed}`);
console.log(row(['import', 'rows', 'kills', 'faults', 'lost', 'twice', 'strange', 'runs', 's']));
for (const [name, variant] of Object.entries(variants)) {
  if (wanted.length > 0 && !wanted.some((start) => name.startsWith(start))) continue;
  const outcome = await runTrial({ ...full, ...variant }, seed);
  console.log([row(cells(name, outcome)), ...endsOf(outcome)].join('\n'));
  for (const failure of outcome.failures) console.error(failure);
  const { lost, duplicated, failures } = outcome;
  // A script that does as well as petstore would mean that this proves nothing.
  const proven =
    variant.program === petstore
      ? variant.isHopeless || failures.length === 0
      : lost + duplicated > 0;
  if (!proven) process.exitCode = 1;
}

function cells(name: string, outcome: Outcome): string[] {
  const { rows, kills, faults, lost, duplicated, strange, runs, seconds } = outcome;
  const numbers = [rows, kills, faults, lost, duplicated, strange, runs];
  return [name, ...numbers.map(String), seconds.toFixed(0)];
}

function row([name = '', ...rest]: string[]): string {
  return name.padEnd(26) + rest.map((cell) => cell.padStart(9)).join('');
}

/** How often each exit code came, and what was said with it the first time. */
function endsOf({ ends }: Outcome): string[] {
  return [...new Set(ends.map(({ code }) => code))].map((code) => {
    const [first, ...more] = ends.filter((end) => end.code === code);
    return `  exit ${code} × ${more.length + 1}  ${first?.stderr.split('\n', 1)}`;
  });
}
