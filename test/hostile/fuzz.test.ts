import { expect, test } from 'vitest';
import { below, createRandom } from '../support/random.ts';
import { seed } from '../support/seed.ts';
import { isNightly } from '../support/trials.ts';
import { framings, goodCategory, goodList, wholeAnswer } from './good-answers.ts';
import { runInProcess } from './in-process.ts';
import { mutate } from './mutate.ts';
import { type HostileServer, startHostileServer } from './server.ts';

const runs = isNightly ? 10_000 : 1_000;
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

test(`no mutant of a good response breaks a promise: ${runs} runs of seed ${seed}`, async () => {
  const server = await startHostileServer();
  const exitCodes: Record<string, number> = {};
  const failures: string[] = [];
  const numbers = Array.from({ length: runs }, (_, n) => n + 1).values();
  const work = async () => {
    for (const number of numbers) {
      const { exitCode, failure } = await runOne(server, number);
      exitCodes[exitCode] = (exitCodes[exitCode] ?? 0) + 1;
      failures.push(...failure);
    }
  };

  await Promise.all(Array.from({ length: width }, work));
  server.close();

  expect(failures).toEqual([]);
  // Some mutants are good responses still, and most are not: otherwise this proves nothing.
  expect(exitCodes[0]).toBeGreaterThan(runs / 50);
  expect(exitCodes[5]).toBeGreaterThan(runs / 5);
  expect(exitCodes[6]).toBeGreaterThan(runs / 10);
}, 3_000_000);

/** Each run has random numbers of its own, from a seed far from the next one, so that it can be repeated alone. */
async function runOne(server: HostileServer, number: number) {
  const random = createRandom(Math.imul(seed + number, 2_654_435_761));
  const original = originals[below(originals.length, random)];
  if (!original) throw new RangeError('there is nothing to mutate');
  const { argv, answer, framing } = original;
  const mutant = mutate(answer, random);
  const { url, seen } = server.serveAt((socket) => void socket.end(mutant));
  const json = argv.includes('--json');
  const run = await runInProcess([...argv, '--max-wait', '0'], url, { json, timeout: 20_000 });
  const creates = seen.filter(({ method }) => method === 'POST').length;
  const broken = [
    ...run.broken,
    run.exitCode !== 0 && run.stdout !== '' && 'a part of the result',
    creates > 1 && 'created twice',
    json && run.exitCode === 0 && framing !== 'chunks' && !tells(mutant, run.stdout) && 'a lie',
  ].filter(Boolean);
  const what = `run ${number}: ${broken.join(', ')}: `;
  const failure =
    broken.length === 0 ? [] : [what + JSON.stringify([mutant.toString('latin1'), run])];
  return { exitCode: String(run.exitCode), failure };
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
