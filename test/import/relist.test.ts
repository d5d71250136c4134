import { describe } from 'vitest';
import { apply, countsOf, cutAfter, put, three } from '../support/import-cases.ts';
import { expect, test } from '../support/petstore.ts';
import { exact } from '../support/values.ts';

const pets = (count: number) =>
  ['name', ...Array.from({ length: count }, (_, n) => `pet ${n}`)].join('\n');
const foreign = (name: string) => ({ id: exact('9999'), name });

describe('what a list shows during an import', () => {
  test('is not created again when somebody else created it, and counts as existing', async ({
    petstore,
    sandbox,
    folder,
  }) => {
    sandbox.plan = { minute: { limit: 999, length: 60_000 }, day: { limit: 9_999, length: 9e6 } };
    let posts = 0;
    sandbox.react = ({ method }) => {
      if (method !== 'POST') return undefined;
      posts += 1;
      if (posts === 100) sandbox.categories.push(foreign('pet 199'));
      return posts % 4 === 0 ? cutAfter : undefined;
    };

    const result = await petstore(['categories', 'import', put(folder, pets(200)), ...apply]);

    expect(result.exitCode).toBe(0);
    expect(sandbox.categories.filter(({ name }) => name === 'pet 199')).toHaveLength(1);
    expect(countsOf(result.stdout)).toEqual({ created: 199, existing: 1 });
    expect(JSON.parse(result.stdout).items[199]).toEqual({
      line: 201,
      name: 'pet 199',
      outcome: 'existing',
      id: 9999,
    });
    expect(result.events()).toContainEqual({
      event: 'notice',
      message: '1 row now exists (created late or by another client); it is not created again',
    });
  });

  test('is looked at again after a long wait, before anything else is created', async ({
    petstore,
    sandbox,
    folder,
    clock,
  }) => {
    sandbox.plan = {
      minute: { limit: 60, length: 60_000 },
      day: { limit: 100, length: 1_800_000 },
    };
    const path = put(folder, pets(150));
    const night = clock.sleep(900_000, new AbortController().signal);
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
    sandbox.plan = { minute: { limit: 1, length: 600_000 }, day: { limit: 100, length: 9e7 } };
    const argv = ['categories', 'import', put(folder, three), '--max-wait', 'inf', ...apply];

    const result = await petstore(argv);

    expect(result.exitCode).toBe(0);
    expect(sandbox.categories).toHaveLength(3);
    expect(sandbox.requests.length).toBeLessThanOrEqual(8);
  });

  test('is named in the report of each run where it is a copy', async ({
    petstore,
    sandbox,
    folder,
  }) => {
    const argv = ['categories', 'import', put(folder, three), ...apply];
    sandbox.react = ({ body = '{}' }) => {
      if (JSON.parse(body).name === 'emu') sandbox.categories.push(foreign('emu'));
      return undefined;
    };

    const reports = [await petstore(argv), await petstore(argv)];

    for (const { stdout } of reports) {
      expect(JSON.parse(stdout).copies).toEqual([{ id: 9999, name: 'emu' }]);
    }
  });
});
