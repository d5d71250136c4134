import { bugHint, type FailureKind, missingModule, systemCode } from '../errors.ts';
import { isoTime } from '../time.ts';
import { TransportError, TunnelError } from './exchange.ts';

const checkUrl = 'Check the base URL and where it is set. Run: petstore config list';
const checkHosts = 'Check localhost in the hosts file of this machine, or use 127.0.0.1.';
const trust = 'To trust your own certificate authority, set NODE_EXTRA_CA_CERTS=/path/to/ca.pem.';
const checkClock =
  'Check the clock of this machine. If it is right, only the operator of that host can help.';
const untrusted = 'cannot verify the certificate of HOST';
const noTls = 'The service may use plain http, or a proxy may intercept the connection.';
const noCommonTls = 'It may require a client certificate, which petstore cannot present.';
const onlyHttp2 = 'HOST speaks only HTTP/2, which petstore does not';
const notHttp = 'the response from HOST is not valid HTTP';

const maxNamesLength = 100;

type Reason = readonly [
  /** Matched against "CODE MESSAGE"; an error of undici's parser has a name in place of a code, and the first bytes of the response after it. */
  fault: RegExp,
  message: string,
  details?: {
    readonly hint?: string;
    readonly canRetry?: true;
    /** It may pass, although it is not worth another try at once. */
    readonly isAway?: true;
    readonly kind?: FailureKind;
    /** The row holds only once the head of the response has arrived. */
    readonly hasHead?: true;
    /** The service shows that it did not take what it received for a request. */
    readonly isUnread?: true;
  },
];

const reasons: readonly Reason[] = [
  [missingModule.code, missingModule.message, { kind: 'output', hint: missingModule.hint }],
  [/^ENOTFOUND /, 'cannot resolve host HOST', { hint: checkUrl, isAway: true }],
  [/^EAI_AGAIN /, 'cannot resolve host HOST: temporary DNS failure', { canRetry: true }],
  [/^ETIMEOUT /, 'cannot resolve host HOST: no name server answers', { isAway: true }],
  [/^ECONNREFUSED /, 'HOST refused the connection', { hint: checkUrl, canRetry: true }],
  [/^(EHOSTUNREACH|ENETUNREACH|ETIMEDOUT) /, 'HOST is unreachable', { canRetry: true }],
  [/^ENOTLOCAL /, 'HOST is another machine, so the key was not sent to it', { hint: checkHosts }],
  [/^UND_ERR_CONNECT_TIMEOUT /, 'connecting to HOST timed out after 10s', { canRetry: true }],
  [/^UND_ERR_HEADERS_TIMEOUT /, 'HOST does not answer', { isAway: true }],
  [/^E[MN]FILE /, 'too many open files to connect to HOST', { canRetry: true }],
  [/^CERT_HAS_EXPIRED /, `${untrusted}: expired on UNTIL`, { hint: checkClock }],
  [/^CERT_NOT_YET_VALID /, `${untrusted}: not valid before FROM`, { hint: checkClock }],
  [/^\w+ALTNAME_INVALID /, `${untrusted}: issued for NAMES`, { hint: checkUrl }],
  [/^DEPTH_ZERO_/, `${untrusted}: self-signed certificate`, { hint: trust }],
  [
    /^ERR_SSL_\S+ALERT_(CERTIFICATE_REQUIRED|BAD_CERTIFICATE) /,
    'HOST requires a client certificate, which petstore cannot present',
    { isUnread: true },
  ],
  [/^ERR_SSL_\S+PROTOCOL_VERSION /, 'HOST supports only TLS 1.1 or older, which is not safe'],
  [/^ERR_SSL_\S+NO_APPLICATION_PROTOCOL /, onlyHttp2],
  [/^HTTPParserError .* 0000\w\w04(00){5}$/, onlyHttp2, { isUnread: true }],
  [/^ERR_SSL_\S+HANDSHAKE_FAILURE /, 'HOST refused the TLS handshake', { hint: noCommonTls }],
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
    { hasHead: true, kind: 'service', canRetry: true },
  ],
  [/^(HTTPParserError (?!.*EOF)|UND_ERR_RES_CONTENT_LENGTH)/, notHttp, { kind: 'service' }],
];
const fallback: Reason = [/^/, 'HOST closed the connection', { canRetry: true }];

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
  const [, template, { hint, canRetry, isAway = canRetry, kind, isUnread } = {}] = reasonFor(
    error,
    hasHead,
  );
  const wasSent = sent && (hasHead || !isUnread);
  const message = fill(template, error).replace('HOST', host);
  return new TransportError(message, wasSent, { hint, canRetry, isAway, kind, cause: error });
}

/** The system and undici give each error a code, except that of the parser. */
function isBug(error: unknown): boolean {
  const isOfParser = error instanceof Error && error.name === 'HTTPParserError';
  return systemCode(error) === undefined && !isOfParser;
}

function reasonFor(error: unknown, hasHead: boolean): Reason {
  const { name, message, data = '' } = error as Error & { readonly data?: string };
  const bytes = Buffer.from(data.slice(0, 9)).toString('hex');
  const text = `${systemCode(error) ?? name} ${message} ${bytes}`;
  const fits = ([fault, , details]: Reason) => fault.test(text) && (hasHead || !details?.hasHead);
  return reasons.find(fits) ?? fallback;
}

type WithCertificate = {
  readonly cert?: { valid_from?: string; valid_to?: string; subjectaltname?: string };
};

function fill(template: string, error: unknown): string {
  const {
    valid_from,
    valid_to,
    subjectaltname = 'another host',
  } = (error as WithCertificate).cert ?? {};
  return template
    .replace('FROM', () => formatDay(valid_from))
    .replace('UNTIL', () => formatDay(valid_to))
    .replace('NAMES', () =>
      subjectaltname.replace(/\b(DNS|IP Address):/g, '').slice(0, maxNamesLength),
    );
}

function formatDay(date = ''): string {
  const time = Date.parse(date);
  return Number.isNaN(time) ? 'an unknown day' : isoTime(time).slice(0, 10);
}

/** Describes a failure of the proxy, or behind it. None is retried: a proxy is asked only once for each request. */
function describeTunnelError({ proxy, side, fault }: TunnelError, host: string): TransportError {
  const name = side === 'proxy' ? `the proxy ${proxy.name} (${proxy.source})` : host;
  const [, template, details] =
    typeof fault === 'string' ? [/^/, `HOST ${fault}`] : reasonFor(fault, false);
  const message = fill(template, fault).replace(side === 'proxy' ? /(host )?HOST/ : 'HOST', name);
  // Without the port, which other programs do not know in NO_PROXY.
  const check =
    typeof fault === 'string' && fault.endsWith('(407)')
      ? `Set ${proxy.source}=http://USER:PASSWORD@${proxy.name}`
      : `Check ${proxy.source}`;
  const bypass = `${check}, or bypass the proxy with NO_PROXY=${host.replace(/:\d+$/, '')}.`;
  const hint = details?.hint === checkUrl ? bypass : (details?.hint ?? bypass);
  const isAway =
    typeof fault === 'string' ? /\(50[234]\)$/.test(fault) : (details?.isAway ?? details?.canRetry);
  return new TransportError(message, false, { hint, isAway, cause: fault });
}
