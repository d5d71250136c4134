import { parse as parseCsv } from 'csv-parse/sync';
import fc from 'fast-check';
import { load, YAML11_SCHEMA } from 'js-yaml';
import { describe } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { hostileName } from '../support/names.ts';
import { expect, type Fixtures, reply, test } from '../support/petstore.ts';
import { trials } from '../support/trials.ts';
import { exact } from '../support/values.ts';

/** What readers of YAML take for something else than a text, or CSV and TSV for the end of one. */
const odd =
  'no Yes on y null ~ NaN .inf 1 -1 +1 0x1f 0o17 017 1_000 1e3 12:30:45 2026-11-20 = << - ? : [] {} a:b a: #a a#b ! & * % @ | > , " \' "" \\ \\n \\t \\u{41} \\u{1b} \\\\u{1b} \\u{110000} --- ... =1+1 @x'
    .split(' ')
    .concat('', ' ', 'a: b', 'a #b', '- a', ' a', 'a ', 'a\nb', 'a\r\nb', 'a\rb', 'a\n', '\na')
    .concat('a\r', '\r\r\n', 'a\tb', '"a",b\n');

const text = fc.oneof(hostileName, fc.constantFrom(...odd), fc.string());
const id = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const category = fc.record({ id, name: text, description: fc.option(text, { nil: undefined }) });
const categories = fc.array(category, { minLength: 10, maxLength: 40 });

type Category = {
  readonly id: bigint;
  readonly name: string;
  readonly description?: string | undefined;
};

/** As the sandbox keeps them. */
function kept({ id, name, description }: Category) {
  return { id: exact(String(id)), name, ...(description !== undefined && { description }) };
}

const acting =
  /[\p{Cc}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]/u;

/** Lists drawn categories in a format, and checks what is printed. */
async function checkLists(
  { petstore, sandbox }: Pick<Fixtures, 'petstore' | 'sandbox'>,
  format: 'csv' | 'tsv' | 'yaml',
  check: (all: readonly Category[], stdout: string) => void,
): Promise<void> {
  const holds = fc.asyncProperty(categories, async (all) => {
    sandbox.categories.splice(0, Number.POSITIVE_INFINITY, ...all.map(kept));
    const { stdout } = await petstore(['categories', 'list', '-o', format]);
    check(all, stdout);
    expect(stdout.replace(format === 'yaml' ? /\n/g : /[\n\t]/g, '')).not.toMatch(acting);
  });
  await fc.assert(holds, trials(25));
}

describe('what scripts read', () => {
  test('is exact for every reader of CSV', async ({ petstore, sandbox }) => {
    await checkLists({ petstore, sandbox }, 'csv', (all, stdout) => {
      const read: string[][] = parseCsv(stdout, { record_delimiter: '\n' });
      expect(read).toHaveLength(all.length + 1);
      for (const [at, { id, name, description = '' }] of all.entries()) {
        expect(read[at + 1]?.[0]).toBe(String(id));
        const shown = read[at + 1]?.[1] ?? '';
        if (!shown.includes('\\u{')) expect(shown).toBe(name);
        expect(shown).not.toMatch(/\\u\{[9a]\}/);
        if (description === '') expect(read[at + 1]?.[2]).toBe('');
      }
    });
  });

  test.for(['1.1', '1.2'] as const)('is exact YAML %s', async (version, { petstore, sandbox }) => {
    await checkLists({ petstore, sandbox }, 'yaml', (all, stdout) => {
      const fields = all.flatMap(({ description }) => (description === undefined ? 2 : 3));
      expect(stdout.split('\n')).toHaveLength(fields.reduce((sum, count) => sum + count, 1));
      const read: unknown[] = parseYaml(stdout, { version, intAsBigInt: true });
      const plain = all.map(({ description, ...rest }) =>
        description === undefined ? rest : { ...rest, description },
      );
      expect(read).toEqual(plain);
      const schema = version === '1.1' ? { schema: YAML11_SCHEMA } : {};
      const texts = (items: unknown) =>
        JSON.stringify(items, (key, value) => (key === 'id' ? 0 : value));
      expect(texts(load(stdout, schema))).toBe(texts(plain));
    });
  });

  test('can be told from all other texts as TSV, on one line', async ({ petstore, sandbox }) => {
    await checkLists({ petstore, sandbox }, 'tsv', (all, stdout) => {
      const lines = stdout.split('\n').slice(1, -1);
      expect(lines.map((line) => line.split('\t').map(unescaped))).toEqual(
        all.map(({ id, name, description = '' }) => [String(id), name, description]),
      );
    });
  });

  test('can be told from all other texts as raw, on one line', async ({ petstore, sandbox }) => {
    const texts = fc.array(hostileName, { minLength: 30, maxLength: 30 });
    const holds = fc.asyncProperty(texts, async (texts) => {
      sandbox.react = () => reply(200, JSON.stringify(texts));
      const { stdout } = await petstore(['api', 'GET', '/x', '-o', 'raw']);

      const shown = stdout.split('\n').slice(0, -1);
      expect(shown.map((text) => text.replace(/\\u\{(\w+)\}/g, fromCode))).toEqual(texts);
      expect(shown.join('')).not.toMatch(acting);
    });
    await fc.assert(holds, trials(150));
  });
});

/** More than a key may have that stands by itself. */
const long = 'name '.repeat(300);
const oddNames =
  'a: b|- a|#a|yes|null|~|1|1.5|0x1f|a\nb|\'|"|? a|{|[a]|!a|&a|*a|%a|@a|`a|<<|=|犬|| '.split('|');

const nested: Readonly<Record<string, unknown>> = {
  'nothing in something': { items: [], more: {}, list: [[], {}, [[]], [{}]] },
  'nothing at all': {},
  'a long name': { [long]: 1, b: { [long]: [1] }, c: [{ [long]: { a: 1 } }] },
  'long names in a list': [{ [long]: 1, b: 'c' }, { [`${long}d`]: 'e' }],
  'names that are something else': Object.fromEntries(oddNames.map((name) => [name, name])),
  'texts that are something else': [oddNames, oddNames.map((text) => ({ text, more: { text } }))],
  'a long text': { text: `${'word '.repeat(500)}\n${'word '.repeat(500)}` },
  'lists in lists': [[[1, 'a'], [2]], [[], [{ a: [{ b: [] }] }]], 'a', null, true],
  'a text': 'a: b',
  null: null,
};

describe('YAML is read back as it was', () => {
  test.for(Object.entries(nested))('%s', async ([, value], { petstore, sandbox }) => {
    sandbox.react = () => reply(200, JSON.stringify(value));

    const { exitCode, stdout } = await petstore(['api', 'GET', '/x', '-o', 'yaml']);

    expect(exitCode).toBe(0);
    expect(parseYaml(stdout, { version: '1.2' })).toEqual(value);
    expect(parseYaml(stdout, { version: '1.1', merge: false })).toEqual(value);
    expect(load(stdout)).toEqual(value);
    expect(load(stdout, { schema: YAML11_SCHEMA })).toEqual(value);
  });
});

function fromCode(_: string, code: string): string {
  return String.fromCodePoint(Number.parseInt(code, 16));
}

function unescaped(field: string): string {
  const short: Record<string, string> = { '\\': '\\', '"': '"', t: '\t', n: '\n', r: '\r' };
  return field.replace(/\\(?:([\\"tnr])|u\{([0-9a-f]+)\})/g, (_, letter, code) =>
    letter ? (short[letter] ?? '') : fromCode('', code),
  );
}
