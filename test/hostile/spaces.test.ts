import { parse as parseCsv } from 'csv-parse/sync';
import { load, YAML11_SCHEMA } from 'js-yaml';
import { describe } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { expect, reply, test } from '../support/petstore.ts';

/** White_Space of Unicode, and what has no width but that some reader takes for a blank. */
const spaces = [
  ...'\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a',
  ...'\u2028\u2029\u202f\u205f\u3000\u180e\u200b\u2060\u3164\ufeff',
];
/** At the beginning, in the middle, at the end, alone, and beside the marks that mean something in YAML and CSV. */
const textsWith = (space: string) => [
  space,
  ...[`${space}dog`, `big${space}dog`, `dog${space}`, `犬${space}`, `${space}${space}`],
  ...[...':#,"-\\'].flatMap((mark) => [`dog${space}${mark}`, `dog${mark}${space}x`]),
];

type Read = (text: string) => unknown;

/** How each format is read by its own rules; the table is for people. */
const readers: Readonly<Record<'json' | 'ndjson' | 'yaml', Readonly<Record<string, Read>>>> = {
  json: { 'JSON.parse': JSON.parse },
  ndjson: {
    'JSON.parse of each line': (text) => {
      const lines = text.split('\n').slice(0, -1);
      return lines.map((line) => JSON.parse(line));
    },
  },
  yaml: {
    'yaml as 1.2': (text) => parseYaml(text),
    'yaml as 1.1': (text) => parseYaml(text, { version: '1.1' }),
    'js-yaml as 1.2': (text) => load(text),
    'js-yaml as 1.1': (text) => load(text, { schema: YAML11_SCHEMA }),
  },
};

describe('A space of any kind comes back', () => {
  test.for(Object.entries(readers))(
    'from %s, in names and values, at each end of them and of all that is printed',
    async ([format, each], { petstore, sandbox }) => {
      const print = async (argv: readonly string[], data: unknown) => {
        sandbox.react = () => reply(200, JSON.stringify(data));
        return (await petstore([...argv, '-o', format])).stdout;
      };
      for (const space of spaces) {
        const code = `U+${space.charCodeAt(0).toString(16)}`;
        const texts = textsWith(space);
        const records = [
          ...texts.map((text) => ({ text })),
          ...texts.map((text) => ({ [text]: text, last: 'x' })),
          ...texts.map((text) => ({ first: 'x', [text]: { [text]: [text, { [text]: text }] } })),
          ...texts.map((text) => ({ list: [['x', text]] })),
        ];
        const list = await print(['orders', 'list'], records);
        for (const [reader, read] of Object.entries(each)) {
          expect(read(list), `${code}, ${reader}`).toEqual(records);
        }

        const last = `dog${space}`;
        for (const data of [last, { [last]: last }, { nested: [{ [last]: last }] }]) {
          const whole = await print(['api', 'GET', '/orders'], data);
          for (const [reader, read] of Object.entries(each)) {
            const expected = format === 'ndjson' ? [data] : data;
            expect(read(whole), `${code}, ${reader}`).toEqual(expected);
          }
        }
      }
    },
  );

  test('from csv and tsv, in titles and fields', async ({ petstore, sandbox }) => {
    for (const space of spaces) {
      const code = `U+${space.charCodeAt(0).toString(16)}`;
      const columns = ['first', ...textsWith(space), 'last', `dog${space}${space}`];
      const rows = columns.map((text) => columns.map((_, at) => (at % 2 ? text : 'x')));
      const records = rows.map((row) =>
        Object.fromEntries(columns.map((name, at) => [name, row[at]])),
      );
      sandbox.react = () => reply(200, records);
      const print = async (format: string) =>
        (await petstore(['orders', 'list', '-o', format])).stdout;

      const csv: string[][] = parseCsv(await print('csv'), { record_delimiter: '\n' });
      const tsv = (await print('tsv')).split('\n').slice(0, -1);

      const whole = [columns, ...rows];
      expect(
        csv.map((fields) => fields.map(unescaped)),
        code,
      ).toEqual(whole);
      expect(
        tsv.map((line) => line.split('\t').map(unescapedTsv)),
        code,
      ).toEqual(whole);
    }
  });
});

function unescaped(field: string): string {
  return field.replace(/\\u\{([0-9a-f]+)\}/g, (_, code) => fromHex(code));
}

function unescapedTsv(field: string): string {
  const short: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', '\\': '\\' };
  return field.replace(/\\(?:([tnr\\])|u\{([0-9a-f]+)\})/g, (_, letter, code) =>
    letter ? (short[letter] ?? '') : fromHex(code),
  );
}

function fromHex(code: string): string {
  return String.fromCodePoint(Number.parseInt(code, 16));
}
