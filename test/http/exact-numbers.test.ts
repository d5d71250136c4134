import { parse as parseCsv } from 'csv-parse/sync';
import fc from 'fast-check';
import { isLosslessNumber, parse as parseLossless } from 'lossless-json';
import { describe } from 'vitest';
import { parseDocument, visit } from 'yaml';
import { expect, reply, test } from '../support/petstore.ts';
import { trials } from '../support/trials.ts';
import { formats } from '../support/values.ts';

/** An integer of any size; fractions are doubles, as everywhere in JavaScript. */
const number = fc.oneof(
  fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n }).map(String),
  fc.bigInt({ min: -(2n ** 53n) - 9n, max: 2n ** 53n + 9n }).map(String),
  fc.constantFrom('0', '-1', '0.5', '1e+21', '123456789012345678901234567890'),
);
/** A record as it is sent, with numbers by themselves, in a list and in an object. */
const record = fc
  .tuple(number, number, number, number)
  .map(([a, b, c, d]) => `{"a": ${a}, "b": [${b}, "1.0"], "c": {"x": [${c}]}, "d": ${d}}`);
const records = fc.array(record, { minLength: 1, maxLength: 8 });

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

describe('numbers', () => {
  test.for(formats)('have the same value as %s', async (format, { petstore, sandbox }) => {
    await fc.assert(
      fc.asyncProperty(records, record, async (list, one) => {
        const json = `[${list.join()}]`;
        sandbox.react = ({ url }) => reply(200, String(url).endsWith('/1') ? one : json);
        const print = (...argv: string[]) => petstore([...argv, '-o', format]);

        const orders = await print('orders', 'list');
        const posted = await print('api', 'POST', '/store/orders');
        const pet = await print('pets', 'get', '1');
        const any = await print('api', 'GET', '/pets/1');

        expect([orders.exitCode, pet.exitCode]).toEqual([0, 0]);
        expect(readers[format](orders.stdout)).toEqual(numbersOf(json));
        expect(posted.stdout).toBe(orders.stdout);
        // As a table its fields stand one under another, with their names.
        const read = format === 'table' ? pet.stdout.replace(/│ [abcd] +(?=│)/g, '') : pet.stdout;
        expect(readers[format](read)).toEqual(numbersOf(one));
        expect(any.stdout).toBe(pet.stdout);
      }),
      trials(15),
    );
  });
});
