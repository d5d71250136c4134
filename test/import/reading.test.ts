import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe } from 'vitest';
import { put } from '../support/import-cases.ts';
import { test as base, expect } from '../support/petstore.ts';
import { trials } from '../support/random.ts';

// What is said of a text that cannot be read stands in commands/messages/import-files.txt.

type Bytes = string | Uint8Array;
/** Where a row begins, and what is sent of it. */
type Row = readonly unknown[];
type Read = {
  readonly exitCode: number;
  readonly rows: readonly Row[];
  readonly notices: readonly string[];
  readonly error: { readonly message: string; readonly faults?: readonly string[] } | undefined;
};

const MiB = 1024 * 1024;
const tooLong = 'the row is longer than 1 MiB';
const invalid = 'invalid UTF-8 (byte offset';
const saveAsUtf8 = 'Save it as UTF-8 (Excel: CSV UTF-8).';

/** Imports standard input. */
const test = base.extend<{ read: (format: string, chunks: Iterable<Bytes>) => Promise<Read> }>({
  read: async ({ petstore, sandbox }, use) => {
    sandbox.plan = { minute: { limit: 1e6, length: 60_000 }, day: { limit: 1e9, length: 9e8 } };
    await use(async (format, chunks) => {
      sandbox.requests.length = 0;
      sandbox.categories.length = 0;
      const stdin = Object.assign(Readable.from(chunks), { isTTY: false });
      const line = `categories import - --format ${format} --yes --json`;
      const run = await petstore(line, { context: { stdin } });

      const { items } = run.stdout === '' ? { items: [] } : run.json;
      const posts = sandbox.requests.filter(({ method }) => method === 'POST');
      const messages = run.events().map(({ message }) => String(message));
      return {
        exitCode: run.exitCode,
        rows: posts.map(({ body = '' }, n) => [items[n]?.line, ...Object.values(JSON.parse(body))]),
        notices: messages.filter((message) => /^(?:ignoring|line \d|standard input)/.test(message)),
        error: run.events().find(({ event }) => event === 'error') as Read['error'],
      };
    });
  },
});

test.for(readTable())('%s, as %s, is read byte by byte', async (row, { read, sandbox }) => {
  const [, format, text, rows] = row;
  const chunks = [...Buffer.from(text)].map((byte) => Uint8Array.of(byte));

  const sent = await read(format, chunks);

  expect([sent.exitCode, sent.rows]).toEqual([0, rows]);
  expect(sandbox.requests.length > 0).toBe(rows.length > 0);
  const ignoring = /^id|[",]id\b/i.test(text) ? ['ignoring "id": the service assigns ids'] : [];
  expect(sent.notices).toEqual(rows.length > 0 ? ignoring : ['standard input has no rows']);
});

test.for([
  ['name\ndog\n#N/A\n', 'line 3 ("#N/A") is an error of a spreadsheet'],
  ['name\n#¿NOMBRE?\n', 'line 2 ("#¿NOMBRE?") is an error of a spreadsheet'],
  [
    'name\ndog\nHÃ¤schen\n',
    'line 3 ("HÃ¤schen") looks like UTF-8 that was read as Latin-1 and saved again',
  ],
  ['name\nHÃ¤schen\nrésumé\n'],
] as const)(
  'an odd name is created all the same, and named: %j',
  async ([text, ...says], { read }) => {
    const { exitCode, rows, notices } = await read('csv', [text]);

    expect([exitCode, rows.length, notices]).toEqual([0, text.split('\n').length - 2, says]);
  },
);

test.for([
  ['a.csv', 'name\na\n'],
  ['a.tsv', 'name\na\n'],
  ['a.JSON', '[{"name":"a"}]'],
  ['a.NdJson', '{"name":"a"}'],
  ['a.jsonl', '{"name":"a"}'],
] as const)('%s is read by its extension', async ([name, text], { petstore, folder }) => {
  const file = put(folder, text, name);
  const { json } = await petstore(['categories', 'import', file, '--dry-run', '--json']);

  expect(json).toMatchObject([{ name: 'a', change: 'create' }]);
});

test.for([
  ['a.xlsx', 'PK\u0003\u0004', 'is a workbook or an archive', 'Save the sheet as CSV.'],
  ['a.yaml', '- id: 1\n', 'is YAML', 'YAML is only written; CSV, TSV, JSON or NDJSON are read.'],
  ['a', 'name,description\na,b\n', 'is a table', 'Add --format csv or tsv.'],
] as const)(
  '%s is known by its beginning: %j',
  async ([name, text, says, hint], { petstore, folder }) => {
    const file = put(folder, text, name);
    const { exitCode, stderr } = await petstore(['categories', 'import', file, '--yes']);

    expect(exitCode).toBe(2);
    expect(stderr).toBe(`petstore: ${file} ${says}\nNothing was sent.\n${hint}\n`);
  },
);

test('a file of many pieces is read whole, line by line', async ({ petstore, folder }) => {
  let text = 'name,description\n';
  let line = 2;
  const expected = Array.from({ length: 60 }, (_, n) => {
    const lines = n * 40;
    text += `"""pet"", ${n}","${'""a"",\r\n'.repeat(lines)}"\n\n`;
    line += lines + 2;
    return { line: line - lines - 2, name: `"pet", ${n}`, change: 'create' };
  });

  const file = put(folder, text);
  const { json } = await petstore(['categories', 'import', file, '--dry-run', '--json']);

  expect(json).toMatchObject(expected);
});

describe('input that is refused with its place, and nothing is sent:', () => {
  const wide = `name,${Array.from({ length: 16_383 }, (_, n) => `x${n}`)}\n`;
  const values = '1,'.repeat(1_001);
  test.for<[what: string, format: string, text: Bytes, fault: string, hint?: string]>([
    ['UTF-16', 'csv', Buffer.from('\ufeffname\n', 'utf16le'), ':1:1: UTF-16', saveAsUtf8],
    ['UTF-16, big-endian', 'csv', Buffer.from('name\n', 'utf16le').swap16(), ':1:1: UTF-16'],
    ['Latin-1', 'csv', bytes('name\r\nc\ufffd', 'ff0a'), `:2:3: ${invalid} 10)`, saveAsUtf8],
    ['Latin-1 behind a mark', 'csv', bytes('\ufeff', 'ff0a'), `:1:1: ${invalid} 3)`],
    ['half a character', 'csv', bytes('name\na', 'e282'), `:2:2: ${invalid} 6)`],
    ['an old workbook', 'csv', bytes('', 'd0cf11e0a1b11ae1000000'), ' is a workbook or an archive'],
    ['a wide header', 'csv', wide, ':1: unknown columns "x0", "x1", "x2" and 16380 more; columns:'],
    ['a wide row', 'csv', `name\n${'x,'.repeat(30_000)}\n`, ':2: expected 1 field, got 20000'],
    ['a huge row', 'csv', `name\na\n${'1,'.repeat(MiB)}`, `:3: ${tooLong}; a quote may be missing`],
    ['an open quote', 'csv', `name\na\n"${'x'.repeat(2 * MiB)}"`, `:3: ${tooLong}; a quote may`],
    ['many values', 'json', `[\n{"name":[${values}1]}]`, ':2:2006: more than 1,000 values; the'],
    ['many values', 'ndjson', `{"name":[${values}1]}`, ':1:2006: more than 1,000 values'],
    ['a huge object', 'json', `[\n{"name":"${'x'.repeat(MiB)}"}]`, `:2:1: ${tooLong}`],
    [
      'many escapes',
      'json',
      `[{"name":"${'\\u0001'.repeat(MiB / 2)}"}]`,
      ':1:2: name contains the',
    ],
    ['37 faults', 'csv', `name\na\n${'" "\n'.repeat(37)}`, ' has 37 errors (first 20 listed)'],
  ])('%s as %s', async ([, format, text, fault, hint], { read, sandbox }) => {
    const { exitCode, error } = await read(format, [text]);

    expect([exitCode, sandbox.requests.length]).toEqual([2, 0]);
    expect(error?.message).toContain(`standard input${fault}`);
    if (hint) expect(error).toMatchObject({ hint });
  });

  test.for([
    ['csv', 'name,x\n" ",\na\nc"d,\n', ['1', '2', '3', '4']],
    ['json', '[{"name":"a"},\n1,\n{}\n{]', ['2', '3', '4']],
    ['ndjson', '{"name":"a"}\n{\n{}\n', ['2', '3']],
    ['csv', `name\n${'" "\n'.repeat(37)}`, Array.from({ length: 20 }, (_, n) => `${n + 2}`)],
  ] as const)('all faults of %s in order', async ([format, text, lines], { read }) => {
    const { error } = await read(format, [text]);

    expect(error?.faults?.map((fault) => fault.split(':')[1])).toEqual(lines);
  });

  const broken = (function* () {
    yield 'name\n';
    throw Object.assign(new Error('no'), { code: 'EISDIR' });
  })();
  const endless = (function* () {
    for (let chunk = 0; chunk < 40; chunk += 1) yield Buffer.alloc(MiB, 'x');
    throw new Error('read too far');
  })();
  test.for<[chunks: Iterable<Bytes>, message: string]>([
    [broken, 'cannot read standard input (EISDIR)'],
    [endless, 'standard input is larger than 32 MiB'],
  ])('standard input: %s', async ([chunks, message], { read }) => {
    expect(await read('csv', chunks)).toMatchObject({ exitCode: 2, error: { message } });
  });

  const toFolder = (path: string) => mkdirSync(path);
  const toLink = (target: string) => (path: string) => symlinkSync(target, path);
  const toPipe = (path: string) => execFileSync('mkfifo', [path]);
  const toLargeFile = (path: string) => {
    writeFileSync(path, '');
    truncateSync(path, 32 * MiB + 1);
  };
  test.for<[file: string, message: string, make: (path: string) => void]>([
    ['file.csv/below.csv', 'file not found: FILE', () => {}],
    ['folder.csv', 'FILE is a directory', toFolder],
    ['loop.csv', 'cannot read FILE (ELOOP)', toLink('loop.csv')],
    ['pipe.csv', 'FILE is not a regular file', toPipe],
    ['zero.csv', 'FILE is not a regular file', toLink('/dev/zero')],
    ['memory.csv', 'cannot read FILE (EIO)', toLink('/proc/self/mem')],
    ['large.csv', 'FILE is larger than 32 MiB', toLargeFile],
  ])('%s: %s', async ([name, message, make], { petstore, sandbox, folder, skip }) => {
    skip(name === 'memory.csv' && !existsSync('/proc/self/mem'), 'only Linux has it');
    put(folder, '', 'file.csv');
    const file = join(folder, name);
    make(file);

    const { exitCode, events } = await petstore(['categories', 'import', file, '--yes', '--json']);

    expect([exitCode, sandbox.requests.length]).toEqual([2, 0]);
    expect(events()).toMatchObject([{ kind: 'usage', message: message.replace('FILE', file) }]);
  });
});

const long = 'a'.repeat(50);
test.for([
  ['csv', 'name\n', `${long}\n`, ''],
  ['tsv', 'name\n', `${long}\n`, ''],
  ['json', '[', `{"name":"${long}"},`, '{"name":"b"}]'],
  ['ndjson', '', `{"name":"${long}"}\n`, ''],
] as const)('Ctrl-C ends the reading of %s', async ([format, head, row, tail], { petstore }) => {
  const ctrlC = new AbortController();
  let turns = 0;
  const turn = async () => {
    turns += 1;
    if (turns === 3) ctrlC.abort(new Error('Ctrl-C'));
  };
  const options = { stdin: head + row.repeat(5_000) + tail, signal: ctrlC.signal };

  const { stdout, stderr } = await petstore(`categories import - --format ${format} --dry-run`, {
    ...options,
    context: { yieldToIo: turn },
  });

  expect([stdout, turns]).toEqual(['', 3]);
  expect(stderr).toContain('Ctrl-C');
});

test('any bytes give rows or faults', async ({ read }) => {
  const piece = fc.constantFrom(
    ...['name', 'description', ',', '"', '\n', '\r', '[', ']', '{', '}', ':', '"name":"a"', ' '],
    ...['\ufeff', 'é', '\0', '\\', '1', 'id'],
  );
  const pieces = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''));
  const table = pieces.map((text) => `name\n${text}`);
  const format = fc.constantFrom('csv', 'tsv', 'json', 'ndjson');
  await fc.assert(
    fc.asyncProperty(
      format,
      fc.oneof(fc.uint8Array({ maxLength: 40 }), pieces, table),
      async (format, bytes) => {
        const { exitCode, rows, error } = await read(format, [bytes]);
        // Of names that look alike the first one is created: 7.
        expect(error ? [2, 7] : [0]).toContain(exitCode);
        if (exitCode === 2) expect(rows).toEqual([]);
      },
    ),
    trials(1_000),
  );
});

function bytes(text: string, hex: string): Uint8Array {
  return Buffer.concat([Buffer.from(text), Buffer.from(hex, 'hex')]);
}

/** Reads lines such as `an empty text: csv "name\\n\\"\\"" => [2,""]`: a text, and its rows as they are sent. */
function readTable() {
  const table = readFileSync(join(import.meta.dirname, 'files-read.txt'), 'utf8');
  return table
    .trim()
    .split('\n')
    .map((line) => {
      const [, what, format, text, rows] = /^(.*?): (\w+) (".*") => (.*)$/.exec(line) ?? [];
      return [
        what,
        format,
        JSON.parse(`${text}`),
        JSON.parse(`[${rows?.replaceAll('] [', '],[')}]`),
      ];
    });
}
