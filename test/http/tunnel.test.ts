import { afterEach, describe, expect, test, vi } from 'vitest';
import { createTransport } from '../../src/node/transport.ts';
import { type ConnectProxy, type reactions, startProxy } from '../support/connect-proxy.ts';
import type { HttpProxy } from '../support/values.ts';
import { request } from './wire.ts';

describe('a tunnel that never stands', () => {
  let proxy: ConnectProxy | undefined;
  afterEach(() => proxy?.close());

  test.for<readonly [keyof typeof reactions]>([
    ['asksForPassword'],
    ['closes'],
    ['garbage'],
    ['plainTextAtOnce'],
  ])('%s: the proxy was asked once, and nothing was sent', async ([react]) => {
    proxy = await startProxy(react);
    const onSent = vi.fn();

    const gone = createTransport()(request({ proxy: proxyAt(proxy.port), onSent }));

    await expect(gone).rejects.toThrow();
    expect(onSent).not.toHaveBeenCalled();
    expect(proxy.asked).toHaveLength(1);
    // It was given no password.
    expect(proxy.asked[0]).not.toMatch(/authorization/i);
  });

  test.for([
    ['a name', 'https://pets.example/v1', 'pets.example:443'],
    ['a port', 'https://pets.example:8443/v1', 'pets.example:8443'],
    ['an IPv6 address', 'https://[2001:db8::1]/v1', '[2001:db8::1]:443'],
  ] as const)(
    'the proxy is told %s and the password, and nothing of the request',
    async ([, url, address]) => {
      proxy = await startProxy('forbids');
      const credentials = 'me:open sesame';

      const gone = createTransport()(
        request({ url: new URL(url), proxy: proxyAt(proxy.port, { credentials }) }),
      );

      await expect(gone).rejects.toThrow();
      const [asked = ''] = proxy.asked;
      expect(asked.split('\r\n')[0]).toBe(`CONNECT ${address} HTTP/1.1`);
      expect(asked).toMatch(/^proxy-authorization: Basic bWU6b3BlbiBzZXNhbWU=\r$/im);
      expect(asked).not.toMatch(/^authorization:/im);
      expect(proxy.seen().toString('latin1')).not.toContain('the-key');
    },
  );
});

function proxyAt(port: number, fields: Partial<HttpProxy> = {}): HttpProxy {
  return {
    origin: `http://127.0.0.1:${port}`,
    name: `127.0.0.1:${port}`,
    credentials: undefined,
    source: 'HTTPS_PROXY',
    ...fields,
  };
}
