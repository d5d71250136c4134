import type { HttpProxy } from '../context.ts';
import { bugHint, type FailureKind, openFilesHint, systemCode } from '../errors.ts';
import { TransportError } from './exchange.ts';

const checkUrl = 'Check the base URL and where it is set. Run: petstore config list';
const checkHosts = 'Check localhost in the hosts file of this machine, or use 127.0.0.1.';
const trust = 'To trust your own certificate authority, set NODE_EXTRA_CA_CERTS=/path/to/ca.pem.';
const checkClock =
  'Check the clock of this machine. If it is right, only the operator of that host can help.';
const untrusted = 'cannot verify the certificate of HOST';
const noTls = 'The service may use plain http, or a proxy may intercept the connection.';
const noCommonTls = 'It may require a client certificate, which petstore cannot present.';
// undici reads responses with it.
const noWasm = 'cannot send, because WebAssembly cannot start here';
const onlyHttp2 = 'HOST speaks only HTTP/2, which petstore does not';
const notHttp = 'the response from HOST is not valid HTTP';

type Reason = readonly [
  /** Matched against "CODE MESSAGE". An error without a code has its name there; that of undici's parser ends with the first bytes of the response. */
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
  [/^ENOTFOUND /, 'cannot resolve HOST', { hint: checkUrl, isAway: true }],
  [/^EAI_AGAIN /, 'cannot resolve HOST: temporary DNS failure', { canRetry: true }],
  [/^ETIMEOUT /, 'cannot resolve HOST: no name server answers', { isAway: true }],
  [/^ECONNREFUSED /, 'HOST refused the connection', { hint: checkUrl, canRetry: true }],
  [/^(EHOSTUNREACH|ENETUNREACH|ETIMEDOUT) /, 'HOST is unreachable', { canRetry: true }],
  [/^ENOTLOCAL /, 'HOST is another machine, so the key was not sent to it', { hint: checkHosts }],
  [/^UND_ERR_CONNECT_TIMEOUT /, 'connecting to HOST timed out after 10s', { canRetry: true }],
  [/^UND_ERR_HEADERS_TIMEOUT /, 'HOST does not answer', { isAway: true }],
  [
    /^E[MN]FILE /,
    'too many open files to connect to HOST',
    { hint: openFilesHint, canRetry: true },
  ],
  [/^CERT_HAS_EXPIRED /, `${untrusted}: it has expired`, { hint: checkClock }],
  [/^CERT_NOT_YET_VALID /, `${untrusted}: it is not valid yet`, { hint: checkClock }],
  [/^\w+ALTNAME_INVALID /, `${untrusted}: it is for other hosts`, { hint: checkUrl }],
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
  [
    /^RangeError WebAssembly\./,
    `${noWasm}: too little address space (ulimit -v)`,
    {
      kind: 'output',
      hint: 'Run: export NODE_OPTIONS="$NODE_OPTIONS --disable-wasm-trap-handler"',
    },
  ],
  [
    /^ReferenceError WebAssembly /,
    `${noWasm}: it is switched off`,
    { kind: 'output', hint: 'Run Node without --jitless, also where NODE_OPTIONS has it.' },
  ],
  [/^(HTTPParserError (?!.*EOF)|UND_ERR_RES_CONTENT_LENGTH)/, notHttp, { kind: 'service' }],
  [/^(UND_ERR_|HTTPParserError |ECONN|EPIPE )/, 'HOST closed the connection', { canRetry: true }],
];
const fallback: Reason = [/^/, 'the connection to HOST failed (CODE)', { canRetry: true }];

type Attempt = {
  readonly host: string;
  readonly sent: boolean;
  readonly hasHead: boolean;
};

export function describeBreakdown(
  error: unknown,
  { host, sent, hasHead }: Attempt,
): TransportError {
  const { name, message, data = '' } = error as Error & { readonly data?: string };
  const code = systemCode(error);
  const bytes = Buffer.from(data.slice(0, 9)).toString('hex');
  const text = `${code ?? name} ${message} ${bytes}`;
  const reason = reasons.find(([fault, , row]) => fault.test(text) && (hasHead || !row?.hasHead));
  // The system gives each error a code.
  if (!reason && code === undefined) {
    const bug = `unexpected internal error: ${String(error)}`;
    return new TransportError(bug, sent, { kind: 'internal', hint: bugHint, cause: error });
  }
  const [, template, { hint, canRetry, isAway = canRetry, kind, isUnread } = {}] =
    reason ?? fallback;
  const details = { hint, canRetry, isAway, kind, cause: error };
  const wasSent = sent && (hasHead || !isUnread);
  const says = template.replace('CODE', code ?? '').replace('HOST', host);
  return new TransportError(says, wasSent, details);
}

export function describeProxyRefusal(status: number, proxy: HttpProxy, host: string) {
  const { name, source, credentials } = proxy;
  const needsLogin = status === 407;
  const verb = credentials === undefined ? 'requires a' : 'did not accept the';
  const did = needsLogin ? `${verb} user name and password` : 'refused to connect';
  const isAway = status >= 502 && status <= 504;
  const check = needsLogin ? `Set ${source}=http://USER:PASSWORD@${name}` : `Check ${source}`;
  const message = `${nameProxy(proxy)} ${did} (${status})`;
  return new TransportError(message, false, { hint: bypass(check, host), isAway });
}

/** Describes why a proxy cannot be used, or with `behind` why a service cannot be reached through it. Nothing was sent. */
export function describeProxyFault(fault: unknown, proxy: HttpProxy, host: string, behind = false) {
  const attempt = { host: behind ? host : nameProxy(proxy), sent: false, hasHead: false };
  const { message, details } = describeBreakdown(fault, attempt);
  const hint = details.hint === checkUrl ? undefined : details.hint;
  return new TransportError(message, false, {
    ...details,
    hint: hint ?? bypass(`Check ${proxy.source}`, host),
    // A proxy is asked only once for each request.
    canRetry: false,
  });
}

function nameProxy({ name, source }: HttpProxy): string {
  return `the proxy ${name} (${source})`;
}

/** The host stands without its port, which other programs do not know in NO_PROXY. */
function bypass(check: string, host: string): string {
  return `${check}, or bypass the proxy with NO_PROXY=${host.replace(/:\d+$/, '')}.`;
}
