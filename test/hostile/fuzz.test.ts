import { expect, test } from 'vitest';
import { fuzz } from './fuzz.ts';

const runs = 2_000;
const seed = 20_261_121;

test(`no mutant of a good answer breaks a promise: ${runs} runs of seed ${seed}`, async () => {
  const { exitCodes, failures } = await fuzz(runs, seed);

  expect(failures).toEqual([]);
  // Some mutants are good answers still, and most are not: otherwise this proves nothing.
  expect(exitCodes[0]).toBeGreaterThan(runs / 50);
  expect(exitCodes[5]).toBeGreaterThan(runs / 5);
  expect(exitCodes[6]).toBeGreaterThan(runs / 10);
}, 300_000);
