import type { HttpProxy } from '../context.ts';
import { Failure, systemCode } from '../errors.ts';
import { describeBreakdown } from './breakdown.ts';
import { Undelivered } from './exchange.ts';

/** No tunnel to the service stands, so nothing of the request has left. */
export type NoTunnel = Error & {
  readonly code: 'NO_TUNNEL';
  /** What was on its way: the proxy's answer, or TLS with the service behind it. */
  readonly step: 'proxy' | 'service';
} & Obstacle;

export type Obstacle =
  | { readonly obstacle: 'silence' }
  /** The proxy's answer; `basic` tells whether it takes a password as petstore gives it. */
  | { readonly obstacle: 'refusal'; readonly status: number; readonly basic: boolean }
  | { readonly obstacle: 'breakdown'; readonly cause: unknown };

type Way = { readonly host: string; readonly proxy: HttpProxy };

export function isNoTunnel(error: unknown): error is NoTunnel {
  return systemCode(error) === 'NO_TUNNEL';
}

/** Puts into words why there is no tunnel to `host`. None of them is tried again: the proxy is asked once a request. */
export function describeNoTunnel(error: NoTunnel, way: Way): Undelivered {
  const { proxy, host } = way;
  // Without the port, which other programs do not know there.
  const hint = `Check ${proxy.source}, or bypass the proxy: NO_PROXY=${host.replace(/:\d+$/, '')}`;
  switch (error.obstacle) {
    case 'silence': {
      const through = `connecting to ${host} through the proxy ${proxy.name} timed out after 10s`;
      const message =
        error.step === 'service' ? through : `the proxy ${proxy.name} timed out after 10s`;
      return new Undelivered(message, false, { hint });
    }
    case 'refusal':
      // Tinyproxy answers a wrong password with 401.
      return error.status === 407 || error.status === 401
        ? noPassword(proxy, error.status, error.basic)
        : new Undelivered(refusal(error.status, way), false, { hint });
    case 'breakdown':
      if (error.cause instanceof Failure) return describeBreakdown(error.cause, host, false);
      return error.step === 'service'
        ? behindProxy(error.cause, way, hint)
        : atProxy(error.cause, proxy, hint);
  }
}

function noPassword(
  { name, source, credentials }: HttpProxy,
  status: number,
  basic: boolean,
): Undelivered {
  const message =
    credentials === undefined
      ? `the proxy ${name} requires a password (${status})`
      : `the proxy ${name} rejected the password in ${source} (${status})`;
  const hint = basic
    ? `Set the password: ${source}=http://USER:PASSWORD@HOST:PORT`
    : 'It does not offer Basic authentication, the only scheme that petstore supports.';
  return new Undelivered(message, false, { hint });
}

function refusal(status: number, { proxy, host }: Way): string {
  const did = status < 500 ? 'refused to' : 'could not';
  return `the proxy ${proxy.name} ${did} connect to ${host} (${status})`;
}

function atProxy(cause: unknown, { name, source }: HttpProxy, hint: string): Undelivered {
  const code = systemCode(cause) ?? '';
  const undelivered = (message: string, words = hint) =>
    new Undelivered(message, false, { hint: words, cause });
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return undelivered(`cannot resolve the proxy ${name}`);
  }
  if (code.startsWith('HPE_'))
    return undelivered(`the response from the proxy ${name} is not valid HTTP`);
  if (isCut(code)) return undelivered(`the proxy ${name} closed the connection`);
  if (code === 'EPROTO' || code.startsWith('ERR_SSL_')) {
    const plain = `If it is a plain HTTP proxy: ${source}=http://HOST:PORT`;
    return undelivered(`TLS handshake with the proxy ${name} failed`, plain);
  }
  const { message, details } = describeBreakdown(cause, `the proxy ${name}`, false);
  return undelivered(message, isAboutCertificate(code) ? details.hint : hint);
}

function behindProxy(cause: unknown, { proxy, host }: Way, hint: string): Undelivered {
  if (isCut(systemCode(cause) ?? '')) {
    const message = `the proxy ${proxy.name} closed the connection to ${host}`;
    return new Undelivered(message, false, { hint, cause });
  }
  const { message, details } = describeBreakdown(cause, host, false);
  return new Undelivered(message, false, { ...details, again: false });
}

function isCut(code: string): boolean {
  return code === 'ECONNRESET' || code === 'EPIPE';
}

function isAboutCertificate(code: string): boolean {
  return /CERT|ISSUER|SIGNATURE/.test(code);
}
