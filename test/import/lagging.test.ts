import { describe } from 'vitest';
import type { Clock } from '../support/clock.ts';
import { apply, test as base, countsOf, methods, three } from '../support/import-cases.ts';
import { expect, reply } from '../support/petstore.ts';
import { expectTold } from '../support/told.ts';
import type { Category } from '../support/values.ts';

type Lag = (ms: number) => void;

/** The service's list shows what was created no sooner than so many ms later. */
const test = base.extend<{ lag: Lag }>({
  lag: async ({ sandbox, clock }, use) => {
    await use((ms) => {
      const createdAt = new Map<Category, number>();
      sandbox.react = ({ method }) => {
        for (const category of sandbox.categories) {
          if (!createdAt.has(category)) createdAt.set(category, clock.uptime());
        }
        return method === 'GET' ? reply(200, shown(clock, createdAt, ms)) : undefined;
      };
    });
  },
});

function shown(clock: Clock, createdAt: ReadonlyMap<Category, number>, ms: number) {
  return [...createdAt]
    .filter(([, at]) => clock.uptime() - at >= ms)
    .map(([{ id, ...rest }]) => ({ id: Number(id.text), ...rest }));
}

describe('a list that shows late what was created', () => {
  test.for([9_000, 45_000])(
    'is asked for until --settle is over: %i ms late',
    async (ms, { importText, sandbox, lag }) => {
      lag(ms);

      const { exitCode, stdout } = await importText(three);

      expect(exitCode).toBe(0);
      expect(countsOf(stdout)).toEqual({ created: 3 });
      expect(methods(sandbox).match(/GET/g)?.length).toBeLessThan(10);
    },
  );

  test('is asked for no longer than --settle', async ({ importText, clock, lag }) => {
    lag(Number.POSITIVE_INFINITY);
    const start = clock.uptime();

    const { exitCode } = await importText(three, ['--settle', '20s', ...apply]);

    expect(exitCode).toBe(5);
    expectTold(clock.uptime() - start, 20);
  });
});
