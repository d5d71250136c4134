import { expect, launcher, test } from '../support/program.ts';
import { startService } from '../support/service.ts';
import { isNightly } from '../support/trials.ts';
import { type Format, formats } from '../support/values.ts';
import { runMeasured } from './peak.ts';

/** Just below what is read whole. */
const bytes = 7.99 * 1024 * 1024;
const maxPeakMiB = 384;
const shown: readonly Format[] = isNightly ? formats : ['json', 'yaml', 'table'];

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
/** The first elements, up to so many bytes and values. */
const elements = (element: (n: number) => string, maxCount = Number.POSITIVE_INFINITY) => {
  const all: string[] = [];
  for (let length = 0; all.length < maxCount; ) {
    const next = element(all.length);
    length += Buffer.byteLength(next) + 1;
    if (length > bytes - 100) break;
    all.push(next);
  }
  return all.join();
};
const deep = Array(686).fill(nested(29)).join();

/** Those of forty that take most, by what reads them. */
test.for<[shape: string, argv: string, body: string]>([
  [
    'an object of 149,000 keys of marks',
    'api GET /x',
    `{${elements((n) => `"${String(n).padStart(50, '\u202e')}":1`, 149_000)}}`,
  ],
  [
    'categories with 20,000 nested values each',
    'categories list',
    `[${elements((n) => `{"id":${n},"name":"dog ${n}","x":[${deep}]}`)}]`,
  ],
  [
    'categories with one field of its own each',
    'categories list',
    `[${elements((n) => `{"id":${n},"name":"dog","x${n}":1}`)}]`,
  ],
])(
  'a response of 8 MiB takes less than 384 MB: %s',
  { timeout: 600_000 },
  async ([, argv, body], { execute, folder }) => {
    const headers = { 'content-type': 'application/json' };
    const { env } = await startService({ react: () => ({ status: 200, headers, body }) });

    for (const format of shown) {
      const program = [launcher, ...argv.split(' '), '-o', format] as const;
      const run = await runMeasured({ execute, folder }, program, env, '> /dev/null');

      expect([0, 5], format).toContain(run.code);
      expect(run.peakMiB, format).toBeLessThan(maxPeakMiB);
    }
  },
);
