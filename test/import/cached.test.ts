import { describe } from 'vitest';
import { creates, cutAfter, cutBefore, pets, test, three } from '../support/import-cases.ts';
import { expect, type Reaction, reply } from '../support/petstore.ts';

const isOld = 'a cache between you and the service answered with a list that is 41s old';
const cached = () => reply(200, [{ id: 7, name: 'dog' }], { age: '41' });
const rows = ['-', '--format', 'csv'];
const ifMissing = ['categories', 'create', 'emu', '--if-missing', '--json'];

describe('a list out of a cache that does not ask the service', () => {
  test.for([
    ['import', ['categories', 'import', ...rows, '--yes', '--json']],
    ['create --if-missing', ifMissing],
  ] as const)('is refused by %s', async ([, argv], { petstore, sandbox }) => {
    sandbox.react = cached;

    const { exitCode, stdout, events } = await petstore(argv, { stdin: three });

    expect([exitCode, stdout]).toEqual([5, '']);
    expect(events().at(-1)).toMatchObject({ message: isOld, kind: 'service' });
    expect(creates(sandbox)).toEqual([]);
  });

  test.for([
    ['list', ['categories', 'list', '--json'], 0],
    ['get', ['categories', 'get', 'dog', '--json'], 0],
    ['diff', ['categories', 'diff', ...rows, '--json'], 7],
    ['import --dry-run', ['categories', 'import', ...rows, '--dry-run', '--json'], 0],
  ] as const)('is shown by %s', async ([, argv, code], { petstore, sandbox }) => {
    sandbox.react = cached;

    const { exitCode, stdout, events } = await petstore(argv, { stdin: three });

    expect(exitCode).toBe(code);
    expect(stdout).not.toBe('');
    expect(events()).toContainEqual({ event: 'notice', message: isOld });
  });

  test.for([
    ['a list that came from the service just now', '0'],
    ['an age that is no number', 'old'],
  ])('is not seen in %s', async ([, age = ''], { petstore, sandbox }) => {
    sandbox.react = ({ method }) => (method === 'GET' ? reply(200, [], { age }) : undefined);

    expect((await petstore(ifMissing)).exitCode).toBe(0);
  });

  test.for([
    ['create', ['categories', 'create', 'emu', '--json']],
    ['create --if-missing', ifMissing],
  ] as const)('leaves the outcome of %s unknown', async ([, argv], { petstore, sandbox }) => {
    sandbox.react = ({ method }) =>
      method === 'POST' ? cutAfter : creates(sandbox).length > 0 ? cached() : undefined;

    const { exitCode, events } = await petstore(argv);

    expect(exitCode).toBe(6);
    expect(events().at(-1)).toMatchObject({
      outcome: 'unknown',
      message: `127.0.0.1:4010 closed the connection; ${isOld}`,
    });
    expect(creates(sandbox)).toHaveLength(1);
  });

  test('creates no row of an import twice', async ({ importText, sandbox }) => {
    sandbox.react = ({ method }) =>
      method === 'POST' ? cutAfter : creates(sandbox).length > 0 ? cached() : undefined;

    const { exitCode } = await importText(pets(1));

    expect(exitCode).toBe(6);
    expect(creates(sandbox)).toHaveLength(1);
  });
});

/** nginx says no age: only what a list lacks betrays it. */
describe('a list that lacks what an earlier one of the same run had', () => {
  /** The second list lacks dog, and nothing is created. */
  const losesDog = (): ((request: { method: string }) => Reaction) => {
    const lists: unknown[] = [[{ id: 7, name: 'dog' }]];
    return ({ method }) => (method === 'POST' ? cutBefore : reply(200, lists.shift() ?? []));
  };

  test('is no proof that an import did not create a row', async ({ importText, sandbox }) => {
    sandbox.react = losesDog();

    const { exitCode, stderr } = await importText('name\ndog\nemu');

    expect(exitCode).toBe(6);
    expect(stderr).toContain('the list is out of date: it lacks \\"dog\\"');
    expect(creates(sandbox)).toEqual(['emu']);
  });

  test('is no proof that create --if-missing created nothing', async ({ petstore, sandbox }) => {
    sandbox.react = losesDog();

    const { exitCode, events } = await petstore(ifMissing);

    expect(exitCode).toBe(6);
    expect(events().at(-1)).toMatchObject({
      outcome: 'unknown',
      message: '127.0.0.1:4010 closed the connection; the list is out of date: it lacks "dog"',
    });
  });
});
