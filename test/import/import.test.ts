import { join } from 'node:path';
import { describe } from 'vitest';
import {
  apply,
  atTerminal,
  ledgerFiles,
  methods,
  patient,
  pets,
  test,
  three,
} from '../support/import-cases.ts';
import { expect, networkError, outputTo } from '../support/petstore.ts';
import { never, second } from '../support/told.ts';
import { category, interrupted, optionalFields } from '../support/values.ts';

const preview = ['--dry-run', '--json'];

describe('categories import', () => {
  test('creates each row once, between two lists', async ({ importText, sandbox, folder }) => {
    const { exitCode, json } = await importText(three);

    expect(exitCode).toBe(0);
    expect(json).toEqual({
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
    expect(sandbox.categories).toEqual([
      { id: 1, name: 'dog', description: 'Barks' },
      { id: 2, name: 'cat' },
      { id: 3, name: 'emu', description: 'Runs' },
    ]);
    expect(methods(sandbox)).toBe('GET POST POST POST GET');
  });

  test('says its plan, and its counts once', async ({ importText, sandbox }) => {
    sandbox.categories.push(category('7', 'dog', 'Bites'));

    const { stdout, stderr } = await importText(`${three}cat,\n`, ['-y']);
    const again = await importText('name\ncat\nemu\n', ['--yes']);

    const other = `there with another ${optionalFields.join(' or ')}`;
    expect(stdout).toBe(`created: 2\n${other}: 1\nrepeated in the file: 1\n`);
    expect(stderr).toContain(`petstore: 2 to create, 1 ${other}, 1 repeated in the file\n`);
    expect(stderr).not.toContain('created');
    expect(stderr.match(/^rate limit: /gm)).toHaveLength(1);
    expect(again.stderr.match(/^petstore: .*$/gm)).toEqual(['petstore: 2 already there']);
  });

  test.for([
    ['cannot be printed', 'ENOSPC', 74, /^petstore: 2 rows created; cannot write /m],
    [
      'have no reader',
      'EPIPE',
      141,
      /^petstore: 2 rows created; the result could not be printed$/m,
    ],
  ] as const)('whose results %s says what it created', async (row, { importText, sandbox }) => {
    const [, code, exitCode, says] = row;
    sandbox.categories.push(category('7', 'dog', 'Barks'));
    const stdout = outputTo(() => Promise.reject(networkError(code)));

    const result = await importText(three, ['--yes'], { context: { stdout } });

    expect([result.exitCode, sandbox.categories.length]).toEqual([exitCode, 3]);
    expect(result.stderr).toMatch(says);
    const again = await importText(three, ['--yes'], { context: { stdout } });
    expect([again.exitCode, again.stderr.includes('created')]).toEqual([exitCode, false]);
  });

  test('reports when the limit will let it end', async ({ importText, clock }) => {
    const ends: number[] = [];
    const stderr = outputTo(async (line) => {
      const { event, leftMs } = JSON.parse(line);
      if (event === 'progress' && leftMs !== undefined) ends.push(clock.now() + leftMs);
    });

    const flags = [...patient, ...apply];
    const { exitCode } = await importText(pets(200), flags, { context: { stderr } });

    expect(exitCode).toBe(0);
    expect(ends.length).toBeGreaterThan(1);
    for (const end of ends) expect(Math.abs(clock.now() - end)).toBeLessThan(10 * second);
  });

  test('whose list is an hour old lists again', async ({ importText, sandbox, clock }) => {
    sandbox.plan = {
      minute: { limit: 60, length: 60_000 },
      day: { limit: 15, length: 4_000 * second },
    };
    const meanwhile = clock.sleep(2_000 * second, never);
    void meanwhile.then(() => sandbox.categories.push(category('9999', 'pet 17')));

    const { exitCode, json } = await importText(pets(20), [...patient, ...apply]);

    expect([exitCode, json.counts]).toEqual([0, { created: 19, existing: 1 }]);
    expect(sandbox.categories).toHaveLength(20);
    expect(methods(sandbox).match(/GET/g)).toHaveLength(3);
  });
});

describe('the plan of an import', () => {
  test('is all that --dry-run does, even with --yes', async ({ importText, sandbox, folder }) => {
    sandbox.categories.push(category('9007199254740993', 'DOG'));

    const { exitCode, json } = await importText(three, [...preview, '--yes']);

    expect(exitCode).toBe(0);
    expect(json).toEqual([
      { change: 'similar', line: 2, name: 'dog', looksLike: 'DOG', description: 'Barks' },
      { change: 'create', line: 3, name: 'cat' },
      { change: 'create', line: 4, name: 'emu', description: 'Runs' },
    ]);
    expect([methods(sandbox), ledgerFiles(folder)]).toEqual(['GET', []]);
  });

  test('has words for one and for several', async ({ importText, sandbox }) => {
    sandbox.categories.push(category('7', 'dog', 'Barks'), category('8', 'cat'));
    sandbox.categories.push(category('9', 'EMU'));

    const { stderr } = await importText(`${three}ant,\nant,Bites\nant,\n`, ['--dry-run']);

    expect(stderr.split('\n').slice(0, 4)).toEqual([
      'petstore: 1 to create, 2 already there, 1 similar to another name, 2 repeated in the file',
      'petstore: 3 requests: less than a minute at 60 per minute',
      'petstore: line 4: "emu" is similar to "EMU", which already exists; it is refused',
      expect.stringMatching(
        /: line 6: "ant" is a duplicate of line 5 with a different .*; line 5 is used$/,
      ),
    ]);
  });

  test.for([7, 20])(
    'counts its requests, where %i of 20 exist',
    async (existing, { importText, sandbox }) => {
      for (let id = 0; id < existing; id += 1) {
        sandbox.categories.push(category(`${id + 1}`, `pet ${id}`));
      }
      sandbox.lastId = 100n;

      const { exitCode, stderr } = await importText(pets(20), ['--yes']);

      const said = /^petstore: (\d+) requests/m.exec(stderr)?.[1] ?? '1';
      expect([exitCode, `${sandbox.requests.length}`]).toEqual([0, said]);
    },
  );
});

describe('the question of an import', () => {
  const yes = async () => true;

  test.for([
    ['without a terminal', [], {}],
    ['with --quiet', ['--quiet'], atTerminal(yes)],
    ['with --no-input', ['--no-input'], atTerminal(yes)],
    ['in CI', [], { ...atTerminal(yes), env: { CI: 'true' } }],
  ] as const)('cannot be asked %s', async (row, { importText, petstore, sandbox }) => {
    const [, flags, options] = row;
    const { exitCode, stdout, stderr } = await importText(three, flags, options);

    expect([exitCode, stdout, sandbox.requests.length]).toEqual([2, '', 0]);
    expect(stderr).toContain('confirmation needed, but petstore cannot ask here');
    const [, look = ''] = /Add --yes, or look first\. Run: petstore (.*)/.exec(stderr) ?? [];
    expect(await petstore(look)).toMatchObject({ exitCode: 0 });
  });

  test.for<[string, () => Promise<boolean>, exitCode: number, says: string]>([
    ['the answer is no', async () => false, 2, 'petstore: cancelled\n'],
    ['Ctrl-C comes', () => Promise.reject(interrupted(130)), 130, 'petstore: interrupted\n'],
  ])('ends it when %s', async ([, answer, exitCode, says], { importText, sandbox, folder }) => {
    const result = await importText(three, ['--no-color'], atTerminal(answer));

    expect(result).toMatchObject({ exitCode, stdout: '' });
    expect(result.stderr).toContain(`${says}Nothing was created.\n`);
    expect([methods(sandbox), ledgerFiles(folder)]).toEqual(['GET', []]);
  });
});
