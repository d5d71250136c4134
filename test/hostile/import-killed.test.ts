import { describe, expect, test } from 'vitest';
import { runTrial } from '../bench/import/trial.ts';
import { variants } from '../bench/import/variants.ts';
import { seed } from '../support/seed.ts';

/** The trials of test/bench/import.ts, in short. */
const small = { rows: 600, kills: 10, share: 0.08 };
const timeout = 120_000;

describe.concurrent(`an import that is killed again and again (seed ${seed})`, () => {
  const promising = Object.entries(variants).filter(([, { isHopeless }]) => !isHopeless);

  test.for(promising)(
    '%s: nothing lost, nothing created twice',
    { timeout },
    async ([, variant]) => {
      const outcome = await runTrial({ ...small, ...variant }, seed);

      const none = { lost: 0, duplicated: 0, strange: 0, failures: [] };
      expect(outcome).toMatchObject(none);
      expect(outcome.kills).toBeGreaterThan(1);
    },
  );
});
