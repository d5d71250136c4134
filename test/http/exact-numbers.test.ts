import { parse as parseCsv } from 'csv-parse/sync';
import fc from 'fast-check';
import { isLosslessNumber, parse as parseLossless } from 'lossless-json';
import { describe } from 'vitest';
import { parseDocument, visit } from 'yaml';
import { expect, reply, test } from '../support/petstore.ts';
import { trials } from '../support/trials.ts';
import { formats } from '../support/values.ts';

/** All the ways to write a number in JSON (RFC 8259, section 6). */
const number = fc.oneof(
  fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n }).map(String),
  fc.bigInt({ min: -(2n ** 53n) - 9n, max: 2n ** 53n + 9n }).map(String),
  fc
    .tuple(
      fc.constantFrom('', '-'),
      fc.oneof(fc.constantFrom('0', '1'), fc.bigInt({ min: 1n, max: 2n ** 66n }).map(String)),
      fc.oneof(fc.constant(''), fc.stringMatching(/^\.[0-9]{1,20}$/)),
      fc.oneof(fc.constant(''), fc.stringMatching(/^[eE][+-]?[0-9]{1,3}$/)),
    )
    .map((parts) => parts.join('')),
  fc.constantFrom('1.0', '1e3', '-0', '-0.0', '0.10', '1E+05', '123456789012345678901234567890'),
);
/** A record as it is sent, with numbers by themselves, in a list and in an object. */
const record = fc
  .tuple(number, number, number, number)
  .map(([a, b, c, d]) => `{"a": ${a}, "b": [${b}, "1.0"], "c": {"x": [${c}]}, "d": ${d}}`);
const records = fc.array(record, { minLength: 1, maxLength: 8 });
const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String);

/** The numbers of a JSON text, as they are written in it, in their order. */
function numbersOf(json: string): string[] {
  const found: string[] = [];
  parseLossless(json, (_, value) => {
    if (isLosslessNumber(value)) found.push(value.value);
    return value;
  });
  return found;
}

/** The numbers that a reader of this format finds, as they are written. */
const readers: Readonly<Record<(typeof formats)[number], (stdout: string) => string[]>> = {
  json: numbersOf,
  ndjson: (stdout) => stdout.trimEnd().split('\n').flatMap(numbersOf),
  raw: (stdout) => stdout.trimEnd().split('\n').flatMap(numbersOf),
  csv: (stdout) => parseCsv(stdout).slice(1).flat().flatMap(numbersOf),
  tsv: (stdout) => cells(stdout.trimEnd().split('\n').slice(1), '\t').flatMap(numbersOf),
  yaml(stdout) {
    const found: string[] = [];
    visit(parseDocument(stdout), {
      Scalar(key, { source = '', value }) {
        if (key !== 'key' && typeof value === 'number') found.push(source);
      },
    });
    return found;
  },
  table(stdout) {
    const rows = stdout
      .split('\n')
      .filter((line) => line.startsWith('│'))
      .slice(1);
    return cells(
      rows.map((row) => row.slice(1, -1)),
      '│',
    ).flatMap(numbersOf);
  },
};

function cells(rows: readonly string[], between: string): string[] {
  return rows.flatMap((row) => row.split(between)).map((cell) => cell.trim());
}

const commands: Readonly<Record<string, { argv: readonly string[]; answer: typeof records }>> = {
  'orders list': { argv: ['orders', 'list'], answer: records },
  'api GET': { argv: ['api', 'GET', '/store/orders'], answer: records },
  'api POST': { argv: ['api', 'POST', '/store/orders'], answer: records },
};

describe('numbers', () => {
  for (const format of formats) {
    test.for(Object.entries(commands))(
      `of %s have the same digits as ${format}`,
      async ([, { argv, answer }], { petstore, sandbox }) => {
        await fc.assert(
          fc.asyncProperty(answer, async (sent) => {
            const json = `[${sent.join()}]`;
            sandbox.reactions.push(reply(200, json));

            const { stdout, exitCode } = await petstore([...argv, '-o', format]);

            expect(exitCode).toBe(0);
            expect(readers[format](stdout)).toEqual(numbersOf(json));
          }),
          trials(15),
        );
      },
    );

    test(`of a pet have the same digits as ${format}`, async ({ petstore, sandbox }) => {
      await fc.assert(
        fc.asyncProperty(record, async (sent) => {
          sandbox.reactions.push(reply(200, sent), reply(200, sent));

          const pet = await petstore(['pets', 'get', '1', '-o', format]);
          const any = await petstore(['api', 'GET', '/pets/1', '-o', format]);

          // As a table its fields stand one under another, with their names.
          const read = format === 'table' ? pet.stdout.replace(/│ [abcd] +(?=│)/g, '') : pet.stdout;
          expect(readers[format](read)).toEqual(numbersOf(sent));
          expect(any.stdout).toBe(pet.stdout);
        }),
        trials(15),
      );
    });

    test(`of categories have the same digits as ${format}`, async ({ petstore, sandbox }) => {
      await fc.assert(
        fc.asyncProperty(fc.array(fc.tuple(int64, record), { minLength: 1 }), async (sent) => {
          const json = sent.map(([id, more]) => `{"id":${id},"name":"dog","more":${more}}`);
          sandbox.reactions.push(reply(200, `[${json.join()}]`));

          // What the document does not name stands in JSON and YAML.
          const all = /json|yaml/.test(format);
          const argv = all ? [] : ['--columns', 'id'];
          const { stdout } = await petstore(['categories', 'list', '-o', format, ...argv]);

          expect(readers[format](stdout)).toEqual(
            all ? numbersOf(`[${json.join()}]`) : sent.map(([id]) => id),
          );
        }),
        trials(15),
      );
    });
  }
});
