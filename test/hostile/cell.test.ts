import { type ChildProcess, spawn } from 'node:child_process';
import { bundle } from '../support/bundle.ts';
import { expect, test } from '../support/program.ts';
import { below, createRandom, seed } from '../support/random.ts';

type Program = readonly [path: string, ...args: string[]];

const programs = 'test/support/programs';
const maxStopMs = 60;

test(`12 processes that change a value, and are stopped and killed, lose no change (seed ${seed})`, async ({
  folder,
}) => {
  const program = await bundle(`${programs}/cell-writer.ts`, folder);

  const ends = await torment([program, folder, '2000'], 12, { everyMs: 4, killEvery: 50 });

  expect(ends).toContain('SIGKILL');
  expect(ends.filter((end) => end !== 'SIGKILL' && end !== 0)).toEqual([]);
});

/** Runs processes to their end. Stops one of them for a moment again and again; at most half are killed. Returns how they ended. */
async function torment(
  args: Program,
  count: number,
  { everyMs, killEvery }: { everyMs: number; killEvery: number },
): Promise<(number | NodeJS.Signals | null)[]> {
  const random = createRandom(seed);
  const running = new Set<ChildProcess>();
  let [signals, kills] = [0, 0];
  const timer = setInterval(() => {
    const child = [...running][below(running.size, random)];
    if (!child) return;
    signals += 1;
    if (signals % killEvery === 0 && kills < count / 2) {
      child.kill('SIGKILL');
      kills += 1;
    } else {
      child.kill('SIGSTOP');
      setTimeout(() => child.kill('SIGCONT'), random() * maxStopMs);
    }
  }, everyMs);
  try {
    return await Promise.all(Array.from({ length: count }, run));
  } finally {
    clearInterval(timer);
    for (const child of running) child.kill('SIGKILL');
  }

  function run(): Promise<number | NodeJS.Signals | null> {
    const child = spawn(process.execPath, args, { stdio: 'inherit' });
    running.add(child);
    return new Promise((resolve) => {
      child.once('close', (code, signal) => {
        running.delete(child);
        resolve(code ?? signal);
      });
    });
  }
}
