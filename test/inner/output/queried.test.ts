import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../src/json/exact.ts';
import { createPrinter } from '../../../src/output/printer.ts';
import { queried } from '../../../src/output/queried.ts';
import { createSink } from '../../../src/output/sink.ts';
import { trials } from '../../support/trials.ts';
import { exact, type Format, formats } from '../../support/values.ts';

describe('A list that comes in pieces', () => {
  const number = fc.constantFrom('1', '2', '9007199254740993', '1.50');
  const id = number.map((text) => exact(text));
  const record: fc.Arbitrary<JsonObject> = fc.record(
    {
      id,
      name: fc.constantFrom('dog', 'cat', 'a\nb', ''),
      tags: fc.array(fc.constantFrom('x', 'y'), { maxLength: 3 }),
      description: fc.constantFrom('Loyal', null),
    },
    { requiredKeys: ['id', 'name'] },
  );
  const records = fc.array(record, { maxLength: 12 });
  const expression = fc.constantFrom(
    ...['@', '[]', '[*]', '[].name', '[*].tags', '[].tags[]', '[?id>`1`]', '[?id>`1`].name'],
    ...[
      '[].{n: name, d: description}',
      '[?tags].{n: name} | [?n]',
      '[].[id, name]',
      '@[*].description',
    ],
    ...[
      '[?id==`1`][].tags | []',
      '[].tags[].{t: @}',
      '[0]',
      '[-2:].name',
      'length(@)',
      'sort_by(@, &id)',
    ],
    ...['[*] | [1]', '[].name | [0]', '{all: [].id}', 'nope', 'reverse([].{id: id})', '[::2]', '*'],
  );
  const columns = fc.constantFrom(undefined, ['name'], ['id', 'name']);

  async function printed(
    format: Format,
    query: string,
    asked: readonly string[] | undefined,
    all: readonly JsonObject[],
    length: number,
  ) {
    let text = '';
    const output = {
      write: async (part: string) => {
        text += part;
      },
      isTTY: false,
      columns: undefined,
      stream: undefined,
    };
    const context = {
      stdout: output,
      stderr: output,
      signal: new AbortController().signal,
      sleep: async () => {},
      platform: 'linux',
      turn: async () => {},
    };
    const options = {
      format,
      columns: asked,
      header: true,
      ascii: false,
      wide: false,
      color: false,
    };
    const report = () => {};
    const printer = createPrinter(context, createSink(context).laid, report, options);
    const picked = queried(printer, query, { format, columns: asked });
    const names = ['id', 'name', 'tags', 'description'];
    if (length === 0) await picked.records(all, names);
    else {
      const pieces: Json[][] = [];
      for (let at = 0; at < all.length; at += length) pieces.push(all.slice(at, at + length));
      const list = { [Symbol.asyncIterator]: () => ReadableStream.from(pieces).values() };
      if (length % 2)
        await picked.stream(list as AsyncIterable<JsonObject[]>, names, { what: 'rows' });
      else await picked.anything(list as AsyncIterable<Json>);
    }
    return text;
  }

  test('prints what the whole list prints', async () => {
    const isSame = fc.asyncProperty(
      fc.constantFrom(...formats.filter((format) => format !== 'table')),
      expression,
      columns,
      records,
      fc.integer({ min: 1, max: 4 }),
      async (format, query, columns, all, length) => {
        const attempt = (length: number) =>
          printed(format, query, columns, all, length).catch((error) => String(error));
        expect(await attempt(length)).toBe(await attempt(0));
      },
    );
    await fc.assert(isSame, trials(1_000));
  });
});
