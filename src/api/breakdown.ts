import { type FailureKind, systemCode } from '../errors.ts';
import { TransportError, TunnelError } from './exchange.ts';

const checkUrl = 'Check the base URL and where it is set: petstore config list';
const trust = 'To trust your own certificate authority: NODE_EXTRA_CA_CERTS=/path/to/ca.pem';
const untrusted = 'cannot verify the certificate of HOST';
const notHttp = 'the response from HOST is not valid HTTP';

type Reason = {
  /** Matched against "CODE MESSAGE"; an error of undici's parser has a name in place of a code. */
  readonly fault: RegExp;
  /** The row holds only once the head of the response has arrived. */
  readonly hasHead?: true;
  /** HOST stands for the service or the proxy. */
  readonly says: string;
  readonly hint?: string;
  /** A retry may succeed at once. */
  readonly again?: true;
  readonly kind?: FailureKind;
};

/** Reasons for an incomplete response. The first row that fits counts. */
const reasons: readonly Reason[] = [
  { fault: /^ENOTFOUND /, says: 'cannot resolve host HOST', hint: checkUrl },
  { fault: /^EAI_AGAIN /, says: 'cannot resolve host HOST: temporary DNS failure', again: true },
  { fault: /^ECONNREFUSED /, says: 'HOST refused the connection', hint: checkUrl, again: true },
  { fault: /^(EHOSTUNREACH|ENETUNREACH|ETIMEDOUT) /, says: 'HOST is unreachable', again: true },
  {
    fault: /^UND_ERR_CONNECT_TIMEOUT /,
    says: 'connecting to HOST timed out after 10s',
    again: true,
  },
  { fault: /^E[MN]FILE /, says: 'too many open files to connect to HOST', again: true },
  { fault: /^CERT_HAS_EXPIRED /, says: `${untrusted}: expired`, hint: trust },
  { fault: /^CERT_NOT_YET_VALID /, says: `${untrusted}: not yet valid`, hint: trust },
  { fault: /^\w+ALTNAME_INVALID /, says: `${untrusted}: issued for another host`, hint: trust },
  { fault: /^DEPTH_ZERO_/, says: `${untrusted}: self-signed certificate`, hint: trust },
  {
    fault: /^\w*(CERT|ISSUER|SIGNATURE)/,
    says: `${untrusted}: unknown certificate authority (CA)`,
    hint: trust,
  },
  {
    fault: /^(EPROTO |ERR_SSL_)/,
    says: 'TLS handshake with HOST failed',
    hint: 'The service may use plain http, or a proxy may intercept the connection.',
  },
  { fault: /^(UND_ERR_SOCKET bad |UND_ERR_HEADERS_OVERFLOW )/, says: notHttp, kind: 'service' },
  {
    fault: /^(UND_ERR_SOCKET|ECONNRESET|EPIPE|UND_ERR_RES_CONTENT_LENGTH|HTTPParserError .*EOF)/,
    hasHead: true,
    says: 'the response from HOST was cut short',
    kind: 'service',
    again: true,
  },
  {
    fault: /^(HTTPParserError (?!.*EOF)|UND_ERR_RES_CONTENT_LENGTH)/,
    says: notHttp,
    kind: 'service',
  },
  { fault: /^/, says: 'HOST closed the connection', again: true },
];

type Attempt = {
  readonly host: string;
  /** The service may have seen the request. */
  readonly sent: boolean;
  readonly hasHead: boolean;
};

/** Describes a network error for messages. */
export function describeBreakdown(
  error: unknown,
  { host, sent, hasHead }: Attempt,
): TransportError {
  if (error instanceof TunnelError) return describeTunnelError(error, host);
  const { says, hint, again, kind } = reasonFor(error, hasHead);
  return new TransportError(says.replace('HOST', host), sent, {
    hint,
    cause: error,
    ...(kind && { kind }),
    ...(again && { again }),
  });
}

function reasonFor(error: unknown, hasHead: boolean): Omit<Reason, 'fault'> {
  const { name = '', message = '' } = error instanceof Error ? error : {};
  const fault = `${systemCode(error) ?? name} ${message}`;
  const fits = (reason: Reason) => reason.fault.test(fault) && (!reason.hasHead || hasHead);
  return reasons.find(fits) as Reason;
}

/** Describes a failure of the proxy, or behind it. None is retried: a proxy is asked only once for each request. */
function describeTunnelError({ proxy, at, fault }: TunnelError, host: string): TransportError {
  const name = at === 'proxy' ? `the proxy ${proxy.name} (${proxy.source})` : host;
  const reason = typeof fault === 'string' ? { says: `HOST ${fault}` } : reasonFor(fault, false);
  const message = reason.says.replace(at === 'proxy' ? /(host )?HOST/ : 'HOST', name);
  // Without the port, which other programs do not know in NO_PROXY.
  const bypass = `Check ${proxy.source}, or bypass the proxy: NO_PROXY=${host.replace(/:\d+$/, '')}`;
  const hint = reason.hint === undefined || reason.hint === checkUrl ? bypass : reason.hint;
  return new TransportError(message, false, { hint, cause: fault });
}
