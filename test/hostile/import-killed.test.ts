import { describe, expect, test } from 'vitest';
import { seed } from '../support/seed.ts';
import { isNightly } from '../support/trials.ts';
import { runTrial } from './import-trial/trial.ts';

const size = isNightly ? { rows: 5_000, kills: 1_000 } : { rows: 600, kills: 10 };
const timeout = isNightly ? 3_600_000 : 300_000;

describe.concurrent(`an import that is killed again and again (seed ${seed})`, () => {
  test.for([
    ['alone', 1],
    ['three at once', 3],
  ] as const)('%s: nothing lost, nothing created twice', { timeout }, async ([, atOnce]) => {
    const outcome = await runTrial({ ...size, share: 0.08, atOnce }, seed);

    const none = { lost: 0, duplicated: 0, strange: 0, failures: [] };
    expect(outcome).toMatchObject(none);
    expect(outcome.kills).toBeGreaterThan(1);
  });
});
