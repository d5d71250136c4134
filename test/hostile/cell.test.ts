import { bundle } from '../support/bundle.ts';
import { expect, test } from '../support/program.ts';
import { below, createRandom, seed } from '../support/random.ts';

const count = 12;
const everyMs = 4;
const killEvery = 50;
const maxStopMs = 60;

test(`${count} processes that change a value, and are stopped and killed, lose no change (seed ${seed})`, async ({
  folder,
  spawn,
}) => {
  const program = await bundle('test/support/programs/cell-writer.ts', folder);
  const argv = [program, folder, '2000'];
  const random = createRandom(seed);
  let [signals, kills] = [0, 0];

  const all = Array.from({ length: count }, () => spawn(process.execPath, argv));
  const timer = setInterval(disturbOne, everyMs);
  const ends = await Promise.all(all.map(({ ended }) => ended));
  clearInterval(timer);

  const codes = ends.map(({ code }) => code);
  expect(codes).toContain('SIGKILL');
  expect(codes.filter((code) => code !== 'SIGKILL' && code !== 0)).toEqual([]);

  /** Stops one of them for a moment, or kills it: half of them at most. */
  function disturbOne(): void {
    const running = all.filter(({ child }) => child.exitCode === null && !child.signalCode);
    const { child } = running[below(running.length, random)] ?? {};
    signals += 1;
    if (signals % killEvery === 0 && kills < count / 2) {
      child?.kill('SIGKILL');
      kills += 1;
    } else {
      child?.kill('SIGSTOP');
      setTimeout(() => child?.kill('SIGCONT'), random() * maxStopMs);
    }
  }
});
