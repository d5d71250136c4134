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

type Format = 'json' | 'ndjson' | 'yaml';

/** How each format is read by its own rules; the table is for people. */
const readers: readonly (readonly [
  format: Format,
  reader: string,
  read: (text: string) => unknown,
])[] = [
  ['json', 'JSON.parse', JSON.parse],
  ['ndjson', 'JSON.parse of each line', (text) => linesOf(text).map((line) => JSON.parse(line))],
  ['yaml', 'yaml as 1.2', (text) => parseYaml(text)],
  ['yaml', 'yaml as 1.1', (text) => parseYaml(text, { version: '1.1' })],
  ['yaml', 'js-yaml as 1.2', (text) => load(text)],
  ['yaml', 'js-yaml as 1.1', (text) => load(text, { schema: YAML11_SCHEMA })],
];

describe('A space of any kind comes back', () => {
  test.for(readers)(
    'from %s by %s, in names and values, at each end of them and of all that is printed',
    async ([format, , read], { petstore, sandbox }) => {
      const printed = async (argv: readonly string[], data: unknown) => {
        sandbox.react = () => reply(200, JSON.stringify(data));
        return read((await petstore([...argv, '-o', format])).stdout);
      };
      for (const space of spaces) {
        const texts = textsWith(space);
        const records = [
          ...texts.map((text) => ({ text })),
          ...texts.map((text) => ({ [text]: text, last: 'x' })),
          ...texts.map((text) => ({ first: 'x', [text]: { [text]: [text, { [text]: text }] } })),
          ...texts.map((text) => ({ list: [['x', text]] })),
        ];
        expect(await printed(['orders', 'list'], records), codeOf(space)).toEqual(records);

        const last = `dog${space}`;
        for (const data of [last, { [last]: last }, { nested: [{ [last]: last }] }]) {
          const expected = format === 'ndjson' ? [data] : data;
          expect(await printed(['api', 'GET', '/orders'], data), codeOf(space)).toEqual(expected);
        }
      }
    },
  );

  test('from csv and tsv, in titles and fields', async ({ petstore, sandbox }) => {
    for (const space of spaces) {
      const columns = ['first', ...textsWith(space), 'last', `dog${space}${space}`];
      const rows = columns.map((text) => columns.map((_, at) => (at % 2 ? text : 'x')));
      const records = rows.map((row) =>
        Object.fromEntries(columns.map((name, at) => [name, row[at]])),
      );
      sandbox.react = () => reply(200, records);
      const print = async (format: string) =>
        (await petstore(['orders', 'list', '-o', format])).stdout;

      const csv: string[][] = parseCsv(await print('csv'), { record_delimiter: '\n' });
      const tsv = linesOf(await print('tsv')).map((line) => line.split('\t'));

      const whole = [columns, ...rows];
      const readCsv = csv.map((fields) => fields.map(unescaped));
      const readTsv = tsv.map((fields) => fields.map(unescapedTsv));
      expect([readCsv, readTsv], codeOf(space)).toEqual([whole, whole]);
    }
  });
});

function codeOf(space: string): string {
  return `U+${space.charCodeAt(0).toString(16)}`;
}

function linesOf(text: string): string[] {
  return text.split('\n').slice(0, -1);
}

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
