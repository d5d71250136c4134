import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { expect, reply, test, testKey } from '../../support/petstore.ts';
import { exact, interrupted } from '../../support/values.ts';

const animal = (id: string, name: string, description?: string) => ({
  id: exact(id),
  name,
  ...(description !== undefined && { description }),
});
const some = [
  animal('1', 'dog', 'Loyal,\n"loud"'),
  animal('9007199254740993', 'cat'),
  animal('-1', 'a\tb\u001b', ''),
];

/** Nothing but these files, and nothing half written, is in the folder of the exports. */
function filesIn(folder: string): readonly string[] {
  return readdirSync(join(folder, 'out')).sort();
}

const withOut = test.extend<{ out: (name: string) => string }>({
  out: async ({ folder }, use) => {
    mkdirSync(join(folder, 'out'));
    await use((name) => join(folder, 'out', name));
  },
});

describe('categories export to a file', () => {
  withOut.for([
    ['pets.csv', 'csv'],
    ['pets.TSV', 'tsv'],
    ['pets.json', 'json'],
    ['pets.ndjson', 'ndjson'],
    ['pets.jsonl', 'ndjson'],
    ['pets.yaml', 'yaml'],
    ['a.b.yml', 'yaml'],
  ] as const)(
    'writes %s in the bytes of list -o %s, by one request',
    async ([name, format], { petstore, sandbox, out, folder }) => {
      sandbox.categories.push(...some);
      const list = await petstore(['categories', 'list', '-o', format]);
      sandbox.requests.length = 0;

      const result = await petstore(['categories', 'export', out(name)]);

      expect(result).toMatchObject({ exitCode: 0, stdout: '' });
      expect(result.stderr.split('\n')[0]).toBe(`petstore: exported 3 categories to ${out(name)}`);
      expect(readFileSync(out(name), 'utf8')).toBe(list.stdout);
      expect(filesIn(folder)).toEqual([name]);
      expect(sandbox.requests.map(({ method }) => method)).toEqual(['GET']);
    },
  );

  withOut.for([
    { argv: ['-o', 'csv'], env: {} },
    { argv: [], env: { PETSTORE_OUTPUT: 'yaml' } },
  ])(
    'the extension counts more than settings that are about what is printed: $argv $env',
    async ({ argv, env }, { petstore, sandbox, out }) => {
      sandbox.categories.push(...some);
      const list = await petstore(['categories', 'list', '-o', 'csv']);

      const result = await petstore(['categories', 'export', out('pets.csv'), ...argv], { env });

      expect(result).toMatchObject({ exitCode: 0, stdout: '' });
      expect(readFileSync(out('pets.csv'), 'utf8')).toBe(list.stdout);
    },
  );

  withOut('counts no categories where --query picks from them', async ({ petstore, out }) => {
    const file = out('first.json');

    const { stderr } = await petstore(['categories', 'export', file, '--query', '[0]']);
    const again = await petstore([
      'categories',
      'export',
      file,
      '--query',
      '[0]',
      '--force',
      '--json',
    ]);

    expect(stderr).toContain(`petstore: exported the result of --query to ${file}\n`);
    expect(again.events()[0]).toEqual({
      event: 'notice',
      message: `exported the result of --query to ${file}`,
      export: { file, format: 'json' },
    });
  });

  withOut('says as JSON what was exported where', async ({ petstore, sandbox, out }) => {
    sandbox.categories.push(animal('1', 'dog'));
    const file = out('pets.json');

    const { stdout, events } = await petstore(['categories', 'export', file, '--json']);

    expect(stdout).toBe('');
    expect(events()[0]).toEqual({
      event: 'notice',
      message: `exported 1 category to ${file}`,
      export: { file, format: 'json', categories: 1 },
    });
  });

  withOut(
    'is quiet when asked, and has columns and header as asked',
    async ({ petstore, sandbox, out }) => {
      sandbox.categories.push(animal('1', 'dog', 'Loyal'));
      const argv = ['--columns', 'name,description', '--no-header', '--quiet'];

      const result = await petstore(['categories', 'export', out('pets.csv'), ...argv]);

      expect(result).toMatchObject({ exitCode: 0, stdout: '', stderr: '' });
      expect(readFileSync(out('pets.csv'), 'utf8')).toBe('dog,Loyal\n');
    },
  );

  withOut('has no fields that an import does not know', async ({ petstore, sandbox, out }) => {
    sandbox.reactions.push(reply(200, '[{"legs":4,"id":1,"name":"dog"}]'));

    await petstore(['categories', 'export', out('pets.ndjson')]);

    expect(readFileSync(out('pets.ndjson'), 'utf8')).toBe('{"id":1,"name":"dog"}\n');
  });

  withOut('cuts the key out of what it writes', async ({ petstore, sandbox, out }) => {
    sandbox.categories.push(animal('1', `dog ${testKey}`));

    await petstore(['categories', 'export', out('pets.csv')]);

    expect(readFileSync(out('pets.csv'), 'utf8')).toContain('dog [key]');
  });

  withOut.for(['csv', 'json'] as const)(
    'streams a long list into %s as it would print it',
    async (format, { petstore, sandbox, out }) => {
      const description = 'x'.repeat(1_000);
      const rows = Array.from({ length: 9_000 }, (_, id) => ({
        id,
        name: `n${id}`,
        description,
      }));
      sandbox.react = () => reply(200, rows);
      const list = await petstore(['categories', 'list', '-o', format]);

      const { stderr } = await petstore(['categories', 'export', out('pets'), '-o', format]);

      expect(stderr).toContain('exported 9,000 categories');
      expect(readFileSync(out('pets'), 'utf8') === list.stdout).toBe(true);
    },
  );

  withOut('has the mode of any new file', async ({ petstore, out }) => {
    writeFileSync(out('other'), '');

    await petstore(['categories', 'export', out('pets.csv')]);

    expect(statSync(out('pets.csv')).mode).toBe(statSync(out('other')).mode);
  });
});

describe('a file that already exists', () => {
  withOut('is refused before anything is sent', async ({ petstore, sandbox, out, folder }) => {
    writeFileSync(out('pets.csv'), 'mine');

    const result = await petstore(['categories', 'export', out('pets.csv')]);

    expect(result).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: `petstore: ${out('pets.csv')} already exists; --force replaces it\nNothing was sent.\n`,
    });
    expect(sandbox.requests).toHaveLength(0);
    expect(readFileSync(out('pets.csv'), 'utf8')).toBe('mine');
    expect(filesIn(folder)).toEqual(['pets.csv']);
  });

  withOut(
    'is replaced whole with --force, and keeps its mode',
    async ({ petstore, sandbox, out, folder }) => {
      sandbox.categories.push(animal('1', 'dog'));
      writeFileSync(out('pets.csv'), 'mine'.repeat(1_000));
      chmodSync(out('pets.csv'), 0o640);
      linkSync(out('pets.csv'), join(folder, 'before'));

      const { exitCode } = await petstore(['categories', 'export', out('pets.csv'), '--force']);

      expect(exitCode).toBe(0);
      expect(readFileSync(out('pets.csv'), 'utf8')).toBe('id,name,description\n1,dog,\n');
      expect(statSync(out('pets.csv')).mode & 0o777).toBe(0o640);
      expect(readFileSync(join(folder, 'before'), 'utf8')).toBe('mine'.repeat(1_000));
      expect(filesIn(folder)).toEqual(['pets.csv']);
    },
  );

  withOut(
    'is replaced where a link leads to it, and the link stays',
    async ({ petstore, out, folder }) => {
      writeFileSync(join(folder, 'real.csv'), 'mine');
      symlinkSync(join(folder, 'real.csv'), out('pets.csv'));

      const { exitCode } = await petstore(['categories', 'export', out('pets.csv'), '--force']);

      expect(exitCode).toBe(0);
      expect(lstatSync(out('pets.csv')).isSymbolicLink()).toBe(true);
      expect(readFileSync(join(folder, 'real.csv'), 'utf8')).toBe('id,name,description\n');
    },
  );

  withOut.for([
    { argv: [], exitCode: 74, text: 'theirs', says: 'another process wrote' },
    {
      argv: ['--force'],
      exitCode: 0,
      text: 'id,name,description\n',
      says: 'exported 0 categories',
    },
  ])(
    'by the time the list is there, too: $argv',
    async ({ argv, exitCode, text, says }, { petstore, sandbox, out, folder }) => {
      sandbox.reactions.push((_, forward) => {
        writeFileSync(out('pets.csv'), 'theirs');
        return forward();
      });

      const result = await petstore(['categories', 'export', out('pets.csv'), ...argv]);

      expect(result).toMatchObject({ exitCode, stdout: '' });
      expect(result.stderr).toContain(says);
      expect(readFileSync(out('pets.csv'), 'utf8')).toBe(text);
      expect(filesIn(folder)).toEqual(['pets.csv']);
    },
  );
});

describe('nothing is left beside it, and what was there stays,', () => {
  const ctrlC = new AbortController();
  withOut.for([
    { when: 'the service refuses', react: () => reply(400, {}), exitCode: 3 },
    { when: 'a response is invalid', react: () => reply(200, '[{"id":1}]'), exitCode: 5 },
    {
      when: 'a long list ends in the middle',
      react: () => reply(200, `[${`{"id":1,"name":"${'x'.repeat(1_000)}"},`.repeat(9_000)}{"id":`),
      exitCode: 5,
    },
    {
      when: 'Ctrl-C ends it',
      react: () => {
        ctrlC.abort(interrupted(130));
        return 'stall' as const;
      },
      signal: ctrlC.signal,
      exitCode: 130,
    },
  ])('when $when', async ({ react, exitCode, signal }, { petstore, sandbox, out, folder }) => {
    writeFileSync(out('old.csv'), 'mine');
    sandbox.react = react;
    const options = signal ? { signal } : {};

    const fresh = await petstore(['categories', 'export', out('pets.csv')], options);
    const force = await petstore(['categories', 'export', out('old.csv'), '--force'], options);

    expect(fresh).toMatchObject({ exitCode, stdout: '' });
    expect(force).toMatchObject({ exitCode, stdout: '' });
    expect(filesIn(folder)).toEqual(['old.csv']);
    expect(readFileSync(out('old.csv'), 'utf8')).toBe('mine');
    if (exitCode === 130) return;
    expect(fresh.stderr).toContain(`${out('pets.csv')} was not created.\n`);
    expect(force.stderr).toContain(`${out('old.csv')} was left unchanged.\n`);
    expect(fresh.stderr).not.toContain('printed');
  });

  withOut(
    'not even by a process that was killed, once it succeeds',
    async ({ petstore, out, folder }) => {
      writeFileSync(out('pets.csv.0f8fad5b-d9cb-469f-a165-70867728950e.tmp'), 'id,na');
      writeFileSync(out('other.csv.0f8fad5b-d9cb-469f-a165-70867728950e.tmp'), 'id,na');

      await petstore(['categories', 'export', out('pets.csv')]);

      expect(filesIn(folder)).toEqual([
        'other.csv.0f8fad5b-d9cb-469f-a165-70867728950e.tmp',
        'pets.csv',
      ]);
    },
  );
});

describe('what cannot be exported to is refused before anything is sent:', () => {
  withOut.for([
    { what: 'no extension', path: 'pets', argv: [], says: 'the format of PATH is unknown' },
    { what: 'another one', path: 'pets.xlsx', argv: [], says: 'the format of PATH is unknown' },
    {
      what: 'a table',
      path: 'pets.csv',
      argv: ['-o', 'table'],
      says: 'invalid output format "table"',
    },
    {
      what: 'another format than the extension says',
      path: 'pets.csv',
      argv: ['-o', 'yaml'],
      says: 'output format yaml does not match the extension of PATH',
    },
    {
      what: 'the same in capitals',
      path: 'pets.YML',
      argv: ['-o', 'csv'],
      says: 'output format csv does not match the extension of PATH',
    },
    { what: 'a folder', path: '', argv: ['-o', 'csv'], says: 'PATH is a directory' },
    {
      what: 'one with --force',
      path: '',
      argv: ['-o', 'csv', '--force'],
      says: 'PATH is a directory',
    },
    {
      what: 'a device',
      path: '/dev/null',
      argv: ['-o', 'csv', '--force'],
      says: 'PATH is not a regular file',
    },
    { what: 'no folder', path: 'none/pets.csv', argv: [], says: 'directory not found: ' },
    {
      what: 'a link to nothing',
      path: 'broken.csv',
      argv: ['--force'],
      says: 'PATH is a broken symbolic link',
    },
    {
      what: 'a column',
      path: 'pets.csv',
      argv: ['--columns', 'legs'],
      says: 'unknown column "legs"',
    },
  ])('$what', async ({ path, argv, says }, { petstore, sandbox, out, folder }) => {
    symlinkSync('nothing', out('broken.csv'));
    const full = path.startsWith('/') ? path : out(path);

    const result = await petstore(['categories', 'export', full, ...argv]);

    expect(result).toMatchObject({ exitCode: 2, stdout: '' });
    expect(result.stderr).toContain(`petstore: ${says.replace('PATH', full)}`);
    expect(result.stderr).toContain('\nNothing was sent.\n');
    expect(sandbox.requests).toHaveLength(0);
    expect(filesIn(folder)).toEqual(['broken.csv']);
  });

  withOut.skipIf(!existsSync('/proc/self'))(
    'a folder that takes no files: exit 74',
    async ({ petstore, sandbox }) => {
      const result = await petstore(['categories', 'export', '/proc/pets.csv']);

      expect(result).toMatchObject({ exitCode: 74, stdout: '' });
      expect(result.stderr).toMatch(
        /^petstore: cannot write \/proc\/pets\.csv \(\w+\)\nNothing was sent\.\n/,
      );
      expect(sandbox.requests).toHaveLength(0);
    },
  );
});

describe('categories export to standard output', () => {
  test.for([
    { argv: [], env: {}, format: 'csv' },
    { argv: ['-'], env: {}, format: 'csv' },
    { argv: ['-o', 'yaml'], env: {}, format: 'yaml' },
    { argv: ['-', '--json'], env: {}, format: 'json' },
    { argv: [], env: { PETSTORE_OUTPUT: 'json' }, format: 'csv' },
  ])(
    'is CSV unless -o says otherwise: $argv $env',
    async ({ argv, env, format }, { petstore, sandbox }) => {
      sandbox.categories.push(...some);
      const list = await petstore(['categories', 'list', '-o', format]);

      const result = await petstore(['categories', 'export', ...argv], { env });

      expect(result).toMatchObject({ exitCode: 0, stdout: list.stdout });
      expect(result.stderr).not.toContain('exported');
    },
  );

  test('of no categories is a header', async ({ petstore }) => {
    expect(await petstore(['categories', 'export'])).toMatchObject({
      exitCode: 0,
      stdout: 'id,name,description\n',
    });
  });
});
