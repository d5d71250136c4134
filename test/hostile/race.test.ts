import { describe } from 'vitest';
import { expect, test } from '../support/program.ts';
import { seed } from '../support/random.ts';
import { race } from './race.ts';

const allThere = { bans: 0, lost: 0, duplicated: 0, failures: [] };

/** In memory, limits/crowd draws any limiter and any clock, and import/names any moment. These are real processes. */
describe(`many processes on one key (seed ${seed})`, () => {
  test('no 429, no ban, each created once, one request each', async () => {
    const outcome = await race({ resetInMs: true, skewMs: 37_000 });

    expect(outcome).toMatchObject({ ...allThere, refused: 0, requests: 36 });
  });

  test('some are killed: those that wait for their requests go on, no 429, no ban, each other one created', async () => {
    expect(await race({ kills: 6 })).toMatchObject({ ...allThere, refused: 0 });
  });
});
