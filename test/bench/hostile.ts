import { spawn } from 'node:child_process';
import { type Fuzzed, fuzz } from '../hostile/fuzz.ts';
import { type Framing, framings, wholeAnswer } from '../hostile/good-answers.ts';
import { startHostileServer } from '../hostile/server.ts';
import { proveCut } from '../hostile/truncation.ts';

/**
 * The hostile server at full length: `npm run bench:hostile -- RUNS SEED STEP` fuzzes so many answers (100,000), then cuts a list of
 * 200 KB at each of its first and last 300 bytes and at every STEPth (997th) in between, in each framing.
 */
const batch = 2_000;
const [first = '100000', second = '', third = '997', fourth = ''] = process.argv.slice(2);
if (first === 'fuzz') console.log(JSON.stringify(await fuzz(Number(second), Number(third))));
else if (first === 'cut') await cut(second as Framing, Number(third), Number(fourth));
else {
  const broken =
    (await fuzzAll(Number(first), Number(second || Date.now() % 1_000_000_000))) +
    (await cutAll(Number(third)));
  process.exitCode = broken > 0 ? 1 : 0;
}

async function fuzzAll(runs: number, seed: number): Promise<number> {
  console.log(`fuzz: ${runs} runs of seed ${seed}`);
  const start = performance.now();
  const histogram: Record<string, number> = {};
  let broken = 0;
  const seeds = Array.from({ length: Math.ceil(runs / batch) }, (_, n) => seed + n * batch);
  await inChildren(
    seeds.map((from) => ['fuzz', Math.min(batch, seed + runs - from), from]),
    (text, [, , from]) => {
      const { exitCodes, failures }: Fuzzed = JSON.parse(text);
      for (const failure of failures) console.log(`seed ${from}, ${failure}`);
      broken += failures.length;
      for (const [code, times] of Object.entries(exitCodes)) {
        histogram[code] = (histogram[code] ?? 0) + times;
      }
    },
  );
  const codes = Object.entries(histogram).map(([code, count]) => `exit ${code}: ${count}`);
  console.log(`fuzz: ${broken} broke a promise; ${codes.join(', ')}; ${secondsSince(start)} s`);
  return broken;
}

/** How many promises broke, whatever the framing. */
async function cutAll(step: number): Promise<number> {
  let all = 0;
  for (const framing of framings) {
    const start = performance.now();
    const { length } = longAnswer(framing);
    const cuts = [...offsets(length, step)].length;
    const parts = [...Array(Math.ceil(cuts / batch)).keys()];
    let broken = 0;
    await inChildren(
      parts.map((part) => ['cut', framing, step, part]),
      (text) => {
        process.stdout.write(text);
        broken += text.split('\n').length - 1;
      },
    );
    const figures = `${cuts} cuts of ${length} bytes, ${broken} broke a promise`;
    console.log(`${framing}: ${figures}; ${secondsSince(start)} s`);
    all += broken;
  }
  return all;
}

/** Prints a line for each promise that a part of the cuts breaks. */
async function cut(framing: Framing, step: number, part: number): Promise<void> {
  const answer = longAnswer(framing);
  const server = await startHostileServer();
  const all = [...offsets(answer.length, step)];
  for (const at of all.slice(part * batch, (part + 1) * batch)) {
    const failures = await proveCut(server, answer, at, false);
    for (const failure of failures) console.log(`${framing}, cut at ${at}: ${failure}`);
  }
  server.close();
}

function longAnswer(framing: Framing): Buffer {
  const rows = Array.from({ length: 4_500 }, (_, id) => ({ id, name: `category number ${id}` }));
  return wholeAnswer(200, JSON.stringify(rows), framing);
}

function* offsets(length: number, step: number): Generator<number> {
  const edge = 300;
  let at = 0;
  while (at < length) {
    yield at;
    at += at < edge || at >= length - edge ? 1 : Math.min(step, length - edge - at);
  }
}

type Job = readonly (string | number)[];

/**
 * Runs jobs two at a time and tells what each printed. A process of its own for each: the program opens its log once a run, and lets
 * go of it only at its end.
 */
async function inChildren(jobs: readonly Job[], onEnd: (text: string, job: Job) => void) {
  const left = jobs.values();
  const work = async () => {
    for (const job of left) onEnd(await inChild(job), job);
  };
  await Promise.all([work(), work()]);
}

async function inChild(job: Job): Promise<string> {
  const child = spawn(process.execPath, [process.argv[1] ?? '', ...job.map(String)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  let text = '';
  for await (const part of child.stdout.setEncoding('utf8')) text += part;
  if ((await ended) !== 0) throw new Error(`ended early: ${job.join(' ')}`);
  return text;
}

function secondsSince(start: number): number {
  return Math.round((performance.now() - start) / 1_000);
}
