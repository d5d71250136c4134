import { createHash } from 'node:crypto';
import { realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe } from 'vitest';
import type { InputFormat } from '../../../../src/import/read/input.ts';
import { expect, test } from '../../../support/petstore.ts';
import { type Bytes, readChunks, readStream } from '../../../support/read-input.ts';

const noInput = () => Readable.from([]);
const utf8 = (text: string) => Buffer.from(text);
const _quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;

describe('a right input', () => {
  test.for<{ what: string; format: InputFormat; text: string; rows: unknown[] }>([
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
    { name: 'a.yaml', text: '- name: a\n' },
    { name: 'a.yml', text: '- name: a\n' },
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
  const _half = String.raw`\ud83d`;

  test.for<{ format: InputFormat; text: Bytes; wrong: string }>([
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
    {
      format: 'tsv',
      text: `name\n${'x'.repeat(mebi + 1)}`,
      wrong: ':2:1: line longer than 1 MiB; the rest was not read',
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
});

/** One byte a chunk; long texts in pieces, each an odd number of bytes. */
function byteChunks(text: Bytes): Uint8Array[] {
  const bytes = Buffer.from(text);
  const size = bytes.length > 10_000 ? 10_007 : 1;
  const count = Math.ceil(bytes.length / size);
  return [...Array(count).keys()].map((at) => bytes.subarray(at * size, (at + 1) * size));
}
