import { rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { describe } from 'vitest';
import { expect, test } from '../support/program.ts';
import { seed } from '../support/random.ts';
import { plans } from '../support/values.ts';
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

  test('the state folder is deleted midway: no ban, at most one 429 for it, all created', async () => {
    const outcome = await race({
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

describe('ten creates of one name with --if-missing at the same time create one category', () => {
  const create = ['categories', 'create', 'ferret', '--if-missing', '--json'];
  const ten = <Result>(make: () => Result) => Array.from({ length: 10 }, make);

  test('at a service whose lists are half a second old', async ({ petstore, serve }) => {
    const service = await serve({
      plan: plans.business,
      async react({ method }) {
        if (method !== 'GET') return 'respond';
        const list = service.state.categories.map(({ id, name }) => ({ id: Number(id), name }));
        await pause(500);
        return { status: 200, body: JSON.stringify(list) };
      },
    });

    const ends = await Promise.all(ten(() => petstore(create, { env: service.env })));

    expect(ends.map(({ code }) => code)).toEqual(ten(() => 0));
    expect(service.state.categories.map(({ name }) => name)).toEqual(['ferret']);
  });

  test('in the embedded sandbox', async ({ petstore }) => {
    const sandbox = ['--profile', 'sandbox'];
    const ends = await Promise.all(ten(() => petstore([...create, ...sandbox])));
    const { stdout } = await petstore(['categories', 'list', '--json', ...sandbox]);

    expect(ends.map(({ code }) => code)).toEqual(ten(() => 0));
    expect(stdout.match(/ferret/g)).toHaveLength(1);
  });
});
