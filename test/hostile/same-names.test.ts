import { setTimeout } from 'node:timers/promises';
import { describe } from 'vitest';
import { test as base, expect } from '../support/program.ts';
import type { Service } from '../support/service.ts';
import { plans } from '../support/values.ts';

/** The responses of the service's lists take that long, in ms, and are old when they arrive. */
const listTakes = 500;

/** A service with the limit of Business, so that nothing but the hold makes anybody wait. */
const test = base.extend<{ service: Service }>({
  service: async ({ serve }, use) => {
    const service: Service = await serve({
      plan: plans.business,
      async react({ method }) {
        if (method !== 'GET') return 'respond';
        const list = service.state.categories.map(({ id, name }) => ({
          id: Number(id),
          name,
        }));
        await setTimeout(listTakes);
        return { status: 200, body: JSON.stringify(list) };
      },
    });
    await use(service);
  },
});

const times = <Result>(count: number, make: () => Result) => Array.from({ length: count }, make);
const create = ['categories', 'create', 'ferret', '--if-missing', '--json'];

describe('real processes that create the same names at the same time', () => {
  test('ten creates with --if-missing create one category', async ({ petstore, service }) => {
    await petstore(['categories', 'list'], { env: service.env });

    const results = await Promise.all(times(10, () => petstore(create, { env: service.env })));

    expect(results.map(({ code }) => code)).toEqual(times(10, () => 0));
    expect(service.state.categories.map(({ name }) => name)).toEqual(['ferret']);
  });

  test('ten creates with --if-missing create one category in the embedded sandbox', async ({
    petstore,
  }) => {
    const sandbox = ['--profile', 'sandbox'];
    const results = await Promise.all(times(10, () => petstore([...create, ...sandbox])));
    const { stdout } = await petstore(['categories', 'list', '--json', ...sandbox]);

    expect(results.map(({ code }) => code)).toEqual(times(10, () => 0));
    expect(JSON.parse(stdout).filter(({ name }: { name: string }) => name === 'ferret')).toEqual([
      expect.anything(),
    ]);
  });
});
