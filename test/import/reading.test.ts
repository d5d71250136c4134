import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe } from 'vitest';
import { optionalFields } from '../support/categories.ts';
import { test as base, expect } from '../support/petstore.ts';
import { trials } from '../support/trials.ts';

type Bytes = string | Uint8Array;
type Row = { readonly line: number; readonly name: string; readonly description?: string };
type Read = {
  readonly exitCode: number;
  /** The rows that were sent, each with its line. */
  readonly rows: readonly Row[];
  readonly notices: readonly string[];
  readonly error: { readonly message: string; readonly faults?: readonly string[] } | undefined;
};

const MiB = 1024 * 1024;

const test = base.extend<{ read: (format: string, chunks: Iterable<Bytes>) => Promise<Read> }>({
  /** Imports standard input. */
  read: async ({ petstore, sandbox }, use) => {
    sandbox.plan = { minute: { limit: 1e6, length: 60_000 }, day: { limit: 1e9, length: 9e8 } };
    await use(async (format, chunks) => {
      sandbox.requests.length = 0;
      sandbox.categories.length = 0;
      const stdin = Object.assign(Readable.from(chunks), { isTTY: false });
      const argv = ['categories', 'import', '-', '--format', format, '--yes', '--json'];
      const run = await petstore(argv, { context: { stdin } });

      const posts = sandbox.requests.filter(({ method }) => method === 'POST');
      const items = run.stdout === '' ? [] : JSON.parse(run.stdout).items;
      const messages = run.events().map(({ message }) => String(message));
      return {
        exitCode: run.exitCode,
        rows: posts.map(({ body = '' }, n) => ({ line: items[n]?.line, ...JSON.parse(body) })),
        notices: messages.filter((message) => message.startsWith('ignoring')),
        error: run.events().find(({ event }) => event === 'error') as Read['error'],
      };
    });
  },
});

test.for([
  ['csv', 'Name\n'],
  ['tsv', '\nname\tdescription\n'],
  ['json', ' [ ] '],
  ['ndjson', '\n\n'],
  ['ndjson', ''],
] as const)('a %s without rows is done: %j', async ([format, text], { petstore, sandbox }) => {
  const argv = ['categories', 'import', '-', '--format', format, '--yes', '--json'];

  const { exitCode, stdout, events } = await petstore(argv, { stdin: text });

  expect([exitCode, JSON.parse(stdout).items, sandbox.requests]).toEqual([0, [], []]);
  expect(events()).toEqual([{ event: 'notice', message: 'standard input has no rows' }]);
});

describe('valid input', () => {
  test.for<[string, string, string, Row[]]>([
    ['swapped columns', 'csv', 'Description,NAME\nQuiet,dog\n', [row(2, 'dog', 'Quiet')]],
    ['a byte order mark', 'csv', '\ufeffname\ndog', [row(2, 'dog')]],
    [
      'empty texts',
      'csv',
      'name,description\na,\n\nb,""\n"c,""","\n"\r\n"e",""',
      [row(2, 'a'), row(4, 'b', ''), row(5, 'c,"', '\n'), row(7, 'e', '')],
    ],
    [
      'empty texts before a name',
      'csv',
      'id,description,name\n1,,"a,"",b"\n2,"","c"\n',
      [row(2, 'a,",b'), row(3, 'c', '')],
    ],
    [
      'all line ends',
      'csv',
      '\r\n\nname,description\r\n\r\n\na,1\rb,2\n\r\r\nc,"x\r\ny\rz\n"\r\nd,4\r\n',
      [row(6, 'a', '1'), row(7, 'b', '2'), row(10, 'c', 'x\r\ny\rz\n'), row(14, 'd', '4')],
    ],
    ['escapes', 'csv', 'name\n\\u{202e}a\\n\\u{110000}', [row(2, '\u202ea\\n\\u{110000}')]],
    [
      'what spreadsheets leave behind',
      'csv',
      'sep=,\r\n\r\n,,\r\n"Name" , Description,,\r\na,1,,\r\n,,\r\nb,,\r\n  ,\t\r\n \r\nc,3,,,,,\r\n,,,\r\n',
      [row(5, 'a', '1'), row(7, 'b'), row(10, 'c', '3')],
    ],
    ['columns without a title', 'csv', ',name,,description\n,a,,1\n', [row(2, 'a', '1')]],
    [
      'quotes of a spreadsheet',
      'tsv',
      '"Name"\t "description"\r\n"a ""c"""\t"x\ty\nz"\r\n"d"\t""\n"C:\\new"\t\n"e" f\tg "h"\n',
      [row(2, 'a "c"', 'x\ty\nz'), row(4, 'd', ''), row(5, 'C:\\new'), row(6, '"e" f', 'g "h"')],
    ],
    [
      'escapes',
      'csv',
      String.raw`name,description${'\n'}a\u{1f407}\u{5c}u{41},"\u{1b}\u{110000}\\\t\u{G}"${'\n'}`,
      [row(2, 'a🐇\\u{41}', String.raw`${'\u001b'}\u{110000}\\\t\u{G}`)],
    ],
    [
      'escapes of no character',
      'tsv',
      String.raw`name${'\n'}\u{110000}\u{G}\x\\u{41}${'\n'}`,
      [row(2, String.raw`\u{110000}\u{G}\x\u{41}`)],
    ],
    [
      'escapes and quotes',
      'tsv',
      `description\tname\r\n\n${String.raw`a\tb\nc\rd\\ne\u{1b}\x`}\tsay "hi"\r\t c",\n\\""\t\\"d`,
      [row(3, 'say "hi"', 'a\tb\nc\rd\\ne\u001b\\x'), row(4, ' c",'), row(5, '"d', '""')],
    ],
    [
      'many lines',
      'json',
      '[\r\n  {\r\n    "name": "a"\r\n  },\r\n  {"name": "b", "description": ""}\r\n]\r\n',
      [row(2, 'a'), row(5, 'b', '')],
    ],
    ['a comma at the end', 'tsv', 'name\na\n,\n\t\n', [row(2, 'a'), row(3, ',')]],
    ['null', 'json', '[{"name":"a","description":null}]', [row(1, 'a')]],
    ['a byte order mark', 'json', '\ufeff[{"name":"é\\u00e9"}]', [row(1, 'éé')]],
    [
      'empty lines',
      'ndjson',
      '\n{"name":"a"}\r\n \t\r\n  {"name":"b"}',
      [row(2, 'a'), row(4, 'b')],
    ],
  ])('with %s, as %s', async ([, format, text, rows], { read }) => {
    // One byte each.
    const chunks = [...Buffer.from(text)].map((byte) => Uint8Array.of(byte));
    const sent = await read(format, chunks);
    expect([sent.exitCode, sent.rows]).toEqual([0, rows]);
  });

  test('has ids that are ignored, which is said once', async ({ read }) => {
    for (const [format, text] of [
      ['csv', 'id,name\n1,a\n2,b\n'],
      ['tsv', 'id\tname\n1\ta\n2\tb\n'],
      ['json', '[{"id":1,"name":"a"},{"id":2,"name":"b"}]'],
      ['ndjson', '{"id":1,"name":"a"}\n{"id":2,"name":"b"}\n'],
    ] as const) {
      const { rows, notices } = await read(format, [text]);

      expect(rows, format).toMatchObject([{ name: 'a' }, { name: 'b' }]);
      expect(rows[0], format).not.toHaveProperty('id');
      expect(notices, format).toEqual(['ignoring "id": the service assigns ids']);
    }
  });

  test.for([
    ['a.csv', 'name\na\n'],
    ['a.tsv', 'name\na\n'],
    ['a.JSON', '[{"name":"a"}]'],
    ['a.NdJson', '{"name":"a"}'],
    ['a.jsonl', '{"name":"a"}'],
  ] as const)('is read by the extension: %s', async ([name, text], { petstore, folder }) => {
    writeFileSync(join(folder, name), text);
    const argv = ['categories', 'import', join(folder, name), '--dry-run', '--json'];
    const { stdout } = await petstore(argv);

    expect(JSON.parse(stdout).items).toMatchObject([{ name: 'a', intention: 'create' }]);
  });
});

test('a file of many megabytes is read whole, line by line', async ({ petstore, folder }) => {
  let text = 'name,description\n';
  let line = 2;
  const expected = Array.from({ length: 200 }, (_, n) => {
    const lines = n * 40;
    text += `"""pet"", ${n}","${'""a"",\r\n'.repeat(lines)}"\n\n`;
    line += lines + 2;
    return { line: line - lines - 2, name: `"pet", ${n}`, intention: 'create' };
  });
  const path = join(folder, 'large.csv');
  writeFileSync(path, text);

  const { stdout } = await petstore(['categories', 'import', path, '--dry-run', '--json']);

  expect(text.length).toBeGreaterThan(6 * MiB);
  expect(JSON.parse(stdout).items).toEqual(expected);
});

describe('invalid input is rejected with its place, and nothing is sent:', () => {
  const end = '; the rest was not read';
  const half = String.raw`\ud83d`;
  const lone = 'contains an unpaired surrogate';
  const many = '1,'.repeat(1_000_000);
  const save = 'Save it as UTF-8 (Excel: CSV UTF-8).';
  const separator = 'Save it with commas as .csv, or with tabs as .tsv.';
  const doubled =
    'Put the whole field in quotes, with no space before them, and double each quote in it: "a ""big"" dog".';
  const only = 'Rename or leave out all columns but name, description.';
  const alone =
    'Only this row stands in the way. Delete it in a copy of the file to import the other row.';
  const semicolons = `the columns are separated by semicolons, not by commas${end}`;
  const array = `expected a JSON array such as [{"name": "dog"}]${end}`;
  const lines = 'Add --format ndjson for one object per line, or make it an array with jq -s .';
  const oneLine = 'Each line must be one object. Write them so with jq -c .';
  const fields = ['name', ...optionalFields].join(', ');
  const emptyHint = 'A file without categories has a header, or is [].';

  type Fault = readonly [text: Bytes, fault: string, hint?: string];
  const faults: Readonly<Record<string, readonly Fault[]>> = {
    csv: [
      ['', ' is empty', emptyHint],
      ['name\né\0c\n', `:2:2: unexpected NUL byte (not a text file)${end}`],
      [Buffer.from('\ufeffname\n', 'utf16le'), `:1:1: UTF-16 is not supported${end}`, save],
      [Buffer.from('name\n', 'utf16le').swap16(), `:1:1: UTF-16 is not supported${end}`, save],
      [bytes('name\r\nc\ufffd', 'ff0a'), `:2:3: invalid UTF-8 (byte offset 10)${end}`, save],
      [bytes('\ufeff', 'ff0a'), `:1:1: invalid UTF-8 (byte offset 3)${end}`, save],
      [bytes('name\na', 'e282'), `:2:2: invalid UTF-8 (byte offset 6)${end}`, save],
      ['name;description\na;b\n', `:1: ${semicolons}`, separator],
      ['"Name"; "description"\n"a";"b"\n', `:1: ${semicolons}`, separator],
      ['sep=;\nname;description\n', `:2: ${semicolons}`, separator],
      ['\n| name | description |\n', `:2: ${semicolons.replace('semicolons', 'vertical bars')}`],
      ['\nname\tdescription\na\tb\n', `:2: ${semicolons.replace('semicolons', 'tabs')}`, separator],
      ['id  name\n1   a\n', `:1: ${semicolons.replace('semicolons', 'spaces')}`, separator],
      ['<!DOCTYPE html>\n<p>', ' is an HTML page', 'It may be a login page.'],
      ['\n<?xml version="1.0"?>', ' is XML'],
      ['[{"name":"a"}]', ' is JSON', 'Add --format json, or ndjson for one object per line.'],
      ['- id: 1\n  name: a\n', ' is YAML'],
      ['┌────┬──────┐\n', ' is a table for people', 'Write it with -o csv.'],
      ['PK\u0003\u0004\u0014\0', ' is a workbook or an archive'],
      [
        bytes('', 'd0cf11e0a1b11ae1000000'),
        ' is a workbook or an archive',
        'Save the sheet as CSV.',
      ],
      ['dog,cat\n', `:1: line 1 must be a header, for example name,description${end}`],
      [
        `name,${'x'.repeat(50)},y\na,b,\n`,
        `:1: unknown columns "${'x'.repeat(50)}", "y"; columns: ${fields}`,
        only,
      ],
      [
        `name,${Array.from({ length: 16_383 }, (_, n) => `x${n}`)}\n`,
        `:1: unknown columns "x0", "x1", "x2" and 16380 more; columns: ${fields}${end}`,
        only,
      ],
      [`name\n${'x,'.repeat(30_000)}\n`, ':2: expected 1 field, got 20000'],
      [
        `name\na\n${many.repeat(2)}`,
        `:3: the row is longer than 1 MiB; a quote may be missing${end}`,
      ],
      [
        `name\na\n"${'x'.repeat(2 * MiB)}"`,
        `:3: the row is longer than 1 MiB; a quote may be missing${end}`,
      ],
      ['name,description\na,b\n\ufeffNAME, Description\n', ':3: repeats the header of line 1'],
      ['name,,description\na,,b\nc,d,e\n', ':3: field 2 has no title in line 1', only],
      ['name,name\na,b\n', ':1: duplicate column "name"'],
      ['description\nb\n', `:1: missing column "name"${end}`],
      ['name,description\na\n', ':2: expected 2 fields, got 1'],
      ['id,name,description\n1,"a",\n2,"",\n', ':3: name must not be blank', alone],
      ['id,name,description\n1,a,\n2,,b\n', ':3: name is missing', alone],
      [
        'id,name\n1,a\n2,"\u200b \u00ad"\n',
        ':3: name shows nothing (U+200B, U+0020, U+00AD)',
        alone,
      ],
      ['name\na\n\u2800\u3164\u200e\n', ':3: name shows nothing (U+2800, U+3164, U+200E)', alone],
      ['name\ndog\u001b$B\n', ':2: name contains the control character U+001B'],
      ['name\n"a\n\u{1a}"\n', ':2: name contains the control character U+000A'],
      ['name,description\n"a,\n",b,c\nb,c\n', ':2: expected 2 fields, got 3'],
      ['description,name\n"x""\r\ny",a\n"x", \n', ':4: name must not be blank'],
      [
        'name,description\r\na,1\r\n\r\n\nb,"2\n3\n',
        `:5: missing closing quote of field 2${end}`,
        doubled,
      ],
      ['name,description\n"\n",a"b\n', `:3: unescaped quote in field 2${end}`, doubled],
      ['name\n"x"z', `:2: text after the closing quote of field 1${end}`, doubled],
    ],
    tsv: [
      ['\n', ' is empty', emptyHint],
      [
        'name,description\na,b\n',
        `:1: the columns are separated by commas, not by tabs${end}`,
        separator,
      ],
      ['name\n"a\n', `:2: missing closing quote of field 1${end}`, doubled],
      ['name\tid\na\t1\nb\n', ':3: expected 2 fields, got 1'],
      ['id\tname\n1"\t \n', ':2: name must not be blank'],
      ['id\tname\n1\ta\\u{d83d}\n', `:2: name ${lone}`],
    ],
    json: [
      [' \n', ' is empty', emptyHint],
      ['\n {"name":"a"}', `:2:2: ${array}`, lines],
      ['[{"name":"a"}] x', `:1:16: unexpected text after the array${end}`],
      ['[{"name":"a"}\n{"name":"b"}]', `:2:1: expected "," or "]"${end}`],
      ['[{"name":"a"},\n]', `:2:1: expected a value${end}`],
      ['[{"name":"a"},\r\n', `:2:1: unexpected end of input${end}`],
      ['[\r{"name":"]}', `:2:9: unexpected end of input${end}`],
      ['[{"name":"a"},\n {"name":tru}]', `:2:10: expected a value${end}`],
      ['[{\n"name":"a",\n"name":"b"}]', `:3:1: duplicate field "name"${end}`],
      [`[${'['.repeat(34)}${']'.repeat(34)}]`, `:1:34: nested more than 32 levels deep${end}`],
      [`[\n{"name":[${many}1]}]`, `:2:2006: more than 1,000 values${end}`],
      ['[ 1]', ':1:3: must be an object such as {"name": "rabbit"}'],
      [`[\n{"name":"${'x'.repeat(MiB)}"}]`, ':2:1: the row is longer than 1 MiB'],
      [
        `[{"name":"${'\\u0001'.repeat(MiB / 2)}"}]`,
        ':1:2: name contains the control character U+0001',
      ],
      ['[\n {"description":"x"}]', ':2:2: name is missing'],
      ['[{"name":\n{"name":1}}]', ':1:2: name must be a string, not an object'],
      ['[{"name":1}]', ':1:2: name must be a string, not a number'],
      ['[{"name":null}]', ':1:2: name must be a string, not null'],
      [
        '{"a":{"b":[1],"c d":[{"name":"a"}]}}',
        `:1:1: ${array}`,
        `The array is in a."c d". Take it out with jq '.a."c d"'.`,
      ],
      [
        '{"a":[],"items":[{"name":"a"}]}',
        `:1:1: ${array}`,
        "The array is in items. Take it out with jq '.items'.",
      ],
      ['{"items":[]}', `:1:1: ${array}`, lines],
      ['{"name":"a","tags":[{}]}', `:1:1: ${array}`, lines],
      ['<html>', ' is an HTML page'],
      ['name,description\n', ' is a table', 'Add --format csv or tsv.'],
      [
        '[{"name":"a","x":1}]',
        `:1:2: unknown field "x"; fields: ${fields}`,
        `Leave out all other fields. Run: jq 'map({name,description})'`,
      ],
      [
        '[{"a":1,"b":1,"c":1,"d":1}]',
        `:1:2: unknown fields "a", "b", "c" and 1 more; fields: ${fields}`,
      ],
      ['[{"name":"a","__proto__":{}}]', `:1:2: unknown field "__proto__"; fields: ${fields}`],
      [`[{"name":"a${half}"}]`, `:1:2: name ${lone}`],
    ],
    ndjson: [
      ['{"name":"a"}\n\n  {"name":"b",}', ':3:15: expected a field name in double quotes'],
      ['{"name":"a"}\r\n {"name":" "}\r\n', ':2:2: name must not be blank'],
      ['{"name":"a"} {"name":"b"}\n', ':1:14: unexpected text after the JSON value'],
      [`{"name":[${many}1]}`, ':1:2006: more than 1,000 values'],
      [
        '\n[\n{"name":"a"}]\n',
        `:2:1: expected one JSON object per line, got an array${end}`,
        'Add --format json for one JSON array.',
      ],
      ['{"name":"a"}\n{"name":\n', ':2:9: unexpected end of input', oneLine],
      [
        '{"name":"a","x":1}',
        `:1:1: unknown field "x"; fields: ${fields}`,
        `Leave out all other fields. Run: jq -c '{name,description}'`,
      ],
      ['{"name":"a"}\n[]\n', ':2:1: must be an object such as {"name": "rabbit"}'],
    ],
  };

  test.for(Object.entries(faults))('%s', async ([format, table], { read, sandbox }) => {
    for (const [text, fault, hint] of table) {
      const { exitCode, error } = await read(format, [text]);

      expect(error?.message).toBe(`standard input${fault}`);
      expect(error).toMatchObject({ kind: 'usage', outcome: 'not_sent', ...(hint && { hint }) });
      expect([exitCode, sandbox.requests.length]).toEqual([2, 0]);
    }
  });

  test('the first 20 of many faults, and how many there are', async ({ read }) => {
    const { error } = await read('csv', [`name\na\n${'" "\n'.repeat(37)}`]);

    expect(error?.message).toBe('standard input has 37 errors (first 20 listed)');
    expect(error?.faults).toHaveLength(20);
    expect(error?.faults?.at(-1)).toBe('standard input:22: name must not be blank');
  });

  test.for([
    ['csv', 'name,x\n" ",\na\nc"d,\n', ['1', '2', '3', '4']],
    ['json', '[{"name":"a"},\n1,\n{}\n{]', ['2', '3', '4']],
    ['ndjson', '{"name":"a"}\n{\n{}\n', ['2', '3']],
  ] as const)('all faults of %s in order', async ([format, text, lines], { read }) => {
    const { error } = await read(format, [text]);

    expect(error?.message).toBe(`standard input has ${lines.length} errors`);
    expect(error?.faults?.map((fault) => fault.split(':')[1])).toEqual(lines);
  });
});

describe('input that cannot be read', () => {
  test.for<[file: string, message: string]>([
    ['missing.csv', 'file not found: FILE'],
    ['file.csv/below.csv', 'file not found: FILE'],
    ['folder.csv', 'FILE is a directory'],
    ['loop.csv', 'cannot read FILE (ELOOP)'],
    ['pipe.csv', 'FILE is not a regular file'],
    ['zero.csv', 'FILE is not a regular file'],
    ['memory.csv', 'cannot read FILE (EIO)'],
    ['large.csv', 'FILE is larger than 32 MiB'],
    ['file.txt', 'the format of FILE is unknown'],
    ['file.yaml', 'FILE is YAML'],
    ['file.xlsx', 'FILE is a workbook or an archive'],
    ['-', 'the format of standard input is unknown'],
  ])('%s: %s', async ([name, message], { petstore, sandbox, folder, skip }) => {
    skip(name === 'memory.csv' && !existsSync('/proc/self/mem'), 'only Linux has it');
    for (const file of ['file.csv', 'file.txt', 'large.csv']) writeFileSync(join(folder, file), '');
    truncateSync(join(folder, 'large.csv'), 32 * MiB + 1);
    mkdirSync(join(folder, 'folder.csv'));
    symlinkSync('loop.csv', join(folder, 'loop.csv'));
    symlinkSync('/dev/zero', join(folder, 'zero.csv'));
    symlinkSync('/proc/self/mem', join(folder, 'memory.csv'));
    execFileSync('mkfifo', [join(folder, 'pipe.csv')]);
    const file = name === '-' ? name : join(folder, name);

    const { exitCode, events } = await petstore(['categories', 'import', file, '--yes', '--json']);

    expect([exitCode, sandbox.requests.length]).toEqual([2, 0]);
    const [error] = events();
    expect(error).toMatchObject({ kind: 'usage', message: message.replace('FILE', file) });
  });

  const broken = (function* () {
    yield 'name\n';
    throw Object.assign(new Error('no'), { code: 'EISDIR' });
  })();
  const large = (function* () {
    for (let chunk = 0; chunk < 40; chunk += 1) yield Buffer.alloc(MiB, 'x');
    throw new Error('read too far');
  })();
  test.for<[chunks: Iterable<Bytes>, message: string]>([
    [broken, 'cannot read standard input (EISDIR)'],
    [large, 'standard input is larger than 32 MiB'],
  ])('standard input: %s', async ([chunks, message], { read }) => {
    expect(await read('csv', chunks)).toMatchObject({ exitCode: 2, error: { message } });
  });
});

test.for([
  ['csv', 'name\n', 'a\n', ''],
  ['tsv', 'name\n', 'a\n', ''],
  ['json', '[', '{"name":"a"},', '{"name":"b"}]'],
  ['ndjson', '', '{"name":"a"}\n', ''],
] as const)('Ctrl-C ends the reading of %s', async ([format, head, row, tail], { petstore }) => {
  const ctrlC = new AbortController();
  let turns = 0;
  const turn = async () => {
    turns += 1;
    if (turns === 3) ctrlC.abort(new Error('Ctrl-C'));
  };
  const argv = ['categories', 'import', '-', '--format', format, '--dry-run'];
  const options = { stdin: head + row.repeat(99_000) + tail, signal: ctrlC.signal };

  const { stdout, stderr } = await petstore(argv, { ...options, context: { turn } });

  expect(stdout).toBe('');
  expect(stderr).toContain('Ctrl-C');
  expect(turns).toBe(3);
});

describe('any input', () => {
  test('of random bytes gives rows or faults', async ({ read }) => {
    const format = fc.constantFrom('csv', 'tsv', 'json', 'ndjson');
    const piece = fc.constantFrom(
      ...['name', 'description', ',', '"', '\n', '\r', '[', ']', '{', '}', ':', '"name":"a"', ' '],
      ...['\ufeff', 'é', '\0', '\\', '1', 'id'],
    );
    const pieces = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''));
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      pieces,
      pieces.map((text) => `name\n${text}`),
    );
    await fc.assert(
      fc.asyncProperty(format, bytes, async (format, bytes) => {
        const { exitCode, rows, error } = await read(format, [bytes]);
        expect(exitCode).toBe(error ? 2 : 0);
        if (error) expect(rows).toEqual([]);
      }),
      trials(1_000),
    );
  });
});

function row(line: number, name: string, description?: string): Row {
  return { line, name, ...(description !== undefined && { description }) };
}

function bytes(text: string, hex: string): Uint8Array {
  return Buffer.concat([Buffer.from(text), Buffer.from(hex, 'hex')]);
}
