import type { HttpProxy } from '../context.ts';
import { Failure, systemCode } from '../errors.ts';
import { isOutOfFiles } from '../text/too-many-files.ts';
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
  const hint = `Check ${proxy.source}, or go without: NO_PROXY=${host.replace(/:\d+$/, '')}`;
  switch (error.obstacle) {
    case 'silence': {
      const through = `no connection to ${host} through the proxy ${proxy.name} within 10 s`;
      const message =
        error.step === 'service' ? through : `no answer from the proxy ${proxy.name} within 10 s`;
      return new Undelivered(message, false, { hint });
    }
    case 'refusal':
      // Tinyproxy answers a wrong password with 401.
      return error.status === 407 || error.status === 401
        ? noPassword(proxy, error.status, error.basic)
        : new Undelivered(refusal(error.status, way), false, { hint });
    case 'breakdown':
      if (isOurs(error.cause)) return describeBreakdown(error.cause, host, false);
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
      ? `the proxy ${name} asks for a password (${status})`
      : `the proxy ${name} does not accept the password in ${source} (${status})`;
  const hint = basic
    ? `With a password: ${source}=http://USER:PASSWORD@HOST:PORT`
    : 'It takes none in the way petstore can give it, which is Basic.';
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
    return undelivered(`cannot find the proxy ${name}`);
  }
  if (code.startsWith('HPE_')) return undelivered(`the proxy ${name} does not speak HTTP`);
  if (isCut(code)) return undelivered(`the proxy ${name} closed the connection`);
  if (code === 'EPROTO' || code.startsWith('ERR_SSL_')) {
    const plain = `If it speaks plain HTTP: ${source}=http://HOST:PORT`;
    return undelivered(`the proxy ${name} does not speak TLS as it should`, plain);
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

/** Whether this machine is in the way, and neither the proxy nor the service. */
function isOurs(cause: unknown): boolean {
  return cause instanceof Failure || isOutOfFiles(cause);
}

function isCut(code: string): boolean {
  return code === 'ECONNRESET' || code === 'EPIPE';
}

function isAboutCertificate(code: string): boolean {
  return /CERT|ISSUER|SIGNATURE/.test(code);
}
