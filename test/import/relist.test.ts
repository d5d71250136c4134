import { category } from '../support/categories.ts';
import { apply, countsOf, methods, pets, test } from '../support/import-cases.ts';
import { expect } from '../support/petstore.ts';

const patient = ['--max-wait', 'inf', ...apply];

test('an import whose list is an hour old lists again', async ({ importText, sandbox, clock }) => {
  sandbox.plan = {
    minute: { limit: 60, length: 60_000 },
    day: { limit: 100, length: 4_000_000 },
  };
  const meanwhile = clock.sleep(2_000_000, new AbortController().signal);
  void meanwhile.then(() => sandbox.categories.push(category('9999', 'pet 120')));

  const { exitCode, stdout } = await importText(pets(150), patient);

  expect(exitCode).toBe(0);
  expect(countsOf(stdout)).toEqual({ created: 149, existing: 1 });
  expect(sandbox.categories).toHaveLength(150);
  expect(methods(sandbox).match(/GET/g)).toHaveLength(3);
});
