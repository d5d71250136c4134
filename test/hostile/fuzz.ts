import { framings, goodCategory, goodList, wholeAnswer } from './good-answers.ts';
import { runInProcess } from './in-process.ts';
import { mutate, randomFrom } from './mutate.ts';
import { startHostileServer } from './server.ts';

export type Fuzzed = {
  readonly runs: number;
  /** How often each exit code came. */
  readonly exitCodes: Readonly<Record<string, number>>;
  /** What went against the promises, with the answer that made it. */
  readonly failures: readonly string[];
};

const width = 8;
const originals = framings.flatMap((framing) => [
  { argv: ['categories', 'list', '--json'], answer: wholeAnswer(200, goodList, framing), framing },
  { argv: ['categories', 'list'], answer: wholeAnswer(200, goodList, framing), framing },
  {
    argv: ['categories', 'create', 'rabbit', '--json'],
    answer: wholeAnswer(201, goodCategory, framing),
    framing,
  },
]);

/** Runs the program against mutants of good answers, the same for the same seed. */
export async function fuzz(runs: number, seed: number): Promise<Fuzzed> {
  const server = await startHostileServer();
  const exitCodes: Record<string, number> = {};
  const failures: string[] = [];
  let next = 0;

  await Promise.all(
    Array.from({ length: width }, async () => {
      while (next < runs) {
        next += 1;
        await runOne(next);
      }
    }),
  );
  server.close();
  return { runs, exitCodes, failures };

  async function runOne(index: number): Promise<void> {
    // Each run has random numbers of its own, so that one can be repeated alone.
    const random = randomFrom(seed + index);
    const original = originals[random(originals.length)];
    if (!original) throw new RangeError('there is nothing to mutate');
    const { argv, answer, framing } = original;
    const mutant = mutate(answer, random);
    const { url, seen } = server.play((socket) => void socket.end(mutant));
    const json = argv.includes('--json');
    const run = await runInProcess([...argv, '--max-wait', '0'], url, { json, timeout: 20_000 });

    exitCodes[String(run.exitCode)] = (exitCodes[String(run.exitCode)] ?? 0) + 1;
    const creates = seen.filter(({ method }) => method === 'POST').length;
    const broken = [
      ...run.broken,
      run.exitCode !== 0 && run.stdout !== '' && 'a part of the result',
      creates > 1 && 'created twice',
      json && run.exitCode === 0 && framing !== 'chunks' && !tells(mutant, run.stdout) && 'a lie',
    ].filter(Boolean);
    if (broken.length > 0) {
      failures.push(
        `run ${index}: ${broken.join(', ')}: ${JSON.stringify([mutant.toString('latin1'), run])}`,
      );
    }
  }
}

/** Returns true if a result is the body of the first response that is no announcement; more bytes may follow it. */
function tells(bytes: Buffer, result: string): boolean {
  const { 0: head = '', index = 0 } =
    /HTTP\/\d\.\d (?!1\d\d).*?\r\n\r\n/s.exec(bytes.toString('latin1')) ?? {};
  const start = index + head.length;
  const [, length = bytes.length] = /^content-length: *(\d+)/im.exec(head) ?? [];
  const body = bytes.subarray(start, start + Number(length)).toString();
  try {
    return normal(result) === normal(body);
  } catch {
    return false;
  }
}

function normal(text: string): string {
  return JSON.stringify(JSON.parse(text.replace(/^\ufeff/, '')), (name, value) =>
    name === 'id' ? String(value) : value,
  );
}
