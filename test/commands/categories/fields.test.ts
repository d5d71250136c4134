import { put } from '../../support/import-cases.ts';
import { expect, test } from '../../support/petstore.ts';
import { optionalFields } from '../../support/values.ts';

test.for(optionalFields)(
  'a %s is sent, read from each kind of file, compared, searched and sorted by',
  async (field, { petstore, sandbox, folder }) => {
    const run = (verb: string, ...words: string[]) => petstore(['categories', verb, ...words]);
    const load = (name: string, text: string) =>
      run('import', put(folder, text, name), '--yes', '--json');

    await run('create', 'ant', `--${field}`, 'a');
    await load('a.csv', `${field.toUpperCase()},Name\nb,bee\n`);
    await load('a.json', `[{"name":"cat","${field}":"c"}]`);
    const other = await load('b.json', `${field},name\nd,dog\n`);
    const long = await load('c.ndjson', `{"name":"eel","${field}":"${'é'.repeat(2 ** 19)}"}`);
    const found = await run('list', '--search', 'B', '--json');
    const columns = await run('list', '--sort', `-${field}`, '--columns', field, '-o', 'raw');
    const diff = await run('diff', put(folder, `name,${field}\nbee,B\n`), '--json');
    const missing = await run('create', 'cat', `--${field}`, 'C', '--if-missing', '--json');

    const [ant, bee, cat] = ['a', 'b', 'c'].map((text, n) => ({
      id: n + 1,
      name: ['ant', 'bee', 'cat'][n],
      [field]: text,
    }));
    expect(sandbox.categories).toEqual([ant, bee, cat]);
    expect(other.stderr).toContain('b.json is a table');
    expect(long.stderr).toContain('the row is longer than 1 MiB');
    expect([found.json, columns.stdout, missing.json]).toEqual([[bee], 'c\nb\na\n', cat]);
    expect(diff.json[0]).toMatchObject({ change: 'differs', name: 'bee', [field]: 'B' });
    expect(Object.values(diff.json[0])).toContain('b');
  },
);
