import { join } from 'node:path';
import fc from 'fast-check';
import { type Content, optionalFields, pickContent } from '../support/categories.ts';
import { hostileName } from '../support/names.ts';
import { expect, test } from '../support/petstore.ts';
import { trials } from '../support/trials.ts';
import { exact } from '../support/values.ts';

/** What readers take for something else than a text, for the end of one, or for an escape. */
const odd = [
  ...'no Yes on y null ~ NaN .inf 1 -1 017 0o17 1_000 1e3 12:30:45 2026-11-20 = << - ?'.split(' '),
  ...': [] {} --- a:b a#b ! &a *a % @ | > , ; " "a" \' \\ \\n \\t \\\\t =1+1'.split(' '),
  ...'\\u{41} \\u{1b} \\\\u{1b} \\u{110000}'.split(' '),
  ...['a: b', 'a #b', '# a', '- a', ' a', 'a ', '\ta\t', 'a\nb', 'a\r\nb', 'a\rb', '\na\n'],
  ...['"a",b\n', '"a" "b"', '"a', '\\"a', '\u0000a', '\u2028a', '\u0085a', '\ufeffa', '\u202ea'],
];

const text = fc.oneof(hostileName, fc.constantFrom(...odd), fc.string());
/** Of each field that a category may have, so that none gets lost on the way. */
const category = fc.record({
  id: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  name: text,
  ...Object.fromEntries(
    optionalFields.map((field) => [field, fc.option(text, { nil: undefined })]),
  ),
});
const categories = fc.uniqueArray(category, { selector: ({ name }) => name, maxLength: 40 });
const all = odd.map((name, at) => ({
  id: BigInt(at),
  name,
  ...Object.fromEntries(optionalFields.map((field, n) => [field, (at + n) % 3 ? name : undefined])),
}));

/** What an import takes: a name that shows something and controls nothing, and whole characters. */
function canBeSent({ name, ...others }: Content) {
  const isShown = /[^\s\p{Default_Ignorable_Code_Point}\p{Cf}\u2800\u{1d159}]/u.test(name);
  const isWhole = !/\p{Surrogate}/u.test([name, ...Object.values(others)].join(' '));
  return isShown && isWhole && !/\p{Cc}/u.test(name);
}

/** The same for all names that an import takes for look-alikes, and for others. */
function skeleton(name: string) {
  const letters = name.normalize('NFKD').replace(/[\s\p{M}\p{Default_Ignorable_Code_Point}]/gu, '');
  return letters.toLowerCase().toUpperCase();
}

test.for(['csv', 'tsv', 'json', 'ndjson'])(
  'a list as %s is read back exactly, and an import of it has nothing to create',
  async (format, { petstore, sandbox, folder }) => {
    sandbox.plan = { minute: { limit: 1e6, length: 1 }, day: { limit: 1e6, length: 1 } };
    const importing = ['categories', 'import', '-', '--format', format, '--json'];
    let run = 0;
    await fc.assert(
      fc.asyncProperty(categories, async (drawn) => {
        const different = new Map(drawn.map((each) => [skeleton(each.name), each]));
        const kept = [...different.values()]
          .filter(canBeSent)
          .map((fields) => ({ id: exact(String(fields.id)), ...pickContent(fields) }));
        fc.pre(kept.length > 0);
        sandbox.categories.splice(0, Number.POSITIVE_INFINITY, ...kept);
        run += 1;
        const env = { PETSTORE_STATE_DIR: join(folder, `state-${run}`) };

        const { stdout: stdin } = await petstore(['categories', 'list', '-o', format], { env });
        const plan = await petstore([...importing, '--dry-run'], { env, stdin });
        sandbox.categories.splice(0);
        await petstore([...importing, '--yes'], { env, stdin });

        expect(JSON.parse(plan.stdout).counts).toEqual({ existing: kept.length });
        const created = new Map(sandbox.categories.map((created) => [created.name, created]));
        expect(created.size).toBe(kept.length);
        for (const { id: _, ...fields } of kept) {
          // TSV has no empty text besides nothing.
          const isSent = ([, text]: [string, string]) => format !== 'tsv' || text !== '';
          const expected = Object.fromEntries(Object.entries(fields).filter(isSent));
          expect({ ...created.get(fields.name), id: undefined }).toEqual(expected);
        }
      }),
      { ...trials(60), examples: [[all]] },
    );
  },
);
