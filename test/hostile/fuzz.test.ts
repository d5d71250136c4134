import { expect, test } from 'vitest';
import { seed } from '../support/seed.ts';
import { isNightly } from '../support/trials.ts';
import { fuzz } from './fuzz.ts';

const runs = isNightly ? 10_000 : 2_000;

test(`no mutant of a good response breaks a promise: ${runs} runs of seed ${seed}`, async () => {
  const { exitCodes, failures } = await fuzz(runs, seed);

  expect(failures).toEqual([]);
  // Some mutants are good responses still, and most are not: otherwise this proves nothing.
  expect(exitCodes[0]).toBeGreaterThan(runs / 50);
  expect(exitCodes[5]).toBeGreaterThan(runs / 5);
  expect(exitCodes[6]).toBeGreaterThan(runs / 10);
}, 3_000_000);
