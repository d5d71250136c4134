import { spawn } from 'node:child_process';
import { type Fuzzed, fuzz } from '../hostile/fuzz.ts';
import { type Framing, framings, wholeAnswer } from '../hostile/good-answers.ts';
import { startHostileServer } from '../hostile/server.ts';
import { proveCut } from '../hostile/truncation.ts';

/**
 * The hostile server at full length: `npm run bench:hostile -- RUNS SEED` fuzzes so many answers (100,000), then cuts a list of
 * 200 KB at each of its first and last 300 bytes and at every 997th in between, in each framing.
 */
const batch = 2_000;
const [first = '100000', second = String(Date.now() % 1_000_000_000), third = ''] =
  process.argv.slice(2);
if (first === 'fuzz') console.log(JSON.stringify(await fuzz(Number(second), Number(third))));
else if (first === 'cut') await cutAll(second as Framing);
else await all(Number(first), Number(second));

async function all(runs: number, seed: number): Promise<void> {
  console.log(`fuzz: ${runs} runs of seed ${seed}`);
  const start = performance.now();
  const histogram: Record<string, number> = {};
  let broken = 0;
  const seeds = Array.from({ length: Math.ceil(runs / batch) }, (_, n) => seed + n * batch);
  const left = seeds.values();
  const work = async () => {
    for (const from of left) {
      const count = Math.min(batch, seed + runs - from);
      const { exitCodes, failures }: Fuzzed = JSON.parse(await inChild('fuzz', count, from));
      for (const failure of failures) console.log(`seed ${from}, ${failure}`);
      broken += failures.length;
      for (const [code, times] of Object.entries(exitCodes)) {
        histogram[code] = (histogram[code] ?? 0) + times;
      }
    }
  };
  await Promise.all([work(), work()]);
  const codes = Object.entries(histogram).map(([code, count]) => `exit ${code}: ${count}`);
  console.log(`fuzz: ${broken} broke a promise; ${codes.join(', ')}; ${secondsSince(start)} s`);
  for (const framing of framings) process.stdout.write(await inChild('cut', framing));
}

/** A process of its own for each part: the program opens its log once a run, and lets go of it only at its end. */
async function inChild(...args: (string | number)[]): Promise<string> {
  const child = spawn(process.execPath, [process.argv[1] ?? '', ...args.map(String)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  for await (const part of child.stdout.setEncoding('utf8')) text += part;
  return text;
}

async function cutAll(framing: Framing): Promise<void> {
  const start = performance.now();
  const rows = Array.from({ length: 4_500 }, (_, id) => ({ id, name: `category number ${id}` }));
  const answer = wholeAnswer(200, JSON.stringify(rows), framing);
  const server = await startHostileServer();
  let cuts = 0;
  let broken = 0;
  for (let at = 0; at < answer.length; at += stepAt(at, answer.length)) {
    const failures = await proveCut(server, answer, at, false);
    for (const failure of failures) console.log(`cut at ${at}: ${failure}`);
    cuts += 1;
    broken += failures.length;
  }
  server.close();
  console.log(
    `${framing}: ${cuts} cuts of ${answer.length} bytes, ${broken} broke a promise; ${secondsSince(start)} s`,
  );
}

function stepAt(at: number, length: number): number {
  const edge = 300;
  return at < edge || at >= length - edge ? 1 : Math.min(997, length - edge - at);
}

function secondsSince(start: number): number {
  return Math.round((performance.now() - start) / 1_000);
}
