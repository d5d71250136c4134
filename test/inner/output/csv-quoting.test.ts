import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ExactNumber } from '../../../src/json/exact.ts';
import { csvLines } from '../../../src/output/csv.ts';
import { createSink } from '../../../src/output/sink.ts';
import { trials } from '../../support/trials.ts';

/** What is not text stands there as JSON. */
const textOf = (it: string | ExactNumber | null) =>
  it === null ? 'null' : it instanceof ExactNumber ? it.text : it;

test('CSV is quoted as a library quotes it, an empty text too', () => {
  const unused = { write: async () => {}, isTTY: false, columns: undefined, stream: undefined };
  const sink = createSink({
    stdout: unused,
    stderr: unused,
    signal: new AbortController().signal,
    sleep: async () => {},
  });
  const text = fc.string({ unit: fc.constantFrom(...'a", ;\t\n\r\\\'=é犬') });
  const number = fc.constant(new ExactNumber('9007199254740993'));
  const cell = fc.option(fc.oneof(text, number, fc.constant(null)), { nil: undefined });
  const row = fc.array(cell, { minLength: 2, maxLength: 2 });
  fc.assert(
    fc.property(fc.array(row), (rows) => {
      const lines = csvLines({ header: ['a,b', ''], rows }, sink, true);

      const written = lines.map((line) => `${Object.values(line)}\n`).join('');
      const texts = rows.map((row) => row.map((it) => (it === undefined ? it : textOf(it))));
      expect(written).toBe(stringify([['a,b', ''], ...texts], { quoted_match: /^$/ }));
    }),
    trials(1_000),
  );
});
