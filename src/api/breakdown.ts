import { bugHint, type FailureKind, systemCode } from '../errors.ts';
import { TransportError, TunnelError } from './exchange.ts';

const checkUrl = 'Check the base URL and where it is set: petstore config list';
const trust = 'To trust your own certificate authority: NODE_EXTRA_CA_CERTS=/path/to/ca.pem';
const untrusted = 'cannot verify the certificate of HOST';
const noTls = 'The service may use plain http, or a proxy may intercept the connection.';
const notHttp = 'the response from HOST is not valid HTTP';

type Reason = readonly [
  /** Matched against "CODE MESSAGE"; an error of undici's parser has a name in place of a code. */
  fault: RegExp,
  message: string,
  details?: {
    readonly hint?: string;
    readonly again?: true;
    readonly kind?: FailureKind;
    /** The row holds only once the head of the response has arrived. */
    readonly hasHead?: true;
  },
];

const reasons: readonly Reason[] = [
  [/^ENOTFOUND /, 'cannot resolve host HOST', { hint: checkUrl }],
  [/^EAI_AGAIN /, 'cannot resolve host HOST: temporary DNS failure', { again: true }],
  [/^ETIMEOUT /, 'cannot resolve host HOST: no name server answers'],
  [/^ECONNREFUSED /, 'HOST refused the connection', { hint: checkUrl, again: true }],
  [/^(EHOSTUNREACH|ENETUNREACH|ETIMEDOUT) /, 'HOST is unreachable', { again: true }],
  [/^UND_ERR_CONNECT_TIMEOUT /, 'connecting to HOST timed out after 10s', { again: true }],
  [/^UND_ERR_HEADERS_TIMEOUT /, 'HOST does not answer'],
  [/^E[MN]FILE /, 'too many open files to connect to HOST', { again: true }],
  [/^CERT_HAS_EXPIRED /, `${untrusted}: expired`, { hint: trust }],
  [/^CERT_NOT_YET_VALID /, `${untrusted}: not yet valid`, { hint: trust }],
  [/^\w+ALTNAME_INVALID /, `${untrusted}: issued for another host`, { hint: trust }],
  [/^DEPTH_ZERO_/, `${untrusted}: self-signed certificate`, { hint: trust }],
  [
    /^\w*(CERT|ISSUER|SIGNATURE)/,
    `${untrusted}: unknown certificate authority (CA)`,
    { hint: trust },
  ],
  [/^(EPROTO |ERR_SSL_)/, 'TLS handshake with HOST failed', { hint: noTls }],
  [/^(UND_ERR_SOCKET bad |UND_ERR_HEADERS_OVERFLOW )/, notHttp, { kind: 'service' }],
  [
    /^(UND_ERR_SOCKET|ECONNRESET|EPIPE|UND_ERR_RES_CONTENT_LENGTH|HTTPParserError .*EOF)/,
    'the response from HOST was cut short',
    { hasHead: true, kind: 'service', again: true },
  ],
  [/^(HTTPParserError (?!.*EOF)|UND_ERR_RES_CONTENT_LENGTH)/, notHttp, { kind: 'service' }],
];
const fallback: Reason = [/^/, 'HOST closed the connection', { again: true }];

type Attempt = {
  readonly host: string;
  readonly sent: boolean;
  readonly hasHead: boolean;
};

export function describeBreakdown(
  error: unknown,
  { host, sent, hasHead }: Attempt,
): TransportError {
  const fault = error instanceof TunnelError ? error.fault : error;
  if (typeof fault !== 'string' && isBug(fault)) {
    const message = `unexpected internal error: ${String(fault)}`;
    return new TransportError(message, sent, { kind: 'internal', hint: bugHint, cause: fault });
  }
  if (error instanceof TunnelError) return describeTunnelError(error, host);
  const [, says, { hint, again, kind } = {}] = reasonFor(error, hasHead);
  return new TransportError(says.replace('HOST', host), sent, { hint, again, kind, cause: error });
}

/** The system and undici give each error a code, except that of the parser. */
function isBug(error: unknown): boolean {
  const isOfParser = error instanceof Error && error.name === 'HTTPParserError';
  return systemCode(error) === undefined && !isOfParser;
}

function reasonFor(error: unknown, hasHead: boolean): Reason {
  const { name = '', message = '' } = error instanceof Error ? error : {};
  const text = `${systemCode(error) ?? name} ${message}`;
  const fits = ([fault, , details]: Reason) => fault.test(text) && (hasHead || !details?.hasHead);
  return reasons.find(fits) ?? fallback;
}

/** Describes a failure of the proxy, or behind it. None is retried: a proxy is asked only once for each request. */
function describeTunnelError({ proxy, at, fault }: TunnelError, host: string): TransportError {
  const name = at === 'proxy' ? `the proxy ${proxy.name} (${proxy.source})` : host;
  const [, says, details] =
    typeof fault === 'string' ? [/^/, `HOST ${fault}`] : reasonFor(fault, false);
  const message = says.replace(at === 'proxy' ? /(host )?HOST/ : 'HOST', name);
  // Without the port, which other programs do not know in NO_PROXY.
  const bypass = `Check ${proxy.source}, or bypass the proxy: NO_PROXY=${host.replace(/:\d+$/, '')}`;
  const hint = details?.hint === checkUrl ? bypass : (details?.hint ?? bypass);
  return new TransportError(message, false, { hint, cause: fault });
}
