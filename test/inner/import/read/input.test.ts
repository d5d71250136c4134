import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe } from 'vitest';
import { Failure, Interruption } from '../../../../src/errors.ts';
import { type InputFormat, readInput } from '../../../../src/import/read/input.ts';
import { expect, test } from '../../../support/petstore.ts';
import { type Bytes, readChunks, readStream } from '../../../support/read-input.ts';
import { trials } from '../../../support/trials.ts';

const noInput = () => Readable.from([]);
const utf8 = (text: string) => Buffer.from(text);
const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;

describe('a right input', () => {
  test.for<{ what: string; format: InputFormat; text: string; rows: unknown[] }>([
    {
      what: 'CSV whose columns are swapped',
      format: 'csv',
      text: 'description,name\nQuiet,rabbit\n',
      rows: [{ line: 2, name: 'rabbit', description: 'Quiet' }],
    },
    {
      what: 'CSV with names alone',
      format: 'csv',
      text: 'name\nrabbit',
      rows: [{ line: 2, name: 'rabbit' }],
    },
    {
      what: 'CSV with nothing, and with an empty text, as description',
      format: 'csv',
      text: 'name,description\na,\nb,""\n',
      rows: [
        { line: 2, name: 'a' },
        { line: 3, name: 'b', description: '' },
      ],
    },
    {
      what: 'CSV with all kinds of line ends and empty lines',
      format: 'csv',
      text: '\r\n\nname,description\r\n\r\n\na,1\rb,2\n\r\r\nc,"x\r\ny\rz\n"\r\nd,4\r\n',
      rows: [
        { line: 6, name: 'a', description: '1' },
        { line: 7, name: 'b', description: '2' },
        { line: 10, name: 'c', description: 'x\r\ny\rz\n' },
        { line: 14, name: 'd', description: '4' },
      ],
    },
    {
      what: 'CSV with a byte order mark',
      format: 'csv',
      text: '\ufeffname\nrabbit\n',
      rows: [{ line: 2, name: 'rabbit' }],
    },
    {
      what: 'TSV with escapes, quotes, empty lines and all kinds of line ends',
      format: 'tsv',
      text: `description\tname\r\n\n${String.raw`a\tb\nc\rd\\ne\u{1b}\x`}\tsay "hi"\r\t c \n`,
      rows: [
        { line: 3, name: 'say "hi"', description: 'a\tb\nc\rd\\ne\u001b\\x' },
        { line: 4, name: ' c ' },
      ],
    },
    {
      what: 'JSON on many lines',
      format: 'json',
      text: '[\r\n  {\r\n    "name": "a"\r\n  },\r\n  {"name": "b", "description": ""}\r\n]\r\n',
      rows: [
        { line: 2, name: 'a' },
        { line: 5, name: 'b', description: '' },
      ],
    },
    {
      what: 'JSON with a byte order mark',
      format: 'json',
      text: '\ufeff[{"name":"a"}]',
      rows: [{ line: 1, name: 'a' }],
    },
    {
      what: 'NDJSON with empty lines, and without a last line end',
      format: 'ndjson',
      text: '\n{"name":"a"}\r\n \t\r\n  {"name":"b"}',
      rows: [
        { line: 2, name: 'a' },
        { line: 4, name: 'b' },
      ],
    },
    {
      what: 'YAML as an export has it',
      format: 'yaml',
      text: '- name: a\n  description: "b\\u001b: #"\n- name: "123"\n- name: c\n  description: ""\n',
      rows: [
        { line: 1, name: 'a', description: 'b\u001b: #' },
        { line: 3, name: '123' },
        { line: 4, name: 'c', description: '' },
      ],
    },
    {
      what: 'YAML as people write it',
      format: 'yaml',
      text: [
        '# pets',
        '--- # all of them',
        '',
        '  - name: guinea pig # small',
        '    description: >-',
        '      folded',
        '      - text',
        '  # not an item',
        '  -',
        "    name: 'it''s'",
        '    description: |',
        '      two',
        '      # lines',
        '',
        '  - {description: "a\\',
        '      b", name: c}',
        '...',
        '# the end',
      ].join('\r\n'),
      rows: [
        { line: 4, name: 'guinea pig', description: 'folded - text' },
        { line: 9, name: "it's", description: 'two\n# lines\n' },
        { line: 15, name: 'c', description: 'ab' },
      ],
    },
  ])('$what is read', async ({ format, text, rows }) => {
    const input = await readChunks(format, [text]);

    expect(input).toMatchObject({ source: 'standard input', path: undefined, notices: [] });
    expect(input.rows).toEqual(rows);
  });

  test.for<{ format: InputFormat; text: string; notice: string }>([
    { format: 'csv', text: 'id,name\n1,a\n2,b\n', notice: 'ignoring column "id"' },
    { format: 'tsv', text: 'id\tname\n1\ta\n2\tb\n', notice: 'ignoring column "id"' },
    {
      format: 'json',
      text: '[{"id":1,"name":"a"},{"id":2,"name":"b"}]',
      notice: 'ignoring field "id"',
    },
    {
      format: 'ndjson',
      text: '{"id":1,"name":"a"}\n{"id":2,"name":"b"}\n',
      notice: 'ignoring field "id"',
    },
    {
      format: 'yaml',
      text: '- id: -9223372036854775808\n  name: a\n- id: 2\n  name: b\n',
      notice: 'ignoring field "id"',
    },
  ])('the ids of an export in $format are passed over, which is said once', async (given) => {
    const { rows, notices } = await readChunks(given.format, [given.text]);

    expect(rows).toMatchObject([{ name: 'a' }, { name: 'b' }]);
    expect(rows?.[0]).not.toHaveProperty('id');
    expect(notices).toEqual([`${given.notice}: the service assigns ids`]);
  });

  test.for([
    { name: 'a.csv', text: 'name\na\n' },
    { name: 'a.tsv', text: 'name\na\n' },
    { name: 'a.yaml', text: '- name: a\n' },
    { name: 'a.yml', text: '- name: a\n' },
    { name: 'a.JSON', text: '[{"name":"a"}]' },
    { name: 'a.NdJson', text: '{"name":"a"}' },
    { name: 'a.jsonl', text: '{"name":"a"}' },
  ])('$name is read by its extension', async ({ name, text }, { folder }) => {
    writeFileSync(join(folder, name), text);

    expect(await readStream(undefined, noInput(), join(folder, name))).toMatchObject({
      rows: [{ name: 'a' }],
    });
  });

  test('a file is named as given, and by its real path and the hash of its bytes', async ({
    folder,
  }) => {
    const bytes = utf8('\ufeffname\r\nrabbit\r\n');
    writeFileSync(join(folder, 'real.txt'), bytes);
    symlinkSync('real.txt', join(folder, 'link'));

    expect(await readStream('csv', noInput(), join(folder, 'link'))).toMatchObject({
      source: join(folder, 'link'),
      path: join(realpathSync(folder), 'real.txt'),
      sha256: createHash('sha256').update(bytes).digest('hex'),
    });
  });
});

describe('a wrong input is refused with its place', () => {
  const mebi = 1024 * 1024;
  const half = String.raw`\ud83d`;

  test.for<{ format: InputFormat; text: Bytes; wrong: string }>([
    // Text
    { format: 'csv', text: '', wrong: ' has no rows' },
    { format: 'csv', text: '\n\r\n', wrong: ' has no rows' },
    { format: 'csv', text: 'name,description\n', wrong: ' has no rows' },
    { format: 'json', text: '', wrong: ' has no rows' },
    { format: 'json', text: ' \n', wrong: ' has no rows' },
    { format: 'json', text: ' [ ] ', wrong: ' has no rows' },
    { format: 'ndjson', text: '\n\n', wrong: ' has no rows' },
    {
      format: 'csv',
      text: 'name\nab\0c\n',
      wrong: ':2:3: unexpected NUL byte (not a text file); the rest was not read',
    },
    {
      format: 'csv',
      text: Buffer.from('\ufeffname\n', 'utf16le'),
      wrong: ':1:1: UTF-16 is not supported; save the file as UTF-8',
    },
    {
      format: 'json',
      text: Buffer.from('\ufeff[]', 'utf16le').swap16(),
      wrong: ':1:1: UTF-16 is not supported; save the file as UTF-8',
    },
    {
      format: 'csv',
      text: Buffer.from('6e616d650d0ac3a9ff0a', 'hex'),
      wrong: ':2:2: invalid UTF-8 (byte offset 8); the rest was not read',
    },
    {
      format: 'csv',
      text: Buffer.from('6e616d650a61e282', 'hex'),
      wrong: ':2:2: invalid UTF-8 (byte offset 6); the rest was not read',
    },
    // CSV
    {
      format: 'csv',
      text: '\nnmae\na\n',
      wrong: ' has 2 errors, the first at 2:1: unknown column "nmae"; did you mean "name"?',
    },
    {
      format: 'csv',
      text: 'name;description\na;b\n',
      wrong: ':1:1: the separator must be a comma; the rest was not read',
    },
    {
      format: 'csv',
      text: 'name\tdescription\na\tb\n',
      wrong: ':1:1: the separator must be a comma; the rest was not read',
    },
    {
      format: 'csv',
      text: 'name, Description\na,b\n',
      wrong: ':1:6: unknown column " Description"; did you mean "description"?',
    },
    {
      format: 'csv',
      text: 'name,"x",id\na,b,c\n',
      wrong: ':1:6: unknown column "x"; columns: name, description',
    },
    {
      format: 'csv',
      text: 'name,descriptoin\na,b\n',
      wrong: ':1:6: unknown column "descriptoin"; did you mean "description"?',
    },
    {
      format: 'csv',
      text: 'name,__proto__\na,b\n',
      wrong: ':1:6: unknown column "__proto__"; columns: name, description',
    },
    {
      format: 'csv',
      text: `name,${'x'.repeat(50)}\na,b\n`,
      wrong: `:1:6: unknown column "${'x'.repeat(40)}…"; columns: name, description`,
    },
    { format: 'csv', text: 'name,name\na,b\n', wrong: ':1:6: duplicate column "name"' },
    {
      format: 'csv',
      text: 'description\nb\n',
      wrong: ':1:1: missing column "name"; the rest was not read',
    },
    { format: 'csv', text: 'name,description\na\n', wrong: ':2:1: expected 2 fields, got 1' },
    {
      format: 'csv',
      text: 'name,description\n"a,\n",b,c\n',
      wrong: ':3:5: expected 2 fields, got 3',
    },
    {
      format: 'csv',
      text: 'description,name\n"x""\r\ny", \n',
      wrong: ':3:4: name must not be blank',
    },
    { format: 'csv', text: 'name\n""\n', wrong: ':2:1: name must not be blank' },
    {
      format: 'csv',
      text: 'name,description\r\na,1\r\n\r\n\nb,"2\n3\n',
      wrong: ':5:3: missing closing quote',
    },
    {
      format: 'csv',
      text: 'name\na"b\n',
      wrong:
        ':2:2: unescaped quote in a field; quote the field and double its quotes; the rest was not read',
    },
    {
      format: 'csv',
      text: 'name,description\na,"x\ny"z\n',
      wrong: ':3:2: expected a comma or newline after the closing quote; the rest was not read',
    },
    {
      format: 'csv',
      text: `name,description\na,"${'x'.repeat(mebi + 1)}"\n`,
      wrong: ':2:3: row longer than 1 MiB; the rest was not read',
    },
    {
      format: 'csv',
      text: `name,description\na${','.repeat(2 * mebi)}`,
      wrong: ':2:1: row longer than 1 MiB; the rest was not read',
    },
    // TSV
    { format: 'tsv', text: '', wrong: ' has no rows' },
    { format: 'tsv', text: '\nname\tdescription\n', wrong: ' has no rows' },
    {
      format: 'tsv',
      text: 'name,description\na,b\n',
      wrong: ':1:1: the separator must be a tab; the rest was not read',
    },
    {
      format: 'tsv',
      text: 'name\tdescriptoin\na\tb\n',
      wrong: ':1:6: unknown column "descriptoin"; did you mean "description"?',
    },
    { format: 'tsv', text: 'name\tid\na\t1\nb\n', wrong: ':3:1: expected 2 fields, got 1' },
    { format: 'tsv', text: 'name\tid\n\na"\t"1\t2\n', wrong: ':3:7: expected 2 fields, got 3' },
    { format: 'tsv', text: 'id\tname\n"1\t \n', wrong: ':2:4: name must not be blank' },
    {
      format: 'tsv',
      text: 'id\tname\n1\ta\\u{d83d}\n',
      wrong: ':2:3: name contains an unpaired surrogate',
    },
    {
      format: 'tsv',
      text: `name\n${'x'.repeat(mebi + 1)}`,
      wrong: ':2:1: line longer than 1 MiB; the rest was not read',
    },
    // JSON
    {
      format: 'json',
      text: '\n {"name":"a"}',
      wrong: ':2:2: expected a JSON array such as [{"name": "dog"}]; the rest was not read',
    },
    {
      format: 'json',
      text: '[{"name":"a"}] x',
      wrong: ':1:16: unexpected text after the array; the rest was not read',
    },
    {
      format: 'json',
      text: '[{"name":"a"}\n{"name":"b"}]',
      wrong: ':2:1: expected "," or "]"; the rest was not read',
    },
    {
      format: 'json',
      text: '[{"name":"a"},\n]',
      wrong: ':2:1: expected a value; the rest was not read',
    },
    {
      format: 'json',
      text: '[,{"name":"a"}]',
      wrong: ':1:2: expected a value; the rest was not read',
    },
    { format: 'json', text: '[}', wrong: ':1:2: expected a value; the rest was not read' },
    { format: 'json', text: '[{"name":"a"},\r\n', wrong: ':2:1: unexpected end of input' },
    {
      format: 'json',
      text: '[\n{"name":"]}',
      wrong: ':2:1: unexpected end of input inside an element',
    },
    { format: 'json', text: '[{"name":"a"},\n {"name":tru}]', wrong: ':2:10: expected a value' },
    {
      format: 'json',
      text: '[{\n"name":"a",\n"name":"b"}]',
      wrong: ':3:1: duplicate field "name"',
    },
    {
      format: 'json',
      text: `[${'['.repeat(34)}${']'.repeat(34)}]`,
      wrong: ':1:35: nested more than 32 levels deep',
    },
    { format: 'json', text: '[ 1]', wrong: ':1:3: must be an object such as {"name": "rabbit"}' },
    { format: 'json', text: '[[]]', wrong: ':1:2: must be an object such as {"name": "rabbit"}' },
    { format: 'json', text: '[\n{"description":"x"}]', wrong: ':2:1: name is missing' },
    {
      format: 'json',
      text: '[{"description":"\\"name\\"",\n "name":{"name":1}}]',
      wrong: ':2:2: name must be a string, not an object',
    },
    {
      format: 'json',
      text: '[{"description":"name",\n "name":1}]',
      wrong: ':2:2: name must be a string, not a number',
    },
    {
      format: 'json',
      text: '[{"description":{"name":1},\n "name":" "}]',
      wrong: ':2:2: name must not be blank',
    },
    {
      format: 'json',
      text: '[{"description":"{\\"",\n "name":" "}]',
      wrong: ':2:2: name must not be blank',
    },
    {
      format: 'json',
      text: '[{"name":"a","description":null}]',
      wrong: ':1:14: description must be a string, not null',
    },
    {
      format: 'json',
      text: '[{"name":"a","x":{"name":"b"}}]',
      wrong: ':1:14: unknown field "x"; fields: name, description',
    },
    {
      format: 'json',
      text: '[{"name":"a","__proto__":{"name":"b"}}]',
      wrong: ':1:14: unknown field "__proto__"; fields: name, description',
    },
    {
      format: 'json',
      text: `[{"name":"a${half}"}]`,
      wrong: ':1:3: name contains an unpaired surrogate',
    },
    {
      format: 'json',
      text: `[{"name":"a","description":"${half}${half}"}]`,
      wrong: ':1:14: description contains an unpaired surrogate',
    },
    {
      format: 'json',
      text: `[{"name":"a"},\n{"name":"${'x'.repeat(mebi)}"}]`,
      wrong: ':2:1: an element is longer than 1 MiB; the rest was not read',
    },
    {
      format: 'json',
      text: `[{"name":"a"},\n{"name":"${'x'.repeat(mebi)}`,
      wrong: ':2:1: an element is longer than 1 MiB; the rest was not read',
    },
    // YAML
    { format: 'yaml', text: '', wrong: ' has no rows' },
    { format: 'yaml', text: '[]\n', wrong: ' has no rows' },
    { format: 'yaml', text: '# none\n---\n...\n', wrong: ' has no rows' },
    { format: 'yaml', text: '- name: 123\n', wrong: ':1:9: name must be text; put it in quotes' },
    {
      format: 'yaml',
      text: '- name: -1.5e3\n',
      wrong: ':1:9: name must be text; put it in quotes',
    },
    { format: 'yaml', text: '- name: 0x1f\n', wrong: ':1:9: name must be text; put it in quotes' },
    { format: 'yaml', text: '- name: 0o17\n', wrong: ':1:9: name must be text; put it in quotes' },
    { format: 'yaml', text: '- name: 017\n', wrong: ':1:9: name must be text; put it in quotes' },
    { format: 'yaml', text: '- name: 1_000\n', wrong: ':1:9: name must be text; put it in quotes' },
    {
      format: 'yaml',
      text: '- name: 12:30:45\n',
      wrong: ':1:9: name must be text; put it in quotes',
    },
    {
      format: 'yaml',
      text: '- name: 2026-11-20\n',
      wrong: ':1:9: name must be text; put it in quotes',
    },
    { format: 'yaml', text: '- name: true\n', wrong: ':1:9: name must be text; put it in quotes' },
    { format: 'yaml', text: '- name: No\n', wrong: ':1:9: name must be text; put it in quotes' },
    { format: 'yaml', text: '- name: on\n', wrong: ':1:9: name must be text; put it in quotes' },
    { format: 'yaml', text: '- name: y\n', wrong: ':1:9: name must be text; put it in quotes' },
    { format: 'yaml', text: '- name: ~\n', wrong: ':1:9: name must be text; put it in quotes' },
    { format: 'yaml', text: '- name: null\n', wrong: ':1:9: name must be text; put it in quotes' },
    { format: 'yaml', text: '- name: .inf\n', wrong: ':1:9: name must be text; put it in quotes' },
    { format: 'yaml', text: '- name: .nan\n', wrong: ':1:9: name must be text; put it in quotes' },
    {
      format: 'yaml',
      text: '- name: a\n  description: 7\n',
      wrong: ':2:16: description must be text; put it in quotes',
    },
    {
      format: 'yaml',
      text: '- name: a\n  description:\n',
      wrong: ':2:3: description is missing a value; for an empty text: description: ""',
    },
    { format: 'yaml', text: '- name: [a]\n', wrong: ':1:9: name must be text' },
    { format: 'yaml', text: '- name: {a: b}\n', wrong: ':1:9: name must be text' },
    { format: 'yaml', text: '-\n  - a\n', wrong: ':2:3: must be a mapping such as "name: rabbit"' },
    { format: 'yaml', text: '- dog\n', wrong: ':1:3: must be a mapping such as "name: rabbit"' },
    { format: 'yaml', text: '-\n', wrong: ':1:2: must be a mapping such as "name: rabbit"' },
    { format: 'yaml', text: '- description: a\n', wrong: ':1:1: name is missing' },
    { format: 'yaml', text: '- name: " "\n', wrong: ':1:9: name must not be blank' },
    {
      format: 'yaml',
      text: '- name: "a\\ud83d"\n',
      wrong: ':1:9: name contains an unpaired surrogate',
    },
    {
      format: 'yaml',
      text: '- name: a\n  legs: 4\n',
      wrong: ':2:3: unknown field "legs"; fields: name, description',
    },
    {
      format: 'yaml',
      text: '- name: a\n  <<: {name: b}\n',
      wrong: ':2:3: unknown field "<<"; fields: name, description',
    },
    {
      format: 'yaml',
      text: '- name: a\n  ? [b]\n  : c\n',
      wrong: ':2:5: unknown field ""; fields: name, description',
    },
    { format: 'yaml', text: '- name: a\n  name: b\n', wrong: ':2:3: duplicate field "name"' },
    { format: 'yaml', text: '- name: &x a\n', wrong: ':1:12: anchors are not supported' },
    { format: 'yaml', text: '- &x\n  name: a\n', wrong: ':2:3: anchors are not supported' },
    { format: 'yaml', text: '- name: *x\n', wrong: ':1:9: aliases are not supported' },
    { format: 'yaml', text: '- name: !!str 1\n', wrong: ':1:15: tags are not supported' },
    { format: 'yaml', text: '- name: !x 1\n', wrong: ':1:12: tags are not supported' },
    { format: 'yaml', text: '- !!map {name: a}\n', wrong: ':1:9: tags are not supported' },
    { format: 'yaml', text: '- name: "a\n', wrong: ':2:1: invalid YAML: missing closing quote' },
    { format: 'yaml', text: `- name: ${'['.repeat(20_000)}\n`, wrong: ':1:1: nested too deeply' },
    {
      format: 'yaml',
      text: '- name: a: b\n',
      wrong: ':1:9: invalid YAML: nested mappings are not allowed in compact mappings',
    },
    {
      format: 'yaml',
      text: 'name: a\n',
      wrong: ':1:1: expected a YAML list such as "- name: dog"; the rest was not read',
    },
    {
      format: 'yaml',
      text: '\n [{name: a}]\n',
      wrong: ':2:2: expected a YAML list such as "- name: dog"; the rest was not read',
    },
    {
      format: 'yaml',
      text: '--- [{name: a}]\n',
      wrong: ':1:1: expected a YAML list such as "- name: dog"; the rest was not read',
    },
    {
      format: 'yaml',
      text: '- name: a\ndescription: b\n',
      wrong:
        ':2:1: expected "- ", or the fields of an item indented below it; the rest was not read',
    },
    {
      format: 'yaml',
      text: '- name: a\n---\n- name: b\n',
      wrong: ':2:1: a file must be one YAML document; the rest was not read',
    },
    {
      format: 'yaml',
      text: '- name: a\n...\n- name: b\n',
      wrong: ':3:1: a file must be one YAML document; the rest was not read',
    },
    {
      format: 'yaml',
      text: '%YAML 1.1\n---\n- name: a\n',
      wrong: ':1:1: directives are not supported; the rest was not read',
    },
    {
      format: 'yaml',
      text: `- name: a\n- name: ${'x'.repeat(mebi)}\n`,
      wrong: ':2:1: line longer than 1 MiB; the rest was not read',
    },
    {
      format: 'yaml',
      text: `- name: a\n- name: |\n${'    x\n'.repeat(mebi / 5)}`,
      wrong: ':2:1: item longer than 1 MiB; the rest was not read',
    },
    // NDJSON
    {
      format: 'ndjson',
      text: '{"name":"a"}\n\n  {"name":"b",}',
      wrong: ':3:15: expected a field name in double quotes',
    },
    {
      format: 'ndjson',
      text: '{"name":"a"}\r\n {"name":" "}\r\n',
      wrong: ':2:3: name must not be blank',
    },
    {
      format: 'ndjson',
      text: '{"name":"a"} {"name":"b"}\n',
      wrong: ':1:14: unexpected text after the JSON value',
    },
    {
      format: 'ndjson',
      text: '[\n{"name":"a"}]\n',
      wrong: ':1:1: expected one JSON object per line, got an array; the rest was not read',
    },
    {
      format: 'ndjson',
      text: '{"name":"a"}\n[{"name":"a"}]\n',
      wrong: ':2:1: must be an object such as {"name": "rabbit"}',
    },
    {
      format: 'ndjson',
      text: `\n{"name":"${'x'.repeat(mebi)}"}`,
      wrong: ':2:1: line longer than 1 MiB; the rest was not read',
    },
  ])('$format: $wrong', async ({ format, text, wrong }) => {
    for (const chunks of [[text], byteChunks(text)]) {
      const { failure } = await readChunks(format, chunks);

      expect(failure?.message).toBe(`standard input${wrong}`);
      expect(failure).toMatchObject({ kind: 'usage', exitCode: 2 });
      expect(failure?.details).toMatchObject({
        consequence: 'Nothing was sent.',
        outcome: 'not_sent',
      });
    }
  });

  test('what is no array may be one object per line', async () => {
    const { failure } = await readChunks('json', ['{"name":"a"}\n{"name":"b"}\n']);

    expect(failure?.details.hint).toBe('For one object per line: --format ndjson');
  });

  test.for<{ format: InputFormat; text: string; hint: string }>([
    {
      format: 'csv',
      text: 'name;description\na;b\n',
      hint: 'Save it with commas, in a spreadsheet as "CSV UTF-8 (comma delimited)", or with tabs as .tsv.',
    },
    {
      format: 'csv',
      text: 'name\tdescription\na\tb\n',
      hint: 'For tab-separated values: --format tsv',
    },
    {
      format: 'tsv',
      text: 'name,description\na,b\n',
      hint: 'For comma-separated values: --format csv',
    },
  ])('what to do about another separator is said: $hint', async ({ format, text, hint }) => {
    const { failure } = await readChunks(format, [text]);

    expect(failure?.details.hint).toBe(hint);
  });

  test.for([
    { name: 'pets.csv', command: "'FOLDER/pets.csv' > 'FOLDER/pets.utf8.csv'" },
    {
      name: "our pets'.TXT",
      command: "'FOLDER/our pets'\"'\"'.TXT' > 'FOLDER/our pets'\"'\"'.utf8.TXT'",
    },
    { name: 'pets', command: "'FOLDER/pets' > 'FOLDER/pets.utf8'" },
  ])('how to convert UTF-16 is said: $name', async ({ name, command }, { folder }) => {
    const file = join(folder, name);
    writeFileSync(file, Buffer.from('\ufeffname\nrabbit\n', 'utf16le'));

    const { failure } = await readStream('csv', noInput(), file);
    expect(failure?.details.hint).toBe(
      `Convert it: iconv -f UTF-16 -t UTF-8 ${command.replaceAll('FOLDER', folder)}`,
    );
  });

  test.for([
    {
      what: 'UTF-16',
      bytes: Buffer.from('\ufeffname\n', 'utf16le'),
      hint: 'Convert it: iconv -f UTF-16 -t UTF-8',
    },
    {
      what: 'UTF-16 without a byte order mark',
      bytes: Buffer.from('name\n', 'utf16le'),
      hint: 'Convert it: iconv -f UTF-16LE -t UTF-8',
    },
    {
      what: 'the other UTF-16',
      bytes: Buffer.from('name\n', 'utf16le').swap16(),
      hint: 'Convert it: iconv -f UTF-16BE -t UTF-8',
    },
    {
      what: 'an encoding of one byte per character',
      bytes: Buffer.from('name\ncaf\u00e9\n', 'latin1'),
      hint: 'If it is Windows-1252: iconv -f WINDOWS-1252 -t UTF-8',
    },
  ])('how to convert $what on standard input is said', async ({ bytes, hint }) => {
    const { failure } = await readChunks('csv', [bytes]);

    expect(failure?.details.hint).toBe(hint);
  });

  test('what to do about an array in NDJSON is said', async () => {
    const { failure } = await readChunks('ndjson', ['[{"name":"a"}]']);

    expect(failure?.details.hint).toBe('For one JSON array: --format json');
  });

  test('quotes around a field of TSV are kept, with a warning', async () => {
    const { rows, notices } = await readChunks('tsv', ['name\n"a ""b"" c"\n"c"\n']);

    expect(rows).toMatchObject([{ name: '"a ""b"" c"' }, { name: '"c"' }]);
    expect(notices).toEqual([
      'line 2: the quotes are part of the text, because TSV has no quoting',
    ]);
  });

  test('many faults are listed, the first 20 of them, and counted', async () => {
    const text = `name\na\n${'" "\n'.repeat(37)}`;

    const { failure } = await readChunks('csv', [text]);
    const faults = failure?.details.faults ?? [];

    expect(failure?.message).toBe(
      'standard input has 37 errors (first 20 listed), the first at 3:1: name must not be blank',
    );
    expect(faults).toHaveLength(20);
    expect(faults.at(-1)).toBe('standard input:22:1: name must not be blank');
  });

  test('a fault that ends the reading comes after those before it', async () => {
    const { failure } = await readChunks('csv', ['name\n" "\na,b\nc"d\n']);

    expect(failure?.message).toMatch(/^standard input has 3 errors, the first at 2:1: /);
    expect(failure?.details.faults).toEqual([
      'standard input:2:1: name must not be blank',
      'standard input:3:3: expected 1 field, got 2',
      expect.stringMatching(/^standard input:4:2: unescaped quote in a field/),
    ]);
  });

  test('wrong rows count too', async () => {
    const { failure } = await readChunks('ndjson', ['1\n'.repeat(100_002)]);

    expect(failure?.message).toMatch(/^standard input has 100,001 errors /);
  });
});

/** One byte a chunk; long texts in pieces, each an odd number of bytes. */
function byteChunks(text: Bytes): Uint8Array[] {
  const bytes = Buffer.from(text);
  const size = bytes.length > 10_000 ? 10_007 : 1;
  const count = Math.ceil(bytes.length / size);
  return [...Array(count).keys()].map((at) => bytes.subarray(at * size, (at + 1) * size));
}

describe('an input that cannot be read', () => {
  test.for([
    { name: 'missing.csv', message: 'file not found: NAME' },
    { name: 'file.csv/below.csv', message: 'file not found: NAME' },
    { name: 'folder.csv', message: 'NAME is a directory' },
    { name: 'loop.csv', message: 'cannot read NAME (ELOOP)' },
    {
      name: 'pipe.csv',
      message: 'NAME is not a regular file',
      hint: 'Read it from standard input instead: pass - and < NAME',
    },
    {
      name: 'file.txt',
      message: 'the format of NAME is unknown',
      hint: 'Add --format csv|tsv|json|ndjson|yaml.',
    },
  ])('$message: $name', async ({ name, message, hint }, { folder }) => {
    writeFileSync(join(folder, 'file.csv'), 'name\na\n');
    writeFileSync(join(folder, 'file.txt'), 'name\na\n');
    mkdirSync(join(folder, 'folder.csv'));
    symlinkSync('loop.csv', join(folder, 'loop.csv'));
    execFileSync('mkfifo', [join(folder, 'pipe.csv')]);
    const file = join(folder, name);

    const { failure } = await readStream(undefined, noInput(), file);

    expect(failure).toMatchObject({ kind: 'usage', message: message.replace('NAME', file) });
    expect(failure?.details.hint).toBe(hint?.replace('NAME', file));
  });

  test('standard input needs a format', async () => {
    expect((await readChunks(undefined, [])).failure).toMatchObject({
      message: 'the format of standard input is unknown',
      details: { hint: 'Add --format csv|tsv|json|ndjson|yaml.' },
    });
  });

  test('standard input may break', async () => {
    const broken = new Readable({
      read() {
        this.destroy(Object.assign(new Error('no'), { code: 'EISDIR' }));
      },
    });

    expect((await readStream('csv', broken)).failure?.message).toBe(
      'cannot read standard input (EISDIR)',
    );
  });

  test('an interruption ends the wait for standard input', async () => {
    const silent = new Readable({ read() {} });
    silent.push('name\na\n');
    const controller = new AbortController();
    const reading = readInput(
      { stdin: silent, signal: controller.signal, platform: 'linux' },
      '-',
      'csv',
      () => {},
    );
    setImmediate(() => controller.abort(new Interruption(143)));

    await expect(reading).rejects.toMatchObject({ exitCode: 143 });
    expect(silent.destroyed).toBe(true);
  });

  test('an interruption before it is heeded as well', async () => {
    const controller = new AbortController();
    controller.abort(new Interruption(130));
    const stdin = new Readable({ read() {} });
    const context = { stdin, signal: controller.signal, platform: 'linux' };

    await expect(readInput(context, '-', 'csv', () => {})).rejects.toMatchObject({ exitCode: 130 });
  });
});

describe('whatever the layout and the chunks', () => {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: fc.constantFrom('"', ',', '\n', '\r', '\\', 'é', '🐇', '{', ']', ' ') }),
  );
  const withoutNul = text.filter((value) => !value.includes('\0'));
  const row = fc.record(
    { name: withoutNul.filter((name) => name.trim() !== ''), description: withoutNul },
    { requiredKeys: ['name'] },
  );
  const rows = fc.array(row, { minLength: 1, maxLength: 8 });
  const cuts = fc.array(fc.nat({ max: 400 }), { maxLength: 20 });
  const namesAndDescriptions = (list: readonly object[] | undefined) =>
    list?.map((item) => ({ ...item, line: undefined }));

  async function expectRows(format: InputFormat, text: string, at: number[], expected: object[]) {
    const bytes = utf8(text);
    const edges = [0, ...[...at].sort((a, b) => a - b), bytes.length];
    const chunks = edges.slice(1).map((edge, index) => bytes.subarray(edges[index], edge));
    const { rows, failure } = await readChunks(format, chunks);
    expect(failure).toBeUndefined();
    expect(namesAndDescriptions(rows)).toEqual(
      namesAndDescriptions(expected.map((item) => ({ ...item }))),
    );
  }

  test('CSV gives the rows that went in', async () => {
    const lineEnd = fc.constantFrom('\n', '\r\n', '\r', '\n\n', '\r\n\r\n');
    const ends = fc.infiniteStream(lineEnd);
    const field = (value: string | undefined, quotes: boolean) => {
      if (value === undefined) return '';
      return quotes || value === '' || /[",\r\n]/.test(value) ? quoted(value) : value;
    };
    await fc.assert(
      fc.asyncProperty(rows, ends, fc.boolean(), cuts, async (given, ends, quotes, at) => {
        const end = () => ends.next().value;
        const lines = given.map(
          ({ name, description }) => `${field(name, quotes)},${field(description, quotes)}`,
        );
        const csv = ['name,description', ...lines].map((line) => line + end()).join('');
        await expectRows('csv', csv, at, given);
      }),
      trials(500),
    );
  });

  test('JSON gives the rows that went in', async () => {
    await fc.assert(
      fc.asyncProperty(rows, fc.constantFrom(0, 1, '\t'), cuts, async (given, indent, at) => {
        await expectRows('json', JSON.stringify(given, null, indent), at, given);
      }),
      trials(500),
    );
  });

  test('NDJSON gives the rows that went in', async () => {
    await fc.assert(
      fc.asyncProperty(rows, fc.constantFrom('\n', '\r\n'), cuts, async (given, end, at) => {
        const lines = given.map((item) => JSON.stringify(item) + end);
        await expectRows('ndjson', lines.join(''), at, given);
      }),
      trials(500),
    );
  });

  test('nothing but a Failure comes of random bytes, and the same one in other chunks', async () => {
    const format = fc.constantFrom<InputFormat[]>('csv', 'json', 'ndjson');
    const piece = fc.constantFrom(
      ...['name', 'description', ',', '"', '\n', '\r', '[', ']', '{', '}', ':', '"name":"a"', ' '],
      ...['\ufeff', 'é', '\0', '\\', '1', 'id'],
    );
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      fc.array(piece, { maxLength: 30 }).map((pieces) => utf8(pieces.join(''))),
      fc.array(piece, { maxLength: 30 }).map((pieces) => utf8(`name\n${pieces.join('')}`)),
    );
    await fc.assert(
      fc.asyncProperty(format, bytes, async (format, bytes) => {
        const whole = await readChunks(format, [bytes]);
        expect(whole.rows === undefined).toBe(whole.failure instanceof Failure);
        const cut = await readChunks(format, byteChunks(bytes));
        expect(cut).toEqual(whole);
      }),
      trials(2_000),
    );
  });
});
