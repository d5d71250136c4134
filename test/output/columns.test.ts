import { describe } from 'vitest';
import { expect, reply, test } from '../support/petstore.ts';
import { exact } from '../support/values.ts';

const list = ['categories', 'list'];

describe('--columns', () => {
  test.for([
    [['pets', 'get', '1'], '{"id":1,"name":"Bello"}', 'legs,name\n,Bello\n'],
    [['orders', 'list'], '[{"name":"a"},{"id":1}]', 'legs,name\n,a\n,\n'],
    [['orders', 'list'], '[]', 'legs,name\n'],
  ] as const)('%j lacks one, and says so', async ([argv, body, csv], { petstore, sandbox }) => {
    sandbox.react = () => reply(200, body);

    const asCsv = await petstore([...argv, '--columns', 'legs,name', '-o', 'csv']);
    const asJson = await petstore([...argv, '--columns', 'legs,name', '-o', 'ndjson']);

    expect(asCsv).toMatchObject({ exitCode: 0, stdout: csv });
    const notice = 'petstore: unknown column "legs"; the response has ';
    expect(asCsv.stderr.includes(notice)).toBe(body !== '[]');
    expect(asJson.stdout).not.toContain('legs');
  });
});

describe('the lines of a table', () => {
  test('stand under each other, whatever room a character takes', async ({ petstore, sandbox }) => {
    const names =
      '犬 한국 e\u0301 ﾜﾝ 👩‍👩‍👧 👍🏽 🇩🇪 \u1112\u1161\u11ab ™ © ☎ ❤ می\u200cخوا dog'.split(' ');
    sandbox.categories.push(...names.map((name, at) => ({ id: exact(String(at)), name })));

    const { stdout } = await petstore([...list, '--columns', 'name']);

    const blanks = stdout.split('\n').map((line) => /^│ \S+( *) │$/.exec(line)?.[1]?.length);
    expect(blanks.slice(3, -2)).toEqual([3, 1, 4, 3, 3, 3, 3, 3, 4, 4, 4, 4, 0, 2]);
  });

  test('have no frame above ten thousand cells', async ({ petstore, sandbox }) => {
    const fields = Array.from({ length: 10_001 }, (_, n) => [`field${n}`, 1]);
    sandbox.react = () => reply(200, `[${JSON.stringify(Object.fromEntries(fields))}]`);

    const { stdout } = await petstore('orders list');
    const { stderr } = await petstore('orders list --columns legs');

    expect(stdout.split('\n')).toHaveLength(3);
    expect(stdout).not.toContain('│');
    expect(stderr).toContain('"field2" and 9998 more\n');
  });
});

test('records without fields in common are lines of JSON', async ({ petstore, sandbox }) => {
  const orders = Array.from({ length: 1_001 }, (_, n) => `{"field${n}":${n}}`);
  sandbox.react = () => reply(200, `[${orders}]`);

  const { stdout } = await petstore('orders list --no-header -o csv');

  expect(stdout.split('\n')[7]).toBe('"{""field7"":7}"');
});
