import { rmSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { seed } from '../support/seed.ts';
import { isNightly } from '../support/trials.ts';
import { type Race, race } from './race.ts';

/** On a window of three seconds instead of sixty. */
const plan = {
  minute: { limit: 20, length: 3_000 },
  day: { limit: 10_000, length: 86_400_000 },
};
const small: Race = { plan, creates: 45, loops: 10 };
const allThere = { bans: 0, lost: 0, duplicated: 0, failures: [] };

const services: readonly [what: string, options: Partial<Race>][] = [
  ['a cold start', {}],
  ['resets in milliseconds', { resetInMs: true }],
];
const moreServices: typeof services = [
  ['part of the window used before', { used: 13 }],
  ['resets rounded down', { resetRoundedDown: true }],
  ['a clock 37 s ahead', { skew: 37_000 }],
  ['a clock an hour behind', { skew: -3_600_000 }],
];

describe(`many processes on one key (seed ${seed})`, () => {
  test.for([...services, ...(isNightly ? moreServices : [])])(
    '%s: no 429, no ban, each created once, one request each',
    async ([, options]) => {
      const outcome = await race({ ...small, ...options });

      expect(outcome).toMatchObject({ ...allThere, refused: 0, requests: 45 });
    },
  );

  test.runIf(isNightly)(
    'two machines that know nothing of each other: no ban, at most one 429 each a window',
    async () => {
      const outcome = await race({ ...small, machines: 2 });

      expect(outcome).toMatchObject(allThere);
      expect(outcome.refused).toBeLessThanOrEqual(2 * 4);
    },
  );

  test('some are killed: those that wait for their requests go on, no 429, no ban, each other one created', async () => {
    const outcome = await race({ ...small, kills: 6 });

    expect(outcome).toMatchObject({ ...allThere, refused: 0 });
  });

  test('the state folder is deleted midway: no ban, at most one 429 for it, all created', async () => {
    const outcome = await race({
      ...small,
      disturb([folder = '']) {
        setTimeout(() => {
          try {
            rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
          } catch {
            // It is filled again while it is emptied; all that was known is gone.
          }
        }, 1_500);
      },
    });

    expect(outcome).toMatchObject(allThere);
    expect(outcome.refused).toBeLessThanOrEqual(1);
  });
});
