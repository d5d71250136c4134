import { describe, expect, test } from 'vitest';
import { exemptLoopback } from '../../../../src/commands/sandbox/proxy.ts';
import { isExempt } from '../../../../src/settings/no-proxy.ts';

const sandboxes = ['http://127.0.0.1:4010', 'http://localhost:4010', 'http://[::1]:4010'];

describe('for the program of a sandbox, NO_PROXY in both spellings', () => {
  test.for([
    [{}, []],
    [{ no_proxy: '' }, []],
    [{ no_proxy: 'example.org' }, ['http://example.org']],
    [{ NO_PROXY: 'example.org, 10.0.0.0/8' }, ['http://example.org', 'http://10.1.2.3']],
    [{ no_proxy: '*' }, ['http://elsewhere.example']],
    [{ NO_PROXY: ' * ' }, ['http://elsewhere.example']],
  ] as const)('of %o exempts this machine, and what it exempted', ([env, before]) => {
    const { no_proxy = '', NO_PROXY = '' } = exemptLoopback(env);

    for (const url of [...sandboxes, ...before]) {
      expect([url, isExempt(new URL(url), no_proxy)]).toEqual([url, true]);
      expect([url, isExempt(new URL(url), NO_PROXY)]).toEqual([url, true]);
    }
  });

  test('keeps each spelling where they differ', () => {
    const { no_proxy, NO_PROXY } = exemptLoopback({ no_proxy: 'a.example', NO_PROXY: 'b.example' });

    expect([no_proxy, NO_PROXY]).toEqual([
      'a.example,127.0.0.1,localhost,::1',
      'b.example,127.0.0.1,localhost,::1',
    ]);
  });

  test('leaves everything to those that take `*` only where it stands alone', () => {
    expect(exemptLoopback({ no_proxy: '*' })).toEqual({ no_proxy: '*', NO_PROXY: '*' });
  });
});
