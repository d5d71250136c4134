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

describe('a right input', () => {
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
    { what: 'UTF-16', bytes: Buffer.from('\ufeffname\n', 'utf16le') },
    { what: 'UTF-16 without a byte order mark', bytes: Buffer.from('name\n', 'utf16le') },
    { what: 'the other UTF-16', bytes: Buffer.from('name\n', 'utf16le').swap16() },
  ])('$what is named', async ({ bytes }) => {
    const { failure } = await readChunks('csv', [bytes]);

    expect(failure?.message).toBe(
      'standard input:1:1: UTF-16 is not supported; save the file as UTF-8',
    );
  });

  test('what to do about an encoding of one byte per character is said', async () => {
    const { failure } = await readChunks('csv', [Buffer.from('name\ncaf\u00e9\n', 'latin1')]);

    expect(failure?.details.hint).toBe(
      'If it is Windows-1252, save it as UTF-8 (in Excel: CSV UTF-8).',
    );
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
