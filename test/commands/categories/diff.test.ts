import { describe } from 'vitest';
import { put } from '../../support/import-cases.ts';
import { expect, reply, test, testKey } from '../../support/petstore.ts';
import { stateFiles } from '../../support/state-files.ts';
import { exact } from '../../support/values.ts';

const animal = (id: string, name: string, description?: string) => ({
  id: exact(id),
  name,
  ...(description !== undefined && { description }),
});
const there = [
  animal('9007199254740993', 'dog', 'Loyal'),
  animal('2', 'cat'),
  animal('-3', 'emu', 'Runs'),
  animal('4', 'fish', 'Swims'),
];
const file = 'name,description\nparrot,Talks\ncat,Purrs\ndog,Barks\nfish,Swims\nfish,\n';

describe('categories diff', () => {
  test('shows what an import would create, leave unchanged and not touch: exit 7, by one request', async ({
    petstore,
    sandbox,
    folder,
  }) => {
    sandbox.categories.push(...there);

    const result = await petstore(['categories', 'diff', put(folder, file)]);

    expect(result.stdout).toBe(
      [
        '+ parrot',
        '~ cat: no description in the service, "Purrs" in the file',
        '~ dog: "Loyal" in the service, "Barks" in the file',
        '- emu',
        '1 to create (+), 2 different (~), 1 only in the service (-), 1 the same (=)',
        '',
      ].join('\n'),
    );
    expect(result.exitCode).toBe(7);
    expect(result.stderr).toBe(
      [
        'petstore: 1 duplicate in the file',
        'petstore: line 6: "fish" is a duplicate of line 5 with a different description; line 5 is used',
        'rate limit: 59 of 60 left, resets in 1m (15:05:00Z)',
        '',
      ].join('\n'),
    );
    expect(sandbox.requests.map(({ method }) => method)).toEqual(['GET']);
  });

  test.for([
    ['all the same', 'name,description\ncat,\ndog,Loyal\nemu,Runs\nfish,\n', 0],
    ['fewer in the file', 'name,description\nfish,Swims\n', 3],
  ] as const)('%s: exit 0', async ([, text, left], { petstore, sandbox, folder }) => {
    sandbox.categories.push(...there);

    const { exitCode, stdout } = await petstore(['categories', 'diff', put(folder, text)]);

    expect(exitCode).toBe(0);
    expect(stdout.trimEnd().split('\n').at(-1)).toBe(
      `0 to create (+), 0 different (~), ${left} only in the service (-), ${4 - left} the same (=)`,
    );
  });

  test.for(['+', '~'])('%s alone: exit 7', async (sign, { petstore, sandbox, folder }) => {
    sandbox.categories.push(...there);
    const text = sign === '+' ? 'name\nowl\n' : 'name,description\ndog,Barks\n';

    const { exitCode, stdout } = await petstore(['categories', 'diff', put(folder, text)]);

    expect(exitCode).toBe(7);
    expect(stdout[0]).toBe(sign);
  });

  test('reads standard input', async ({ petstore, sandbox }) => {
    sandbox.categories.push(animal('1', 'dog'));
    const argv = ['categories', 'diff', '-', '--format', 'ndjson'];

    const { exitCode, stdout } = await petstore(argv, { stdin: '{"id":7,"name":"dog"}\n' });

    expect({ exitCode, stdout }).toEqual({
      exitCode: 0,
      stdout: '0 to create (+), 0 different (~), 0 only in the service (-), 1 the same (=)\n',
    });
  });

  test('is as JSON an object with every difference', async ({ petstore, sandbox, folder }) => {
    sandbox.categories.push(...there);
    const path = put(folder, file);

    const { exitCode, stdout } = await petstore(['categories', 'diff', path, '--json']);

    expect(exitCode).toBe(7);
    expect(JSON.parse(stdout.replaceAll(/(?<="id": )(-?\d+)/g, '"$1"'))).toEqual({
      file: path,
      rows: 5,
      counts: { create: 1, similar: 0, differs: 2, only_in_service: 1, existing: 1, repeated: 1 },
      items: [
        { change: 'create', line: 2, name: 'parrot', description: 'Talks' },
        { change: 'differs', line: 3, name: 'cat', id: '2', description: 'Purrs' },
        {
          change: 'differs',
          line: 4,
          name: 'dog',
          id: '9007199254740993',
          description: 'Barks',
          serviceDescription: 'Loyal',
        },
        { change: 'only_in_service', name: 'emu', id: '-3', serviceDescription: 'Runs' },
      ],
    });
  });

  test.for([
    [
      ['-o', 'csv'],
      [
        'change,line,name,id,description,serviceDescription',
        'create,2,parrot,,Talks,',
        'differs,3,cat,2,Purrs,',
        'differs,4,dog,9007199254740993,Barks,Loyal',
        'only_in_service,,emu,-3,,Runs',
      ],
    ],
    [
      ['-o', 'tsv', '--columns', 'change,name', '--no-header'],
      ['create\tparrot', 'differs\tcat', 'differs\tdog', 'only_in_service\temu'],
    ],
    [
      ['-o', 'ndjson', '--columns', 'id'],
      ['{}', '{"id":2}', '{"id":9007199254740993}', '{"id":-3}'],
    ],
  ] as const)(
    'is %j the differences alone',
    async ([argv, stdout], { petstore, sandbox, folder }) => {
      sandbox.categories.push(...there);

      const result = await petstore(['categories', 'diff', put(folder, file), ...argv]);

      expect(result).toMatchObject({ exitCode: 7, stdout: `${stdout.join('\n')}\n` });
    },
  );

  test('has colours on a terminal, and shows what would act there', async ({
    petstore,
    sandbox,
    folder,
  }) => {
    sandbox.categories.push(animal('1', 'a\u001b[2J\nb'), animal('2', 'dog', 'x'));
    const path = put(folder, 'name,description\nowl,\ndog,y\n');

    const { stdout } = await petstore(['categories', 'diff', path], { columns: 80 });

    expect(stdout.split('\n').slice(0, 3)).toEqual([
      '\u001b[32m+ owl\u001b[39m',
      '\u001b[33m~ dog: "x" in the service, "y" in the file\u001b[39m',
      '\u001b[31m- a\\u{1b}[2J\\u{a}b\u001b[39m',
    ]);
  });

  test('points out similar names', async ({ petstore, sandbox, folder }) => {
    sandbox.categories.push(animal('1', 'dog'));

    const { stdout, stderr } = await petstore(['categories', 'diff', put(folder, 'name\nDog\n')]);

    expect(stdout).toContain('+ Dog\n- dog\n');
    expect(stderr).toContain('line 2: "Dog" is similar to "dog", which already exists\n');
  });

  test('counts similar names as the plan of an import with --yes does', async ({
    petstore,
    sandbox,
    folder,
  }) => {
    sandbox.categories.push(animal('1', 'dog'));
    const path = put(folder, 'name\nDog\nowl\n');
    const counts = ['--query', 'counts.[create, similar]', '-o', 'json'];

    const plan = await petstore(['categories', 'import', path, '--dry-run', '--yes', ...counts]);
    const json = await petstore(['categories', 'diff', path, ...counts]);
    const table = await petstore(['categories', 'diff', path]);
    const changes = await petstore([
      'categories',
      'diff',
      path,
      '--query',
      'items[].change',
      '-o',
      'raw',
    ]);

    expect(JSON.parse(plan.stdout)).toEqual([1, 1]);
    expect(json).toMatchObject({ exitCode: 7, stdout: plan.stdout });
    expect(table.stdout).toContain('\n1 to create (+), 1 similar (+), 0 different (~), ');
    expect(changes.stdout).toBe('similar\ncreate\nonly_in_service\n');
  });

  test('similar names alone: exit 7', async ({ petstore, sandbox, folder }) => {
    sandbox.categories.push(animal('1', 'dog'));

    const { exitCode } = await petstore(['categories', 'diff', put(folder, 'name\nDog\n')]);

    expect(exitCode).toBe(7);
  });

  test('knows a category that exists more than once by the one that is the same', async ({
    petstore,
    sandbox,
    folder,
  }) => {
    sandbox.categories.push(animal('1', 'dog', 'a'), animal('2', 'dog', 'b'));

    const same = await petstore(['categories', 'diff', put(folder, 'name,description\ndog,b\n')]);
    const other = await petstore(['categories', 'diff', put(folder, 'name,description\ndog,c\n')]);

    expect(same).toMatchObject({ exitCode: 0 });
    expect(other.stdout).toContain('~ dog: "a" in the service, "c" in the file\n');
  });

  test('takes a list of any length', async ({ petstore, sandbox, folder }) => {
    const rows = Array.from({ length: 9_000 }, (_, id) => ({
      id,
      name: `n${id}`,
      description: 'x'.repeat(1_000),
    }));
    sandbox.react = () => reply(200, rows);

    const { stdout } = await petstore(['categories', 'diff', put(folder, 'name\nn7\n')]);

    expect(stdout.split('\n').slice(0, 2)).toEqual(['- n0', '- n1']);
    expect(stdout).toContain(
      '\n0 to create (+), 0 different (~), 8,999 only in the service (-), 1 the same (=)\n',
    );
  });

  test('leaves nothing of the file in the state folder', async ({ petstore, folder }) => {
    await petstore(['categories', 'diff', put(folder, file)]);

    for (const { text } of stateFiles(folder)) expect(text).not.toMatch(/pets\.csv|rabbit/);
  });

  test('cuts the key out', async ({ petstore, sandbox, folder }) => {
    sandbox.categories.push(animal('1', `a ${testKey}`));
    const path = put(folder, `name\nb ${testKey}\n`);

    const table = await petstore(['categories', 'diff', path]);
    const json = await petstore(['categories', 'diff', path, '--json']);

    expect(table.stdout).toContain('+ b [key]\n- a [key]\n');
    expect(table.stdout + json.stdout).not.toContain(testKey);
  });

  test.for([
    ['a fault in the file', 'name\n" "\n', [], ':2: name must not be blank'],
    ['an unknown column', file, ['--columns', 'as'], 'unknown column "as"'],
    [
      'a key on standard input too',
      file,
      ['-', '--api-key-file', '-', '--format', 'csv'],
      'cannot be both the file and the API key',
    ],
  ] as const)(
    'sends nothing with %s: exit 2',
    async ([, text, argv, says], { petstore, sandbox, folder }) => {
      const path = argv[0] === '-' ? [] : [put(folder, text)];

      const result = await petstore(['categories', 'diff', ...path, ...argv]);

      expect(result).toMatchObject({ exitCode: 2, stdout: '' });
      expect(result.stderr).toContain(says);
      expect(sandbox.requests).toHaveLength(0);
    },
  );

  test('prints nothing when the list cannot be had: exit 5', async ({
    petstore,
    sandbox,
    folder,
  }) => {
    const row = `{"id":1,"name":"${'x'.repeat(1_000)}"},`;
    sandbox.react = () => reply(200, `[${row.repeat(9_000)}{"id":`);

    const result = await petstore(['categories', 'diff', put(folder, file)]);

    expect(result).toMatchObject({ exitCode: 5, stdout: '' });
  });
});
