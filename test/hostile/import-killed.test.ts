import { execFileSync } from 'node:child_process';
import { beforeAll, describe, expect, test } from 'vitest';
import { runTrial } from '../bench/import/trial.ts';
import { variants } from '../bench/import/variants.ts';

/** The trials of test/bench/import.ts, in short. */
const small = { rows: 300, kills: 10, share: 0.08 };
const time = 120_000;
const seed = Math.floor(Math.random() * 2 ** 32);

beforeAll(() => {
  execFileSync('npm', ['run', 'bench:build', '--silent'], { stdio: 'inherit' });
});

describe.concurrent(`an import that is killed again and again (seed ${seed})`, () => {
  const kept = Object.entries(variants).filter(([, { hopeless }]) => !hopeless);

  test.each(kept)(
    '%s: nothing lost, nothing created twice',
    { timeout: time },
    async (_, variant) => {
      const outcome = await runTrial({ ...small, ...variant }, seed);

      expect(outcome).toMatchObject({
        lost: 0,
        duplicated: 0,
        strange: 0,
        overlaps: 0,
        failures: [],
      });
      expect(outcome.kills).toBeGreaterThan(3);
    },
  );

  test('shows what a script loses that notes rows before it sends them', {
    timeout: time,
  }, async () => {
    const { lost } = await naive('d naive, checked before');

    expect(lost).toBeGreaterThan(0);
  });

  test('shows what a script creates twice that notes rows once they are created', {
    timeout: time,
  }, async () => {
    const { duplicated } = await naive('d naive, checked after');

    expect(duplicated).toBeGreaterThan(0);
  });
});

function naive(name: keyof typeof variants) {
  const variant = variants[name];
  if (!variant) throw new RangeError(name);
  // So many faults that one of each kind comes for sure.
  return runTrial({ ...small, share: 0.3, ...variant }, seed);
}
