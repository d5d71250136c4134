import { describe } from 'vitest';
import { creates, cutAfter, cutBefore, test, three } from '../support/import-cases.ts';
import { expect, reply } from '../support/petstore.ts';

const isOld = 'a cache between you and the service answered with a list that is 41s old';
const cached = () => reply(200, [{ id: 7, name: 'dog' }], { age: '41' });
const csv = '- --format csv --json';
const ifMissing = 'categories create emu --if-missing --json';
const importEmu = `categories import ${csv} --yes`;

describe('a list out of a cache that does not ask the service', () => {
  test.for([
    [importEmu, 5],
    [ifMissing, 5],
    ['categories list --json', 0],
    ['categories get dog --json', 0],
    [`categories diff ${csv}`, 7],
    [`categories import ${csv} --dry-run`, 0],
  ] as const)('is shown, and proves nothing: %s', async ([line, code], { petstore, sandbox }) => {
    sandbox.react = cached;

    const { exitCode, stdout, events } = await petstore(line, { stdin: three });

    expect([exitCode, stdout === '', creates(sandbox)]).toEqual([code, code === 5, []]);
    expect(events()).toContainEqual(expect.objectContaining({ message: isOld }));
  });

  test.for([
    ['a list that came from the service just now', '0'],
    ['an age that is no number', 'old'],
  ])('is not seen in %s', async ([, age = ''], { petstore, sandbox }) => {
    sandbox.react = ({ method }) => (method === 'GET' ? reply(200, [], { age }) : undefined);

    expect((await petstore(ifMissing)).exitCode).toBe(0);
  });

  test.for(['categories create emu --json', ifMissing, importEmu])(
    'leaves an outcome unknown: %s',
    async (line, { petstore, sandbox }) => {
      sandbox.react = ({ method }) =>
        method === 'POST' ? cutAfter : creates(sandbox).length > 0 ? cached() : undefined;

      const { exitCode, events } = await petstore(line, { stdin: 'name\nemu' });

      expect([exitCode, creates(sandbox)]).toEqual([6, ['emu']]);
      expect(events().at(-1)).toMatchObject({
        outcome: 'unknown',
        message: expect.stringContaining(isOld),
      });
    },
  );
});

// nginx says no age: only what a list lacks betrays it.
test.for([importEmu, ifMissing])(
  'a list that lacks what an earlier one of the run had is no proof: %s',
  async (line, { petstore, sandbox }) => {
    const lists: unknown[] = [[{ id: 7, name: 'dog' }]];
    sandbox.react = ({ method }) =>
      method === 'POST' ? cutBefore : reply(200, lists.shift() ?? []);

    const { exitCode, events } = await petstore(line, { stdin: 'name\ndog\nemu' });

    expect([exitCode, creates(sandbox)]).toEqual([6, ['emu']]);
    expect(events().at(-1)).toMatchObject({
      outcome: 'unknown',
      message: expect.stringContaining('the list is out of date: it lacks "dog"'),
    });
  },
);
