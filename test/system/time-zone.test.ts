import { describe } from 'vitest';
import { expect, test } from '../support/program.ts';

describe('a time', () => {
  test.for(['Asia/Kathmandu', 'America/St_Johns'])(
    'is in UTC, also in %s',
    async (TZ, { petstore, serve }) => {
      const { env } = await serve();
      const start = Date.now();

      const text = await petstore(['categories', 'list'], { env: { ...env, TZ } });
      const json = await petstore(['limits', '--json', '--query', 'minute.resetAt'], {
        env: { ...env, TZ },
      });

      const [, clock = ''] = /\((\d\d:\d\d:\d\dZ)\)/.exec(text.stderr) ?? [];
      const resetAt: string = JSON.parse(json.stdout);
      const shown = Date.parse(`${resetAt.slice(0, 'YYYY-MM-DD'.length)}T${clock}`);
      // One may be rounded up to the next second.
      expect(Math.abs(Date.parse(resetAt) - shown)).toBeLessThanOrEqual(1_000);
      expect(Math.abs(Date.parse(resetAt) - start)).toBeLessThan(120_000);
    },
  );
});
