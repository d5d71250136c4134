import { describe, expect, test } from 'vitest';
import { race } from '../bench/race.ts';

/** The bars of the full races in test/bench, with a window of three seconds. */
const plan = {
  minute: { limit: 20, length: 3_000 },
  day: { limit: 10_000, length: 86_400_000 },
};
const clean = { refused: 0, bans: 0, lost: 0, duplicated: 0, failures: [] };

describe('many processes on one key', () => {
  test('50 creates by 10 loops, a new process each: no 429, none lost, none twice', async () => {
    expect(await race({ plan, creates: 50, loops: 10 })).toMatchObject({ ...clean, requests: 50 });
  });
});
