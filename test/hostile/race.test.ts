import { expect, test } from '../support/program.ts';
import { seed } from '../support/random.ts';
import { race } from './race.ts';

/** In memory, limits/crowd draws any limiter and any clock, and import/names any moment. These are real processes. */
test(`of many processes on one key some are killed: those that wait for their requests go on, no 429, no ban, each other one created (seed ${seed})`, async ({
  serve,
  start,
  folder,
}) => {
  const outcome = await race({ serve, start, folder }, { kills: 6 });

  const fine = { refused: 0, bans: 0, lost: 0, duplicated: 0, failures: [] };
  expect(outcome).toMatchObject({ killed: 6, ...fine });
});
