import { Readable } from 'node:stream';
import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import { listCategories } from '../../../src/api/endpoints.ts';
import { decodePieces } from '../../../src/api/pieces.ts';
import { readLimits } from '../../../src/api/rate-limit.ts';
import { type Category, isSurelyCategory } from '../../../src/api/resources.ts';
import { createDecoder } from '../../../src/api/utf8.ts';
import type { Output } from '../../../src/context.ts';
import { formats } from '../../../src/formats.ts';
import { findMismatch } from '../../../src/json/check.ts';
import { ExactNumber, type Json, type JsonObject } from '../../../src/json/exact.ts';
import { parseJson } from '../../../src/json/parse.ts';
import { writeJson } from '../../../src/json/write.ts';
import { gridOf } from '../../../src/output/grid.ts';
import { widthOf } from '../../../src/output/layout.ts';
import { createPrinter } from '../../../src/output/printer.ts';
import type { Printer } from '../../../src/output/results.ts';
import { isPlain, jsonString } from '../../../src/output/safe-text.ts';
import { createSink } from '../../../src/output/sink.ts';
import { layStream } from '../../../src/output/stream.ts';
import { yamlLines } from '../../../src/output/yaml.ts';
import { cutOut, formsOf } from '../../../src/text/secret.ts';
import { hostileName } from '../../support/names.ts';
import { trials } from '../../support/trials.ts';

const secret = 'a-secret-"of\\some-letters';
const text = fc.oneof(
  hostileName,
  fc.string(),
  fc.constantFrom('yes', 'null', 'dog', 'a: b', 'a #b', 'x-', 'wolf dog (old)', '犬 é', ''),
  fc.string().map((around) => around + secret + around),
);
const digits = fc.oneof(
  fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map(String),
  fc.constantFrom('1.0', '-0', '1e3', '1E+5', '0.10'),
);
const number = digits.map((digits) => new ExactNumber(digits));
const value: fc.Arbitrary<Json> = fc.oneof(
  text,
  number,
  fc.constantFrom(null, true, false),
  fc.array(number, { maxLength: 2 }),
  fc.dictionary(text, number, { maxKeys: 2 }),
);
const id = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const category = fc
  .tuple(
    fc.record({
      id: id.map((id) => new ExactNumber(String(id))),
      name: text,
      description: fc.option(text, { nil: undefined }),
    }),
    fc.dictionary(fc.oneof(fc.string(), fc.constantFrom('yes', '__proto__')), value, {
      maxKeys: 2,
    }),
  )
  .map(
    ([{ description, ...known }, more]): Category =>
      description === undefined ? { ...more, ...known } : { ...more, ...known, description },
  );

/** What these do on stdout, as a printer of these options has it. */
async function printed(
  options: Omit<Parameters<typeof createPrinter>[3], 'color' | 'ascii' | 'wide'>,
  print: (printer: Printer) => Promise<void>,
): Promise<string> {
  let all = '';
  const stdout: Output = {
    write: async (text) => {
      all += text;
    },
    isTTY: false,
    columns: undefined,
    stream: undefined,
  };
  const { signal } = new AbortController();
  const context = { stdout, stderr: stdout, signal, platform: 'linux', turn: async () => {} };
  const sink = createSink({ ...context, sleep: () => new Promise(() => {}) });
  sink.hide(secret);
  const printer = createPrinter(context, sink, () => {}, {
    ...options,
    color: false,
    ascii: false,
    wide: false,
  });
  await print(printer);
  return all;
}

describe('a list in pieces', () => {
  const limits = readLimits({}, 0);
  const answer = {
    status: 200,
    headers: {},
    limits,
    bytes: new Uint8Array(),
    sentAt: 0,
    receivedAt: 0,
  };
  const columns = ['id', 'name', 'description'];

  test.for(formats)(
    'comes out as %s just as it does all at once, whatever the pieces',
    async (format) => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(category, { maxLength: 20 }),
          fc.constantFrom(0, 2),
          fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 5 }),
          fc.integer({ min: 1, max: 200 }),
          fc.constantFrom(undefined, ['name'], ['description', 'id']),
          fc.boolean(),
          async (categories, indent, sizes, batch, asked, header) => {
            const json = writeJson(categories, { indent, string: oddlyEscaped });
            const rest = partsOf(Buffer.from(json), sizes);
            const options = { format, columns: asked, header };
            const pieces = () => decodePieces(listCategories, answer, rest, () => {}, batch);

            const whole = await printed(options, (printer) => printer.records(categories, columns));
            const streamed = await printed(options, (printer) =>
              printer.stream(pieces(), columns, { what: 'rows' }),
            );

            expect(streamed).toBe(whole);
          },
        ),
        trials(60),
      );
    },
  );

  test('is held no longer than 1 MiB for a table, however long its rows are', async () => {
    let taken = 0;
    let most = 0;
    async function* pieces() {
      for (; taken < 20; taken += 1) yield* [[], [{ name: 'x'.repeat(1024 * 1024 - taken) }]];
    }
    const options = {
      format: 'table',
      asked: ['name'],
      header: true,
      ascii: false,
      width: 20,
    } as const;
    const printed: string[] = [];
    const grid = (records: readonly JsonObject[]) => gridOf(records, ['name']);
    for await (const { lines } of layStream(pieces(), grid, silentSink(), options)) {
      most = Math.max(most, taken - printed.length);
      printed.push(...lines.map((line) => (typeof line === 'string' ? line : 'title')));
    }

    expect(most).toBeLessThanOrEqual(2);
    expect(printed).toEqual(['title', ...Array(20).fill(`${'x'.repeat(19)}…`)]);
  });

  /** Every other string with an escape for its first letter. */
  function oddlyEscaped(text: string): string {
    const [first = ''] = text;
    const code = first.charCodeAt(0).toString(16).padStart(4, '0');
    if (text.length % 2 === 0 || first.length > 1) return JSON.stringify(text);
    return `"\\u${code}${JSON.stringify(text.slice(1)).slice(1)}`;
  }

  function partsOf(bytes: Uint8Array, sizes: readonly number[]) {
    const parts: Uint8Array[] = [];
    for (let at = 0, n = 0; at < bytes.length; n += 1) {
      const size = sizes[n % sizes.length] ?? 1;
      parts.push(bytes.subarray(at, at + size));
      at += size;
    }
    return { parts: Readable.from(parts), close: () => {} };
  }
});

function silentSink() {
  const unused = { write: async () => {}, isTTY: false, columns: undefined, stream: undefined };
  return createSink({
    stdout: unused,
    stderr: unused,
    signal: new AbortController().signal,
    sleep: async () => {},
  });
}

describe('what is quick', () => {
  test('takes for a category only what is one', () => {
    const odd = fc.record(
      {
        id: fc.oneof(number, id.map(String), value),
        name: fc.oneof({ weight: 9, arbitrary: text }, value),
        description: fc.oneof({ weight: 9, arbitrary: text }, value),
      },
      { requiredKeys: ['id'] },
    );
    fc.assert(
      fc.property(fc.oneof(category, odd, value), (it) => {
        const fits = findMismatch(listCategories.data, [it]) === undefined;
        if (isSurelyCategory(it as Json)) expect(fits).toBe(true);
      }),
      trials(1_000),
    );
    expect(isSurelyCategory(parseJson('{"name":"dog","id":9223372036854775807}'))).toBe(true);
  });

  test('cuts a secret out of JSON wherever it stands, and writes what is harmless as it is', () => {
    const bare = 'plain-secret-0123456789';
    const holding = fc.oneof(
      text,
      fc
        .tuple(text, fc.constantFrom(...formsOf(bare), ...formsOf(secret)))
        .map(([around, form]) => around + form + around),
    );
    const sink = silentSink();
    sink.hide(bare);
    sink.hide(secret);
    const forms = [...formsOf(bare), ...formsOf(secret)];
    const string = (text: string) => jsonString(cutOut(text, forms));
    const json = fc.array(fc.dictionary(text, fc.oneof(holding, number)));
    fc.assert(
      fc.property(json, fc.constantFrom(0, 2), (json, indent) => {
        const clean = sink.clean(json);

        expect(sink.laid.json(clean, indent)).toBe(writeJson(json, { indent, string }));
        const lines = json.map((item) => writeJson(item, { string }));
        expect(sink.laid.jsonLines(clean)).toBe(lines.join('\n'));
      }),
      trials(300),
    );
  });

  test('refuses a character that ASCII breaks in two', async () => {
    const parts = [[0xe7], [0x61], [0x8a, 0xac]].map((bytes) => Uint8Array.from(bytes));
    const decode = createDecoder();

    expect(() => parts.map((part) => decode(part))).toThrow(TypeError);
  });

  test('writes the YAML that the whole writer writes', () => {
    const word = fc.string({ unit: fc.constantFrom(...'aZ é犬9_.,:#-!?()[]{}&*|>%@`\'"/+=<~\\') });
    const record = fc.dictionary(fc.oneof(word, text), fc.oneof(word, text, number), {
      minKeys: 1,
    });
    fc.assert(
      fc.property(record, (record) => {
        // A list in a record is too much for the quick one.
        const whole = yamlLines([{ ...record, zz: [new ExactNumber('1')] }]).join('\n');

        const quick = yamlLines([record]).join('\n');

        const [before] = whole.split(/\n? {2}zz:\n/);
        expect(before === whole).toBe(false);
        expect(quick.replaceAll(/\n {2}(?=zz: )/g, '')).toBe(before);
      }),
      trials(1_000),
    );
  });

  test('writes YAML part by part as the library writes the whole', () => {
    const { tree } = fc.letrec<{ tree: Json }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        text,
        number,
        fc.constantFrom(null, true),
        fc.array(tie('tree'), { maxLength: 4 }),
        fc.dictionary(text, tie('tree'), { maxKeys: 4 }),
      ),
    }));
    fc.assert(
      fc.property(tree, (tree) => {
        const whole = yamlLines({ tree }, Number.POSITIVE_INFINITY).join('\n');

        for (const most of [0, 1, 3]) expect(yamlLines({ tree }, most).join('\n')).toBe(whole);
      }),
      trials(1_000),
    );
  });

  test('measures plain text as what measures all text does', () => {
    for (let code = 0; code < 0xd800; code += 1) {
      const character = String.fromCharCode(code);
      if (isPlain(character))
        expect([code, widthOf(character)]).toEqual([code, stringWidth(character)]);
    }
  });
});
