import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { startTime } from '../support/clock.ts';
import { expect, reply, test } from '../support/petstore.ts';
import { createRandom } from '../support/random.ts';
import { list, listNow, minute, never, second, windowHeaders } from '../support/told.ts';
import { plans } from '../support/values.ts';

test.for([2, 6])(
  '%i state folders that use one key and know nothing of each other get no 429, and waste no window',
  { timeout: 120_000 },
  async (folders, { petstore, sandbox, clock, folder }) => {
    sandbox.plan = plans.free;
    const random = createRandom(folders);
    sandbox.connect = () => clock.sleep(5 + random() * 50, never);

    const ends = await Promise.all(
      Array.from({ length: folders }, (_, n) => {
        const file = join(folder, `${n}.csv`);
        const rows = Array.from({ length: 30 }, (_, row) => `pet ${n} ${row}`);
        writeFileSync(file, ['name', ...rows, ''].join('\n'));
        const env = { PETSTORE_STATE_DIR: join(folder, `state-${n}`) };
        const argv = ['categories', 'import', file, '--yes', '--max-wait', 'inf'];
        return petstore(argv, { env, context: { random } });
      }),
    );

    // Two lists for each.
    const sent = folders * 32;
    expect(ends.filter(({ exitCode }) => exitCode !== 0)).toEqual([]);
    expect(sandbox.categories).toHaveLength(folders * 30);
    expect(sandbox.requests).toHaveLength(sent);
    expect(clock.now() - startTime).toBeLessThan(Math.ceil(sent / 60) * 1.1 * minute);
  },
);

test.for([
  ['nothing', {}, 3],
  ['a limit', { 'x-ratelimit-limit': '5' }, 5],
] as const)(
  'of a service that reports %s, the plan counts where no response names a limit',
  async ([, headers, sent], { petstore, sandbox }) => {
    await petstore('config set plan 3/min,50/day');
    sandbox.react = () => reply(200, [], headers);
    const codes = [];
    for (let n = 0; n <= sent; n += 1) codes.push((await petstore(listNow)).exitCode);

    const { stdout } = await petstore('limits --json');

    expect(codes).toEqual([...Array(sent).fill(0), 75]);
    expect(JSON.parse(stdout).items).toMatchObject([
      { window: 'minute', limit: sent, remaining: 0, source: 'own count' },
      { window: 'day', limit: 50, used: sent, source: 'own count' },
    ]);
  },
);

describe('a service that reports no reset', () => {
  test.for<[what: string, headers: (sent: number) => Record<string, string>, sent: number]>([
    ['nothing at all: sixty a minute', () => ({}), 60],
    ['a limit', () => ({ 'x-ratelimit-limit': '5' }), 5],
    ['what is left', (sent) => ({ 'x-ratelimit-remaining': String(Math.max(0, 8 - sent)) }), 8],
    ['a reset that is past', (sent) => windowHeaders(100, 7 - sent, -3), 7],
  ])('but %s', async ([, headers, sent], { petstore, sandbox, clock }) => {
    sandbox.react = () => reply(200, [], headers(sandbox.requests.length));
    for (let n = 0; n < sent; n += 1) expect((await petstore(listNow)).exitCode).toBe(0);

    const denied = await petstore(listNow);
    const waited = await petstore(list);

    expect(denied.exitCode).toBe(75);
    expect(waited.exitCode).toBe(0);
    expect(clock.now() - startTime).toBeGreaterThanOrEqual(60 * second);
    expect(clock.now() - startTime).toBeLessThanOrEqual(63 * second);
    expect(sandbox.requests).toHaveLength(sent + 1);
  });
});
