import { describe } from 'vitest';
import { creates, cutAfter, cutBefore, test, three } from '../support/import-cases.ts';
import { expect, reply } from '../support/petstore.ts';

const dog = { id: 7, name: 'dog' };
const cat = { id: 8, name: 'cat' };
const isOld = 'a cache between you and the service answered with a list that is 41s old';
const isPart = 'the service sent only a part of its list';
const csv = '- --format csv --json';
const ifMissing = 'categories create emu --if-missing --json';
const importEmu = `categories import ${csv} --yes`;

/** How a list of two rows says that it cannot decide, and what is said of it. */
const doubtful = [
  [isOld, 'age: 41'],
  [`${isPart} (2 of 3)`, 'x-total-count: 3'],
  [`${isPart} (2 of 3,000)`, 'x-total-count:  3000 '],
  [`${isPart} (2 of 3)`, 'content-range: categories 0-1/3'],
  [`${isPart} (2 of 3)`, 'content-range: 0-1/3'],
  [`${isPart} (2 of 3)`, 'content-range: */3'],
  [isPart, 'link: <https://b.example/v1/categories?page=2>; rel="next"'],
  [isPart, 'link: <?page=2>;rel=next'],
  [isPart, 'link: </?a,b;c="d>; title="x\\", <y>; z" ; REL = "prev\tNEXT", <?page=9>; rel=last'],
  [isPart, 'link: <?page=1>; rel=first, <?page=2>; title*=UTF-8\'\'a; rel=next; type="a/b"'],
  [`${isPart} (2 of 3)`, 'link: <?page=2>; rel=next', 'x-total-count: 3'],
  [isPart, 'link: <?page=2>; rel=next', 'x-total-count: 2'],
] as const;

const decisions = [
  importEmu,
  `categories import ${csv} --dry-run`,
  `categories diff ${csv}`,
  ifMissing,
  `${ifMissing} --dry-run`,
  'categories get dog --json',
  'categories get 7 --json',
];

describe('a list out of a cache, or one that says that it is a part,', () => {
  test.for(doubtful)(
    'decides nothing, and is printed: %s, by %s',
    async (row, { petstore, sandbox }) => {
      const [message, ...fields] = row;
      sandbox.react = () => withFields([dog, cat], fields);

      for (const line of decisions) {
        const { exitCode, stdout, events } = await petstore(line, { stdin: three });

        expect([exitCode, stdout, creates(sandbox)], line).toEqual([5, '', []]);
        expect(events().at(-1), line).toMatchObject({ kind: 'service', message });
      }
      for (const line of ['categories list', 'categories list --limit 1', 'orders list']) {
        const { exitCode, stdout, stderr } = await petstore(line);

        expect([exitCode, stdout.includes('dog')], line).toEqual([0, true]);
        expect(stderr.split('\n'), line).toContain(`petstore: ${message}`);
      }
    },
  );

  test.for([
    [isOld, 'age: 41'],
    [isPart, 'link: <?page=2>; rel=next', 'x-total-count: 3'],
    [`${isPart} (2 of 3)`, 'x-total-count: 3'],
  ] as const)('is warned of once if it is a stream: %s', async (row, { petstore, sandbox }) => {
    const [message, ...fields] = row;
    sandbox.react = () => withFields([dog, { ...cat, x: ' '.repeat(9_000_000) }], fields);

    const { exitCode, stderr } = await petstore('categories list -o csv');

    expect(exitCode).toBe(0);
    expect(stderr.split('\n').filter((line) => line.includes('list'))).toEqual([
      `petstore: ${message}`,
    ]);
  });

  test.for([
    ['age: 41', [isOld]],
    ['link: <?page=2>; rel=next', [isPart]],
    ['x-total-count: 3', []],
    ['x-other: 1', []],
  ] as const)('may be an object of orders: %s', async ([field, said], { petstore, sandbox }) => {
    sandbox.react = () => withFields({ orders: [dog] }, [field]);

    const { exitCode, events } = await petstore('orders list --json');

    expect([exitCode, events().map(({ message }) => message)]).toEqual([0, said]);
  });

  test.for([
    ['one that came from the service just now', 'age: 0'],
    ['an age that is no number', 'age: old'],
    ['all rows', 'x-total-count: 2'],
    ['fewer rows than there are', 'x-total-count: 1'],
    ['a count that is no number', 'x-total-count: many'],
    ['an exact count beyond all lists', 'x-total-count: 99999999999999999999'],
    ['the whole range', 'content-range: categories 0-1/2'],
    ['the whole range, counted from 1', 'content-range: categories 1-2/2'],
    ['a range of bytes', 'content-range: bytes 0-99/100'],
    ['a range of an unknown total', 'content-range: 0-1/*'],
    ['a range that is none', 'content-range: all'],
    ['the last of several pages', 'link: <?page=1>; rel="prev first", <?page=2>; rel=last'],
    ['a link in words alone', 'link: <?rel=next>; title="; rel=next"; rel="nextone"'],
    ['a link that is none', 'link: rel=next'],
    ['no link', 'link: '],
    ['the headers of others', 'total-count: 3', 'x-total: 3', 'x-has-more: true', 'x-next-page: 2'],
  ] as const)('is not %s', async ([, ...fields], { petstore, sandbox }) => {
    sandbox.react = ({ method }) => (method === 'GET' ? withFields([dog, cat], fields) : undefined);

    const { exitCode, events } = await petstore(ifMissing);

    expect([exitCode, creates(sandbox)]).toEqual([0, ['emu']]);
    expect(events().filter(({ event }) => event === 'notice')).toEqual([]);
  });

  test.for([
    ['categories create emu --json', isOld, 'age: 41'],
    [ifMissing, isOld, 'age: 41'],
    [importEmu, isOld, 'age: 41'],
    ['categories create emu --json', `${isPart} (2 of 3)`, 'x-total-count: 3'],
    [ifMissing, `${isPart} (2 of 3)`, 'content-range: 0-1/3'],
    [importEmu, isPart, 'link: <?page=2>; rel=next'],
  ] as const)(
    'leaves an outcome unknown: %s, since %s',
    async ([line, message, field], { petstore, sandbox }) => {
      sandbox.react = ({ method }) => {
        if (method === 'POST') return cutAfter;
        return creates(sandbox).length > 0 ? withFields([dog, cat], [field]) : undefined;
      };

      const { exitCode, events } = await petstore(line, { stdin: 'name\nemu' });

      expect([exitCode, creates(sandbox)]).toEqual([6, ['emu']]);
      expect(events().at(-1)).toMatchObject({
        outcome: 'unknown',
        message: expect.stringContaining(message),
      });
    },
  );
});

function withFields(rows: unknown, fields: readonly string[]): Response {
  return reply(200, rows, Object.fromEntries(fields.map((field) => field.split(/: (.*)/s, 2))));
}

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
