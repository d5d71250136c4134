import { join } from 'node:path';
import { describe } from 'vitest';
import {
  apply,
  atTerminal,
  countsOf,
  ledgerFiles,
  methods,
  namesIn,
  pets,
  put,
  reactTo,
  test,
  three,
} from '../support/import-cases.ts';
import { expect, networkError, outputTo, reply } from '../support/petstore.ts';
import { respondAfter } from '../support/told.ts';
import { exact, interrupted } from '../support/values.ts';

const preview = ['--dry-run', '--json'];

describe('categories import', () => {
  test('creates each row once, between two lists', async ({ importText, sandbox, folder }) => {
    const { exitCode, stdout } = await importText(three);

    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      file: join(folder, 'pets.csv'),
      rows: 3,
      counts: { created: 3 },
      copies: [],
      items: [
        { line: 2, name: 'dog', outcome: 'created', id: 1 },
        { line: 3, name: 'cat', outcome: 'created', id: 2 },
        { line: 4, name: 'emu', outcome: 'created', id: 3 },
      ],
    });
    expect(sandbox.categories.map(({ name, description }) => [name, description])).toEqual([
      ['dog', 'Barks'],
      ['cat', undefined],
      ['emu', 'Runs'],
    ]);
    expect(methods(sandbox)).toBe('GET POST POST POST GET');
  });

  test('says its plan, its counts and its time', async ({ importText, sandbox, clock }) => {
    sandbox.categories.push({ id: exact('7'), name: 'dog', description: 'Bites' });
    sandbox.react = () => respondAfter(clock, 2_000);

    const { stdout, stderr } = await importText(`${three}cat,\n`, ['-y']);
    const again = await importText('name\ncat\nemu\n', ['--yes']);

    const others = '1 exists with a different description, 1 duplicate in the file';
    expect(stdout).toBe(
      'created: 2\nexists with a different description: 1\nduplicate in the file: 1\n',
    );
    expect(stderr).toContain(`petstore: 2 to create, ${others}\n`);
    expect(stderr).toMatch(new RegExp(`^petstore: 2 created in [45]s, ${others}$`, 'm'));
    expect(again.stderr.match(/^petstore: .*$/gm)).toEqual(['petstore: 2 already exist']);
  });

  test('sends nothing the second time', async ({ petstore, importText, sandbox, folder }) => {
    await importText(three);
    sandbox.requests.length = 0;

    const again = await importText(three);
    const moved = put(folder, three, 'moved.csv');
    const last = await petstore(['categories', 'import', moved, ...apply]);

    for (const { exitCode, stdout } of [again, last]) {
      expect(exitCode).toBe(0);
      expect(countsOf(stdout)).toEqual({ existing: 3 });
    }
    expect(methods(sandbox)).toBe('GET GET');
  });

  test.for([
    ['cannot be printed', 'ENOSPC', 74, /^The import finished: 2 rows created\.$/m],
    ['have no reader', 'EPIPE', 141, /2 created in \ds, 1 already exists/],
  ] as const)(
    'says what was created when its results %s',
    async ([, code, exitCode, says], { importText, sandbox }) => {
      sandbox.categories.push({ id: exact('7'), name: 'dog', description: 'Barks' });
      const write = () => Promise.reject(networkError(code));
      const stdout = outputTo(write);

      const result = await importText(three, ['--yes'], { context: { stdout } });

      expect(result.exitCode).toBe(exitCode);
      expect(result.stderr).toMatch(says);
      expect(sandbox.categories).toHaveLength(3);
    },
  );

  test('creates each row at each service', async ({ importText, sandbox }) => {
    await importText(three);
    const elsewhere = sandbox.categories.splice(0);

    const env = { PETSTORE_BASE_URL: 'http://127.0.0.1:4011/v1' };
    const { exitCode, stdout } = await importText(three, apply, { env });

    expect(exitCode).toBe(0);
    expect(countsOf(stdout)).toEqual({ created: 3 });
    expect(namesIn({ categories: elsewhere })).toEqual(['cat', 'dog', 'emu']);
    expect(namesIn(sandbox)).toEqual(['cat', 'dog', 'emu']);
  });
});

test('the progress of an import says when the limit lets it end', async ({ importText, clock }) => {
  const ends: number[] = [];
  const stderr = outputTo(async (line) => {
    const { event, leftMs } = JSON.parse(line);
    if (event === 'progress' && leftMs !== undefined) ends.push(clock.now() + leftMs);
  });

  const flags = ['--max-wait', 'inf', ...apply];
  const { exitCode } = await importText(pets(200), flags, { context: { stderr } });

  expect(exitCode).toBe(0);
  expect(ends.length).toBeGreaterThan(1);
  for (const end of ends) expect(Math.abs(clock.now() - end)).toBeLessThan(10_000);
});

describe('the plan of an import', () => {
  test('is all that --dry-run does, even with --yes', async ({ importText, sandbox, folder }) => {
    sandbox.categories.push({ id: exact('9007199254740993'), name: 'DOG' });

    const { exitCode, stdout } = await importText(three, [...preview, '--yes']);

    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      file: join(folder, 'pets.csv'),
      rows: 3,
      counts: { similar: 1, create: 2 },
      requests: 4,
      forecastMs: 0,
      items: [
        { line: 2, name: 'dog', intention: 'similar', looksLike: 'DOG' },
        { line: 3, name: 'cat', intention: 'create' },
        { line: 4, name: 'emu', intention: 'create' },
      ],
    });
    expect(methods(sandbox)).toBe('GET');
    expect(ledgerFiles(folder)).toEqual([]);
  });

  test('has what an unfinished import has left', async ({ importText, sandbox }) => {
    sandbox.react = reactTo('emu', reply(401, ''));
    await importText(three);
    sandbox.requests.length = 0;

    const { exitCode, stdout } = await importText(three, preview);

    expect(exitCode).toBe(0);
    expect(countsOf(stdout)).toEqual({ create: 1, existing: 2 });
    expect(methods(sandbox)).toBe('GET');
  });

  test('has words for one and for several', async ({ importText, sandbox }) => {
    sandbox.categories.push(
      { id: exact('7'), name: 'dog', description: 'Barks' },
      { id: exact('8'), name: 'cat' },
      { id: exact('9'), name: 'EMU' },
    );

    const { stderr } = await importText(`${three}ant,\nant,Bites\nant,\n`, ['--dry-run']);

    expect(stderr.split('\n').slice(0, 4)).toEqual([
      'petstore: 1 to create, 2 already exist, 1 similar to another name, 2 duplicates in the file',
      'petstore: 3 requests: less than a minute at 60 per minute',
      'petstore: line 4: "emu" is similar to "EMU", which already exists',
      'petstore: line 6: "ant" is a duplicate of line 5 with a different description; line 5 is used',
    ]);
  });

  test.for([
    ['where some names exist', 20, 7],
    ['where all names exist', 20, 20],
  ] as const)('counts its requests, %s', async (row, { importText, sandbox }) => {
    const [, rows, existing] = row;
    for (let id = 0; id < existing; id += 1) {
      sandbox.categories.push({ id: exact(`${id + 1}`), name: `pet ${id}` });
    }
    sandbox.lastId = 100n;

    const { requests } = JSON.parse((await importText(pets(rows), preview)).stdout);
    sandbox.requests.length = 0;
    const { exitCode, stderr } = await importText(pets(rows), ['--yes']);

    expect(exitCode).toBe(0);
    expect(sandbox.requests).toHaveLength(requests);
    const told = stderr.match(/^petstore: ([\d,]+) requests/m)?.[1];
    if (existing < rows) expect(Number(told)).toBe(requests);
  });
});

describe('the question of an import', () => {
  const yes = async () => true;

  test.for([
    ['this is not a terminal', [], {}],
    ['the plan is hidden by --quiet', ['--quiet'], atTerminal(yes)],
    ['--no-input is set', ['--no-input'], atTerminal(yes)],
    ['CI is set', [], { ...atTerminal(yes), env: { CI: 'true' } }],
  ] as const)('cannot be asked: %s', async ([why, flags, options], { importText, sandbox }) => {
    const { exitCode, stdout, stderr } = await importText(three, flags, options);

    expect([exitCode, stdout, sandbox.requests.length]).toEqual([2, '', 0]);
    expect(stderr).toContain(`confirmation needed, but ${why} (use --yes)`);
  });

  test('cannot be asked where the file is standard input', async ({ petstore, sandbox }) => {
    const argv = ['categories', 'import', '-', '--format', 'csv'];

    expect(await petstore(argv, atTerminal(yes, three))).toMatchObject({ exitCode: 2, stdout: '' });
    expect(sandbox.requests).toHaveLength(0);
  });

  const no = () => Promise.resolve(false);
  const ctrlC = (): Promise<boolean> => Promise.reject(interrupted(130));
  test.for([
    [2, 'the answer is no', no, 'petstore: cancelled\n'],
    [130, 'Ctrl-C comes', ctrlC, 'petstore: interrupted\n'],
  ] as const)('exits with %i when %s', async (row, { importText, sandbox, folder }) => {
    const [exitCode, , answer, says] = row;

    const result = await importText(three, ['--no-color'], atTerminal(answer));

    expect(result).toMatchObject({ exitCode, stdout: '' });
    expect(result.stderr).toContain(`${says}Nothing was created.\n`);
    expect(methods(sandbox)).toBe('GET');
    expect(ledgerFiles(folder)).toEqual([]);
  });

  test('answered with no, tells what earlier runs did', async ({ importText, sandbox }) => {
    sandbox.react = reactTo('emu', reply(401, ''));
    await importText(three);

    const result = await importText(three, ['--no-color'], atTerminal(no));

    expect(result.exitCode).toBe(2);
    expect(result.stderr).toMatch(/^petstore: 1 to create, 2 already exist\n/);
    expect(result.stderr).toContain('petstore: cancelled\nNothing was created.\n');
  });
});
