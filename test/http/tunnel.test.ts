import { afterEach, describe, expect, test, vi } from 'vitest';
import { describeNoTunnel, isNoTunnel } from '../../src/api/no-tunnel.ts';
import { createTransport } from '../../src/node/transport.ts';
import { type ConnectProxy, type reactions, startProxy } from '../support/connect-proxy.ts';
import { networkError } from '../support/petstore.ts';
import type { HttpProxy } from '../support/values.ts';
import { request } from '../support/wire.ts';

describe('a tunnel that never stands', () => {
  let proxy: ConnectProxy | undefined;
  afterEach(() => proxy?.close());

  const check = /^Check HTTPS_PROXY, or bypass the proxy: NO_PROXY=pets\.example$/;
  const tls = /^The service may use plain http, or a proxy may intercept the connection\.$/;

  const password = /^Set the password: HTTPS_PROXY=http:\/\/USER:PASSWORD@HOST:PORT$/;

  /** What the proxy does, the message, and the hint where it is not the usual one. */
  test.for<readonly [keyof typeof reactions, string, RegExp?]>([
    ['asksForPassword', 'the proxy PROXY requires a password (407)', password],
    ['asksOtherwise', 'the proxy PROXY requires a password (407)', /Basic/],
    ['forbids', 'the proxy PROXY refused to connect to pets.example (403)'],
    ['fails', 'the proxy PROXY could not connect to pets.example (502)'],
    ['closes', 'the proxy PROXY closed the connection'],
    ['resets', 'the proxy PROXY closed the connection'],
    ['hangs', 'the proxy PROXY timed out after 10s'],
    ['tricklesHeaders', 'the proxy PROXY timed out after 10s'],
    ['hangsInTunnel', 'connecting to pets.example through the proxy PROXY timed out after 10s'],
    ['closesInTunnel', 'the proxy PROXY closed the connection to pets.example'],
    ['garbage', 'the response from the proxy PROXY is not valid HTTP'],
    ['hugeHeader', 'the response from the proxy PROXY is not valid HTTP'],
    ['plainText', 'TLS handshake with pets.example failed', tls],
    ['plainTextAtOnce', 'TLS handshake with pets.example failed', tls],
  ])('%s: %s', async ([react, says, hint = check]) => {
    proxy = await startProxy(react);
    const { failure, sent, name } = await attempt({ port: proxy.port });

    expect(failure.message).toBe(says.replace('PROXY', name));
    expect(failure.details.hint).toMatch(hint);
    expect(failure.details.again ?? false).toBe(false);
    expect({ sent, failureSent: failure.sent }).toEqual({ sent: false, failureSent: false });
    expect(proxy.asked).toHaveLength(1);
  });

  test('a proxy that is not there refuses the connection', async () => {
    const { failure, name } = await attempt({ port: 1 });

    expect(failure).toMatchObject({ message: `the proxy ${name} refused the connection` });
    expect(failure.details).toMatchObject({ hint: expect.stringMatching(check) });
  });

  test.for([
    ['proxy', 'ENOTFOUND', 'cannot resolve the proxy one:3128'],
    ['proxy', 'EHOSTUNREACH', 'the proxy one:3128 is unreachable'],
    ['proxy', 'CERT_HAS_EXPIRED', 'cannot verify the certificate of the proxy one:3128: expired'],
    ['service', 'CERT_HAS_EXPIRED', 'cannot verify the certificate of pets.example: expired'],
    ['service', 'ETIMEDOUT', 'pets.example is unreachable'],
  ] as const)('on the way to the %s, %s: %s', ([step, code, says]) => {
    const cause = networkError(code);
    const fields = { code: 'NO_TUNNEL', step, obstacle: 'breakdown', cause } as const;
    const proxy = proxyAt({ name: 'one:3128' });

    const { message, details } = describeNoTunnel(Object.assign(new Error(), fields), {
      host: 'pets.example',
      proxy,
    });

    expect(message).toBe(says);
    expect(details.again ?? false).toBe(false);
    if (code.startsWith('CERT')) expect(details.hint).toContain('NODE_EXTRA_CA_CERTS');
    else if (step === 'proxy') expect(details.hint).toMatch(check);
  });

  test('an https proxy that speaks plain http is told so', async () => {
    proxy = await startProxy('garbage');
    const { failure, name } = await attempt({ port: proxy.port, protocol: 'https:' });

    expect(failure.message).toBe(`TLS handshake with the proxy ${name} failed`);
    expect(failure.details.hint).toBe('If it is a plain HTTP proxy: HTTPS_PROXY=http://HOST:PORT');
  });

  test('a password that is not accepted is asked for by the name of its variable', async () => {
    proxy = await startProxy('asksForPassword');
    const { failure, name } = await attempt({ port: proxy.port, credentials: 'me:open sesame' });

    expect(failure.message).toBe(`the proxy ${name} rejected the password in HTTPS_PROXY (407)`);
    expect(proxy.asked[0]).toMatch(/^proxy-authorization: Basic bWU6b3BlbiBzZXNhbWU=\r$/im);
  });

  test('the proxy is told the address, and nothing of the request', async () => {
    proxy = await startProxy('hangsInTunnel');
    await attempt({ port: proxy.port });

    expect(proxy.asked[0]?.split('\r\n')[0]).toBe('CONNECT pets.example:443 HTTP/1.1');
    expect(proxy.asked[0]).toMatch(/^host: pets\.example:443\r$/im);
    expect(proxy.asked[0]).not.toMatch(/authorization|the-key/i);
    expect(proxy.seen().toString('latin1')).not.toContain('the-key');
  });

  test('a request is given up at once while a proxy hangs', async () => {
    proxy = await startProxy('hangs');
    const { asked, port } = proxy;
    const { send, close } = createTransport(() => 0, 60_000);
    const attempt = new AbortController();
    const gone = send(request({ proxy: proxyAt({ port }), signal: attempt.signal }));
    await vi.waitFor(() => expect(asked).toHaveLength(1));

    attempt.abort(new Error('enough'));

    await expect(gone).rejects.toThrow('enough');
    close();
  });

  test('a transport that is closed lets go of a proxy that hangs', async () => {
    const silent = await startProxy('hangs');
    proxy = silent;
    const { send, close } = createTransport(() => 0, 60_000);
    const gone = send(request({ proxy: proxyAt({ port: silent.port }) }));
    await vi.waitFor(() => expect(silent.asked).toHaveLength(1));

    close();

    await expect(gone).rejects.toThrow();
    await vi.waitFor(() => expect(silent.open()).toBe(0));
  });
});

function proxyAt(fields: Partial<Omit<HttpProxy, 'port'>> & { port?: number }): HttpProxy {
  const { port = 3128, ...others } = fields;
  return {
    protocol: 'http:',
    hostname: '127.0.0.1',
    port: String(port),
    name: `127.0.0.1:${port}`,
    credentials: undefined,
    source: 'HTTPS_PROXY',
    ...others,
  };
}

/** One request through a proxy that gives no tunnel, on a transport that waits 300 ms instead of 10 s. */
async function attempt(fields: Parameters<typeof proxyAt>[0]) {
  const proxy = proxyAt(fields);
  const { send, close } = createTransport(() => 0, 300);
  let sent = false;
  const onSent = () => {
    sent = true;
  };
  const error = await send(request({ proxy, onSent })).catch((error: unknown) => error);
  close();
  if (!isNoTunnel(error)) throw error;
  const failure = describeNoTunnel(error, { host: 'pets.example', proxy });
  return { failure, sent, name: proxy.name };
}
