import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe } from 'vitest';
import { test as base, expect, type Fixtures } from '../support/petstore.ts';
import { trials } from '../support/trials.ts';
import { interrupted } from '../support/values.ts';

type Bytes = string | Uint8Array;
type Row = { readonly line: number; readonly name: string; readonly description?: string };
type Read = {
  readonly exitCode: number;
  /** What an import of these bytes sent, with the line of each row. */
  readonly rows: readonly Row[];
  readonly notices: readonly string[];
  readonly error: { readonly message: string; readonly faults?: string[] } | undefined;
};

const test = base.extend<{ read: (format: string, chunks: Iterable<Bytes>) => Promise<Read> }>({
  read: async ({ petstore, sandbox, folder }, use) => {
    let reads = 0;
    sandbox.plan = { minute: { limit: 1e6, length: 60_000 }, day: { limit: 1e9, length: 9e8 } };
    await use((format, chunks) => {
      reads += 1;
      // An import of the same bytes would be the same one.
      const env = { PETSTORE_STATE_DIR: join(folder, `state-${reads}`) };
      return readRows({ petstore, sandbox }, env, format, chunks);
    });
  },
});

async function readRows(
  { petstore, sandbox }: Pick<Fixtures, 'petstore' | 'sandbox'>,
  env: Record<string, string>,
  format: string,
  chunks: Iterable<Bytes>,
): Promise<Read> {
  sandbox.requests.length = 0;
  const argv = ['categories', 'import', '-', '--format', format, '--yes', '--allow-duplicates'];
  const stdin = Object.assign(Readable.from(chunks), { isTTY: false });
  const { exitCode, stdout, events } = await petstore([...argv, '--json'], {
    env,
    context: { stdin },
  });
  const posts = sandbox.requests.filter(({ method }) => method === 'POST');
  const items = stdout === '' ? [] : JSON.parse(stdout).items;
  const said = events().map(({ event, message }) => (event === 'notice' ? String(message) : ''));
  return {
    exitCode,
    rows: posts.map(({ body = '' }, n) => ({ line: items[n]?.line, ...JSON.parse(body) })),
    notices: said.filter((message) => message.startsWith('ignoring')),
    error: events().find(({ event }) => event === 'error') as Read['error'],
  };
}

describe('valid input', () => {
  test.for<[string, string, string, Row[]]>([
    ['swapped columns', 'csv', 'description,name\nQuiet,dog\n', [row(2, 'dog', 'Quiet')]],
    ['names alone', 'csv', 'name\ndog', [row(2, 'dog')]],
    ['empty text', 'csv', 'name,description\na,\nb,""\n', [row(2, 'a'), row(3, 'b', '')]],
    [
      'all line ends',
      'csv',
      '\r\n\nname,description\r\n\r\n\na,1\rb,2\n\r\r\nc,"x\r\ny\rz\n"\r\nd,4\r\n',
      [row(6, 'a', '1'), row(7, 'b', '2'), row(10, 'c', 'x\r\ny\rz\n'), row(14, 'd', '4')],
    ],
    ['byte order mark', 'csv', '\ufeffname\ndog\n', [row(2, 'dog')]],
    [
      'escapes',
      'csv',
      String.raw`name,description${'\n'}a\u{1b}\u{1f407}\u{5c}u{41},"\u{110000}\\\t\u{G}"${'\n'}`,
      [row(2, 'a\u001b🐇\\u{41}', String.raw`\u{110000}\\\t\u{G}`)],
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
      `description\tname\r\n\n${String.raw`a\tb\nc\rd\\ne\u{1b}\x`}\tsay "hi"\r\t c \n`,
      [row(3, 'say "hi"', 'a\tb\nc\rd\\ne\u001b\\x'), row(4, ' c ')],
    ],
    [
      'many lines',
      'json',
      '[\r\n  {\r\n    "name": "a"\r\n  },\r\n  {"name": "b", "description": ""}\r\n]\r\n',
      [row(2, 'a'), row(5, 'b', '')],
    ],
    ['byte order mark', 'json', '\ufeff[{"name":"a"}]', [row(1, 'a')]],
    [
      'empty lines',
      'ndjson',
      '\n{"name":"a"}\r\n \t\r\n  {"name":"b"}',
      [row(2, 'a'), row(4, 'b')],
    ],
  ])('with %s, as %s', async ([, format, text, rows], { read }) => {
    for (const chunks of [[text], bytesOf(text)]) {
      expect(await read(format, chunks)).toMatchObject({ exitCode: 0, rows, notices: [] });
    }
  });

  test('has ids that are ignored, which is said once', async ({ read }) => {
    for (const [format, text] of [
      ['csv', 'id,name\n1,a\n2,b\n'],
      ['tsv', 'id\tname\n1\ta\n2\tb\n'],
      ['json', '[{"id":1,"name":"a"},{"id":2,"name":"b"}]'],
      ['ndjson', '{"id":1,"name":"a"}\n{"id":2,"name":"b"}\n'],
    ] as const) {
      const { rows, notices } = await read(format, [text]);

      expect(
        rows.map(({ line, ...fields }) => fields),
        format,
      ).toEqual([{ name: 'a' }, { name: 'b' }]);
      expect(notices, format).toEqual([expect.stringContaining('"id"')]);
    }
  });

  test('has up to 100,000 rows', async ({ petstore }) => {
    const argv = ['categories', 'import', '-', '--format', 'ndjson', '--dry-run'];
    const counts = ['--query', 'counts', '--json'];
    const stdin = '{"name":"a"}\n'.repeat(100_000);

    const { exitCode, stdout } = await petstore([...argv, ...counts], { stdin });

    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ create: 1, repeated: 99_999 });
  });

  test('is read by the extension of its file', async ({ petstore, folder }) => {
    for (const [name, text] of [
      ['a.csv', 'name\na\n'],
      ['a.tsv', 'name\na\n'],
      ['a.JSON', '[{"name":"a"}]'],
      ['a.NdJson', '{"name":"a"}'],
      ['a.jsonl', '{"name":"a"}'],
    ] as const) {
      writeFileSync(join(folder, name), text);

      const argv = ['categories', 'import', join(folder, name), '--dry-run', '--json'];
      const { exitCode, stdout } = await petstore(argv);

      expect(exitCode, name).toBe(0);
      expect(JSON.parse(stdout).items, name).toMatchObject([{ name: 'a', intention: 'create' }]);
    }
  });
});

describe('invalid input is rejected with its position, and nothing is sent:', () => {
  const half = String.raw`\ud83d`;
  /** Of CSV and TSV the line alone is compared. */
  const faults: Readonly<Record<string, readonly (readonly [Bytes, string])[]>> = {
    csv: [
      ['', ' has no rows'],
      ['\n\r\n', ' has no rows'],
      ['name,description\n', ' has no rows'],
      ['name\nab\0c\n', ':2: unexpected NUL byte'],
      [Buffer.from('\ufeffname\n', 'utf16le'), ':1: UTF-16 is not supported'],
      [Buffer.from('6e616d650d0ac3a9ff0a', 'hex'), ':2: invalid UTF-8 (byte offset 8)'],
      [Buffer.from('6e616d650a61e282', 'hex'), ':2: invalid UTF-8 (byte offset 6)'],
      ['\nnmae\na\n', ':2: unknown column "nmae"'],
      ['name;description\na;b\n', ':1: the separator must be a comma'],
      ['name\tdescription\na\tb\n', ':1: the separator must be a comma'],
      ['name, Description\na,b\n', ':1: unknown column " Description"'],
      ['name,"x",id\na,b,c\n', ':1: unknown column "x"'],
      ['name,descriptoin\na,b\n', ':1: unknown column "descriptoin"'],
      ['name,__proto__\na,b\n', ':1: unknown column "__proto__"'],
      [`name,${'x'.repeat(50)}\na,b\n`, `:1: unknown column "${'x'.repeat(40)}…"`],
      ['name,name\na,b\n', ':1: duplicate column "name"'],
      ['description\nb\n', ':1: missing column "name"'],
      ['name,description\na\n', ':2: expected 2 fields, got 1'],
      ['name,description\n"a,\n",b,c\n', ':3: expected 2 fields, got 3'],
      ['description,name\n"x""\r\ny", \n', ':3: name must not be blank'],
      ['name\n""\n', ':2: name must not be blank'],
      ['name,description\r\na,1\r\n\r\n\nb,"2\n3\n', ':5: missing closing quote'],
      ['name\na"b\n', ':2: unescaped quote in a field'],
      ['name,description\na,"x\ny"z\n', ':3: expected a comma or newline after the closing quote'],
    ],
    tsv: [
      ['', ' has no rows'],
      ['\nname\tdescription\n', ' has no rows'],
      ['name,description\na,b\n', ':1: the separator must be a tab'],
      ['name\tdescriptoin\na\tb\n', ':1: unknown column "descriptoin"'],
      ['name\tid\na\t1\nb\n', ':3: expected 2 fields, got 1'],
      ['name\tid\n\na"\t"1\t2\n', ':3: expected 2 fields, got 3'],
      ['id\tname\n"1\t \n', ':2: name must not be blank'],
      ['id\tname\n1\ta\\u{d83d}\n', ':2: name contains an unpaired surrogate'],
    ],
    json: [
      ['', ' has no rows'],
      [' \n', ' has no rows'],
      [' [ ] ', ' has no rows'],
      [Buffer.from('\ufeff[]', 'utf16le').swap16(), ':1:1: UTF-16 is not supported'],
      ['\n {"name":"a"}', ':2:2: expected a JSON array'],
      ['[{"name":"a"}] x', ':1:16: unexpected text after the array'],
      ['[{"name":"a"}\n{"name":"b"}]', ':2:1: expected "," or "]"'],
      ['[{"name":"a"},\n]', ':2:1: expected a value'],
      ['[,{"name":"a"}]', ':1:2: expected a value'],
      ['[}', ':1:2: expected a value'],
      ['[{"name":"a"},\r\n', ':2:1: unexpected end of input'],
      ['[\n{"name":"]}', ':2:1: unexpected end of input inside an element'],
      ['[{"name":"a"},\n {"name":tru}]', ':2:10: expected a value'],
      ['[{\n"name":"a",\n"name":"b"}]', ':3:1: duplicate field "name"'],
      [`[${'['.repeat(34)}${']'.repeat(34)}]`, ':1:35: nested more than 32 levels deep'],
      ['[ 1]', ':1:3: must be an object'],
      ['[[]]', ':1:2: must be an object'],
      ['[\n{"description":"x"}]', ':2:1: name is missing'],
      [
        '[{"description":"\\"name\\"",\n "name":{"name":1}}]',
        ':2:2: name must be a string, not an object',
      ],
      ['[{"description":"name",\n "name":1}]', ':2:2: name must be a string, not a number'],
      ['[{"description":{"name":1},\n "name":" "}]', ':2:2: name must not be blank'],
      ['[{"description":"{\\"",\n "name":" "}]', ':2:2: name must not be blank'],
      ['[{"name":"a","description":null}]', ':1:14: description must be a string, not null'],
      ['[{"name":"a","x":{"name":"b"}}]', ':1:14: unknown field "x"'],
      ['[{"name":"a","__proto__":{"name":"b"}}]', ':1:14: unknown field "__proto__"'],
      [`[{"name":"a${half}"}]`, ':1:3: name contains an unpaired surrogate'],
      [
        `[{"name":"a","description":"${half}${half}"}]`,
        ':1:14: description contains an unpaired surrogate',
      ],
    ],
    ndjson: [
      ['\n\n', ' has no rows'],
      ['{"name":"a"}\n\n  {"name":"b",}', ':3:15: expected a field name in double quotes'],
      ['{"name":"a"}\r\n {"name":" "}\r\n', ':2:3: name must not be blank'],
      ['{"name":"a"} {"name":"b"}\n', ':1:14: unexpected text after the JSON value'],
      ['[\n{"name":"a"}]\n', ':1:1: expected one JSON object per line, got an array'],
      ['{"name":"a"}\n[{"name":"a"}]\n', ':2:1: must be an object'],
    ],
  };

  test.for(Object.entries(faults))('%s', async ([format, rows], { read, sandbox }) => {
    for (const [text, expected] of rows) {
      for (const chunks of [[text], bytesOf(text)]) {
        const { exitCode, error } = await read(format, chunks);

        const [said = ''] = error?.faults ?? [error?.message];
        const fault = said
          .replace('standard input', '')
          .replace(/^(:\d+):\d+:/, (place, line) =>
            format === 'csv' || format === 'tsv' ? `${line}:` : place,
          );
        expect(fault.slice(0, expected.length), fault).toBe(expected);
        expect(error).toMatchObject({ kind: 'usage', outcome: 'not_sent' });
        expect([exitCode, sandbox.requests.length]).toEqual([2, 0]);
      }
    }
  });

  test('the first 20 of many faults, and how many there are', async ({ read }) => {
    const { error } = await read('csv', [`name\na\n${'" "\n'.repeat(37)}`]);

    expect(error?.message).toMatch(/^standard input has 37 errors .*name must not be blank$/);
    expect(error?.faults).toHaveLength(20);
    expect(error?.faults?.at(-1)).toMatch(/^standard input:22:.*name must not be blank$/);
  });

  test('a fault that ends the reading after those before it', async ({ read }) => {
    const { error } = await read('csv', ['name\n" "\na,b\nc"d\n']);

    expect(error?.message).toContain('has 3 errors');
    expect(error?.faults?.map((fault) => fault.split(':')[1])).toEqual(['2', '3', '4']);
    expect(error?.faults?.at(-1)).toContain('the rest was not read');
  });

  test('more rows than an import may have', async ({ read }) => {
    const { error } = await read('ndjson', ['{"name":"a"}\n'.repeat(100_001)]);

    expect(error?.message).toContain('100,000');
  });
});

describe('input that cannot be read', () => {
  test.for<[file: string, message: string]>([
    ['missing.csv', 'file not found: FILE'],
    ['file.csv/below.csv', 'file not found: FILE'],
    ['folder.csv', 'FILE is a directory'],
    ['loop.csv', 'cannot read FILE (ELOOP)'],
    ['pipe.csv', 'FILE is not a regular file'],
    ['file.txt', 'the format of FILE is unknown'],
  ])('%s: %s', async ([name, message], { petstore, sandbox, folder }) => {
    for (const file of ['file.csv', 'file.txt']) writeFileSync(join(folder, file), 'name\na\n');
    mkdirSync(join(folder, 'folder.csv'));
    symlinkSync('loop.csv', join(folder, 'loop.csv'));
    execFileSync('mkfifo', [join(folder, 'pipe.csv')]);
    const file = join(folder, name);

    const { exitCode, events } = await petstore(['categories', 'import', file, '--yes', '--json']);

    expect([exitCode, sandbox.requests.length]).toEqual([2, 0]);
    expect(events().at(-1)).toMatchObject({
      kind: 'usage',
      message: message.replace('FILE', file),
    });
  });

  test('standard input without a format', async ({ petstore, sandbox }) => {
    const { exitCode, stderr } = await petstore(['categories', 'import', '-', '--yes']);

    expect([exitCode, sandbox.requests.length]).toEqual([2, 0]);
    expect(stderr).toContain('the format of standard input is unknown\n');
    expect(stderr).toContain('Add --format csv|tsv|json|ndjson');
  });

  test('standard input that breaks', async ({ read }) => {
    const broken = (function* () {
      yield 'name\n';
      throw Object.assign(new Error('no'), { code: 'EISDIR' });
    })();

    const { exitCode, error } = await read('csv', broken);

    expect([exitCode, error?.message]).toEqual([2, 'cannot read standard input (EISDIR)']);
  });

  test('standard input that never ends, until it is interrupted', async ({ petstore }) => {
    const silent = Object.assign(new Readable({ read() {} }), { isTTY: false });
    silent.push('name\na\n');
    const terminate = new AbortController();
    setImmediate(() => terminate.abort(interrupted(143)));

    const argv = ['categories', 'import', '-', '--format', 'csv', '--yes'];
    const { exitCode } = await petstore(argv, {
      signal: terminate.signal,
      context: { stdin: silent },
    });

    expect(exitCode).toBe(143);
    expect(silent.destroyed).toBe(true);
  });
});

describe('whatever the layout and the chunks', () => {
  const odd = fc.constantFrom('"', ',', '\n', '\r', '\\', 'é', '🐇', '{', ']', ' ');
  const text = fc
    .oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: odd }))
    .filter((value) => !value.includes('\0'));
  const fields = fc.record(
    { name: text.filter((name) => name.trim() !== ''), description: text },
    { requiredKeys: ['name'] },
  );
  const rows = fc.array(fields, { minLength: 1, maxLength: 8 });
  const cuts = fc.array(fc.nat({ max: 400 }), { maxLength: 20 });
  const lineEnd = fc.constantFrom('\n', '\r\n', '\r', '\n\n', '\r\n\r\n');
  const csv = fc.tuple(rows, lineEnd, fc.boolean()).map(([rows, end, quotes]) => {
    const lines = rows.map(({ name, description }) =>
      [name, description].map((value) => csvField(value, quotes)).join(','),
    );
    return [rows, ['name,description', ...lines, ''].join(end)] as const;
  });
  const json = fc
    .tuple(rows, fc.constantFrom(0, 1, '\t'))
    .map(([rows, indent]) => [rows, JSON.stringify(rows, null, indent)] as const);
  const ndjson = fc
    .tuple(rows, fc.constantFrom('\n', '\r\n'))
    .map(([rows, end]) => [rows, rows.map((row) => JSON.stringify(row) + end).join('')] as const);

  test.for([
    ['csv', csv],
    ['json', json],
    ['ndjson', ndjson],
  ] as const)('%s gives the rows that went in', async ([format, layout], { read }) => {
    await fc.assert(
      fc.asyncProperty(layout, cuts, async ([rows, text], at) => {
        const sent = await read(format, chunksOf(text, at));
        expect(sent.error).toBeUndefined();
        expect(sent.rows.map(({ line, ...fields }) => fields)).toEqual(
          rows.map((row) => ({ ...row })),
        );
      }),
      trials(300),
    );
  });

  test('random bytes give rows or faults, the same ones in other chunks', async ({ read }) => {
    const format = fc.constantFrom('csv', 'tsv', 'json', 'ndjson');
    const piece = fc.constantFrom(
      ...['name', 'description', ',', '"', '\n', '\r', '[', ']', '{', '}', ':', '"name":"a"', ' '],
      ...['\ufeff', 'é', '\0', '\\', '1', 'id'],
    );
    const pieces = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''));
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      pieces.map((text) => Buffer.from(text)),
      pieces.map((text) => Buffer.from(`name\n${text}`)),
    );
    await fc.assert(
      fc.asyncProperty(format, bytes, async (format, bytes) => {
        const whole = await read(format, [bytes]);
        expect([0, 2]).toContain(whole.exitCode);
        expect(await read(format, bytesOf(bytes))).toEqual(whole);
      }),
      trials(1_000),
    );
  });
});

function row(line: number, name: string, description?: string): Row {
  return { line, name, ...(description !== undefined && { description }) };
}

function csvField(value: string | undefined, quotes: boolean): string {
  if (value === undefined) return '';
  const needsQuotes = quotes || value === '' || /[",\r\n]/.test(value);
  return needsQuotes ? `"${value.replaceAll('"', '""')}"` : value;
}

/** One byte a chunk. */
function bytesOf(text: Bytes): Uint8Array[] {
  return [...Buffer.from(text)].map((byte) => Uint8Array.of(byte));
}

function chunksOf(text: string, cuts: readonly number[]): Uint8Array[] {
  const bytes = Buffer.from(text);
  const edges = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
  return edges.slice(1).map((edge, n) => bytes.subarray(edges[n], edge));
}
