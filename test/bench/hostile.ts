import { fuzz } from '../hostile/fuzz.ts';
import { framings, wholeAnswer } from '../hostile/good-answers.ts';
import { startHostileServer } from '../hostile/server.ts';
import { proveCut } from '../hostile/truncation.ts';

/**
 * The hostile server at full length: `npm run bench:hostile -- RUNS SEED` fuzzes so many answers (100,000), then cuts a list of
 * 200 KB at each of its first and last 300 bytes and at every 997th in between, in each framing.
 */
const [runs = '100000', seed = String(Date.now() % 1_000_000_000)] = process.argv.slice(2);
await fuzzAll(Number(runs), Number(seed));
await cutAll();

async function fuzzAll(runs: number, seed: number): Promise<void> {
  console.log(`fuzz: ${runs} runs of seed ${seed}`);
  const start = performance.now();
  const histogram: Record<string, number> = {};
  let broken = 0;
  for (let first = 0; first < runs; first += 1_000) {
    const { exitCodes, failures } = await fuzz(Math.min(1_000, runs - first), seed + first);
    for (const failure of failures) console.log(`seed ${seed + first}, ${failure}`);
    broken += failures.length;
    for (const [code, count] of Object.entries(exitCodes)) {
      histogram[code] = (histogram[code] ?? 0) + count;
    }
  }
  const codes = Object.entries(histogram).map(([code, count]) => `exit ${code}: ${count}`);
  console.log(`fuzz: ${broken} broke a promise; ${codes.join(', ')}; ${secondsSince(start)} s`);
}

async function cutAll(): Promise<void> {
  const start = performance.now();
  const rows = Array.from({ length: 4_000 }, (_, id) => ({ id, name: `category number ${id}` }));
  const server = await startHostileServer();
  let cuts = 0;
  let broken = 0;
  for (const framing of framings) {
    const answer = wholeAnswer(200, JSON.stringify(rows), framing);
    for (let at = 0; at < answer.length; at += stepAt(at, answer.length)) {
      const failures = await proveCut(server, answer, at, false);
      for (const failure of failures) console.log(`${framing}, cut at ${at}: ${failure}`);
      cuts += 1;
      broken += failures.length;
    }
  }
  server.close();
  console.log(`cuts: ${cuts} of a long list, ${broken} broke a promise; ${secondsSince(start)} s`);
}

function stepAt(at: number, length: number): number {
  const edge = 300;
  return at < edge || at >= length - edge ? 1 : Math.min(997, length - edge - at);
}

function secondsSince(start: number): number {
  return Math.round((performance.now() - start) / 1_000);
}
