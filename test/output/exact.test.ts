import { join } from 'node:path';
import fc from 'fast-check';
import { load, YAML11_SCHEMA } from 'js-yaml';
import { describe } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { hostileName } from '../support/names.ts';
import { expect, reply, test } from '../support/petstore.ts';
import { trials } from '../support/random.ts';
import { exact } from '../support/values.ts';

/** What readers take for something else than a text, for the end of one, or for an escape. */
const odd =
  'no Yes on y null ~ NaN .inf 1 -1 +1 0x1f 0o17 017 1_000 1e3 12:30:45 2026-11-20 = << - ? : [] {} a:b a: #a a#b ! &a *a % @ | > , ; " "a" \' "" \\ \\n \\t \\\\t \\u{41} \\u{1b} \\\\u{1b} \\u{110000} --- ... =1+1 @x'
    .split(' ')
    .concat('', ' ', 'a: b', 'a #b', '# a', '- a', ' a', 'a ', '\ta\t', 'a\nb', 'a\r\nb', 'a\rb')
    .concat('\na\n', 'a\r', '\r\r\n', '"a",b\n', '"a" "b"', '"a', '\\"a', '\u0000a', '\u2028a')
    .concat('\u0085a', '\ufeffa', '\u202ea');
const text = fc.oneof(hostileName, fc.constantFrom(...odd), fc.string());

test('a list as YAML is exact for readers of YAML 1.1 and 1.2', async ({ petstore, sandbox }) => {
  const id = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
  const category = fc.record(
    { id, name: text, description: text },
    { requiredKeys: ['id', 'name'] },
  );
  const lists = fc.array(category, { minLength: 10, maxLength: 40 });
  const withoutIds = (items: unknown) =>
    JSON.stringify(items, (key, value) => (key === 'id' ? 0 : value));
  const holds = fc.asyncProperty(lists, async (all) => {
    const sent = all.map(({ id, ...content }) => ({ id: exact(String(id)), ...content }));
    sandbox.categories.splice(0, Number.POSITIVE_INFINITY, ...sent);
    const { stdout } = await petstore('categories list -o yaml');

    const fields = all.flatMap((fields) => Object.keys(fields));
    expect(stdout.split('\n')).toHaveLength(fields.length + 1);
    for (const version of ['1.1', '1.2'] as const)
      expect(parseYaml(stdout, { version, intAsBigInt: true })).toEqual(all);
    for (const options of [{ schema: YAML11_SCHEMA }, {}])
      expect(withoutIds(load(stdout, options))).toBe(withoutIds(all));
  });
  await fc.assert(holds, trials(15));
});

describe('a list is read back exactly, and an import of it has nothing to create', () => {
  const isWhole = (text: string) => !/\p{Surrogate}/u.test(text);
  const content = fc.record({ description: text.filter(isWhole) }, { requiredKeys: [] });
  const drawn = fc
    .array(content, { minLength: 10, maxLength: 40 })
    .map((contents) => contents.map((content, n) => ({ name: `pet ${n}`, ...content })));
  const listed = odd.filter(isWhole).map((text, n) => ({
    name: /\p{Cc}/u.test(text) ? `pet ${n}` : `${text}#${n}`,
    description: text,
  }));

  test.for(['csv', 'tsv', 'json', 'ndjson'])(
    'as %s',
    async (format, { petstore, sandbox, folder }) => {
      sandbox.plan = { minute: { limit: 1e6, length: 1 }, day: { limit: 1e6, length: 1 } };
      const importing = `categories import - --format ${format} --json`;
      let run = 0;
      const holds = fc.asyncProperty(drawn, async (contents) => {
        const sent = contents.map((content, n) => ({ id: n, ...content }));
        sandbox.categories.splice(0, Number.POSITIVE_INFINITY, ...sent);
        run += 1;
        const env = { PETSTORE_STATE_DIR: join(folder, `state-${run}`) };

        const { stdout: stdin } = await petstore(`categories list -o ${format}`, { env });
        const plan = await petstore(`${importing} --dry-run`, { env, stdin });
        sandbox.categories.splice(0);
        await petstore(`${importing} --yes`, { env, stdin });

        expect(plan.json).toHaveLength(sent.length);
        for (const { change } of plan.json) expect(change).toBe('existing');
        // TSV has no empty text besides nothing.
        const withoutId = ({ id: _, ...fields }: object & { readonly id: unknown }) =>
          Object.entries(fields).filter(([, text]) => format !== 'tsv' || text !== '');
        expect(new Set(sandbox.categories.map(withoutId))).toEqual(new Set(sent.map(withoutId)));
      });
      await fc.assert(holds, { ...trials(20), examples: [[listed]] });
    },
  );
});

test.for([
  ['"a \\"b\\" c"', 'a "b" c\n'],
  ['""', '\n'],
  ['1.5', '1.5\n'],
  ['-9223372036854775808', '-9223372036854775808\n'],
  ['true', 'true\n'],
  ['null', '\n'],
  ['{"a": [1, "b"]}', '{"a":[1,"b"]}\n'],
  ['[1, "b", null, "c d"]', '1\nb\n\nc d\n'],
  ['[]', ''],
  ['[[1, "b"], {"c": null}]', '[1,"b"]\n{"c":null}\n'],
  ['["C:\\\\Users\\\\n"]', 'C:\\Users\\n\n'],
  ['["a\\\\u{a}b"]', 'a\\u{5c}u{a}b\n'],
] as const)('-o raw prints %s as %j', async ([json, stdout], { petstore, sandbox }) => {
  sandbox.react = () => reply(200, json);

  expect(await petstore('api GET /any -o raw')).toMatchObject({ exitCode: 0, stdout });
});

/** More than a key of YAML may have that stands by itself. */
const long = 'name '.repeat(300);
const oddNames =
  'a: b|- a|#a|y|yes|null|~|1|1.5|0x1f|a\nb|\'|"|? a|{|[a]|!a|&a|*a|%a|@a|`a|<<|=|犬|| '.split('|');

test.for([
  { items: [], more: {}, list: [[], {}, [[]], [{}]] },
  {},
  { [long]: 1, b: { [long]: [1] }, c: [{ [long]: { a: 1 } }] },
  [{ [long]: 1, b: 'c' }, { [`${long}d`]: 'e' }],
  Object.fromEntries(oddNames.map((name) => [name, name])),
  [oddNames, oddNames.map((text) => ({ text, more: { text } }))],
  { text: `${'word '.repeat(500)}\n${'word '.repeat(500)}` },
  [[[1, 'a'], [2]], [[], [{ a: [{ b: [] }] }]], 'a', null, true],
  'a: b',
  null,
])('YAML is read back as it was, row %#', async (value, { petstore, sandbox }) => {
  sandbox.react = () => reply(200, JSON.stringify(value));

  const { stdout } = await petstore('api GET /x -o yaml');

  expect(parseYaml(stdout, { version: '1.2' })).toEqual(value);
  expect(parseYaml(stdout, { version: '1.1', merge: false })).toEqual(value);
  expect(load(stdout)).toEqual(value);
  expect(load(stdout, { schema: YAML11_SCHEMA })).toEqual(value);
});
