import { describe } from 'vitest';
import { apply, countsOf, put, three } from '../support/import-cases.ts';
import { expect, test } from '../support/petstore.ts';
import { exact } from '../support/values.ts';

const pets = (count: number) =>
  ['name', ...Array.from({ length: count }, (_, n) => `pet ${n}`)].join('\n');
const foreign = (name: string) => ({ id: exact('9999'), name });

describe('what a list shows during an import', () => {
  test('is looked at again after a long wait, before anything else is created', async ({
    petstore,
    sandbox,
    folder,
    clock,
  }) => {
    sandbox.plan = {
      minute: { limit: 60, length: 60_000 },
      day: { limit: 100, length: 36_000_000 },
    };
    const path = put(folder, pets(150));
    const night = clock.sleep(18_000_000, new AbortController().signal);
    void night.then(() => sandbox.categories.push(foreign('pet 120')));

    const result = await petstore(['categories', 'import', path, '--max-wait', 'inf', ...apply]);

    expect(result.exitCode).toBe(0);
    expect(countsOf(result.stdout)).toEqual({ created: 149, existing: 1 });
    expect(sandbox.categories).toHaveLength(150);
    const lists = sandbox.requests.filter(({ method }) => method === 'GET');
    expect(lists).toHaveLength(3);
  });

  test('is not asked for again and again where the limit makes each request wait for long', async ({
    petstore,
    sandbox,
    folder,
  }) => {
    sandbox.plan = { minute: { limit: 1, length: 4_000_000 }, day: { limit: 100, length: 9e7 } };
    const argv = ['categories', 'import', put(folder, three), '--max-wait', 'inf', ...apply];

    const result = await petstore(argv);

    expect(result.exitCode).toBe(0);
    expect(sandbox.categories).toHaveLength(3);
    expect(sandbox.requests.length).toBeLessThanOrEqual(8);
  });
});
