import { describe } from 'vitest';
import { startTime } from '../support/clock.ts';
import { expect, reply, test } from '../support/petstore.ts';
import { list, listNow, second, windowHeaders } from '../support/told.ts';

test.for([
  ['nothing', {}, 3],
  ['a limit', { 'x-ratelimit-limit': '5' }, 5],
] as const)(
  'of a service that reports %s, the plan counts where no response names a limit',
  async ([, headers, sent], { petstore, sandbox }) => {
    await petstore(['config', 'set', 'plan', '3/min,50/day']);
    sandbox.react = () => reply(200, [], headers);
    const codes = [];
    for (let n = 0; n <= sent; n += 1) codes.push((await petstore(listNow)).exitCode);

    const { stdout } = await petstore(['limits', '--json']);

    expect(codes).toEqual([...Array(sent).fill(0), 75]);
    expect(JSON.parse(stdout)).toMatchObject({
      minute: { limit: sent, remaining: 0, source: 'own count' },
      day: { limit: 50, used: sent, source: 'own count' },
    });
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
