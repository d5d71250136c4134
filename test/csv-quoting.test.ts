import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { csvLines } from '../src/output/csv.ts';
import { createSink } from '../src/output/sink.ts';

test('CSV is quoted as a library quotes it, an empty text too', () => {
  const unused = { write: async () => {}, isTTY: false, columns: undefined, stream: undefined };
  const sink = createSink({
    stdout: unused,
    stderr: unused,
    signal: new AbortController().signal,
    sleep: async () => {},
  });
  const text = fc.string({ unit: fc.constantFrom(...'a", ;\t\n\r\\\'=é犬') });
  const row = fc.array(fc.option(text, { nil: undefined }), { minLength: 2, maxLength: 2 });
  fc.assert(
    fc.property(fc.array(row), (rows) => {
      const lines = csvLines({ header: ['a,b', ''], rows }, sink, true);

      const written = lines.map((line) => `${(line as { record: string }).record}\n`).join('');
      expect(written).toBe(stringify([['a,b', ''], ...rows], { quoted_match: /^$/ }));
    }),
    { numRuns: 1_000 },
  );
});
