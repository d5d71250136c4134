import { describe } from 'vitest';
import { expect, launcher, test } from '../support/program.ts';
import { startService } from '../support/service.ts';
import { isNightly } from '../support/trials.ts';
import { type Format, formats } from '../support/values.ts';
import { runMeasured } from './peak.ts';
import { categories, lists, wholes } from './shapes.ts';

const MiB = 1024 * 1024;
const maxPeakMiB = 384;

const api = ['api', 'GET', '/x'];
const list = ['categories', 'list'];
const get = ['categories', 'get', '1'];

type Row = readonly [argv: readonly string[], size: number, shape: string];

/** Those that take most, by what reads them. */
const hardest: readonly Row[] = [
  [api, 7.99, 'one object of keys of marks'],
  [list, 7.99, 'extra nesting'],
];

/** Just below what is read whole, and as it comes: a quarter of an hour. */
const everything: readonly Row[] = [
  ...rowsOf(api, wholes, 7.99),
  ...rowsOf(api, lists, 7.99),
  ...[7.99, 24].flatMap((size) => rowsOf(list, categories, size)),
  ...rowsOf(get, categories, 7.99),
];

function rowsOf(argv: readonly string[], shapes: object, size: number): Row[] {
  return Object.keys(shapes).map((shape) => [argv, size, shape]);
}

describe('a response within the limits, whatever it is made of', () => {
  test.for(isNightly ? everything : hardest)(
    '%s of %d MiB of %s takes less than 384 MB',
    { timeout: 600_000 },
    async ([argv, size, shape], { execute, folder }) => {
      const text = { ...wholes, ...lists, ...categories }[shape];
      const body = text?.(size * MiB) ?? '';
      const headers = { 'content-type': 'application/json' };
      const service = await startService({ react: () => ({ status: 200, headers, body }) });
      const env = { PETSTORE_BASE_URL: service.url, PETSTORE_API_KEY: service.key };
      const shown: readonly Format[] = isNightly ? formats : ['json', 'yaml', 'table'];

      for (const format of shown) {
        const program = [launcher, ...argv, '-o', format] as const;
        const run = await runMeasured({ execute, folder }, program, env, '> /dev/null');

        // In some of them more than one category has the id 1, in others none.
        expect(argv === get ? [0, 2, 3] : [0, 5], format).toContain(run.code);
        expect(run.peakMiB, format).toBeLessThan(maxPeakMiB);
      }
    },
  );
});
