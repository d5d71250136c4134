import type { PeerCertificate } from 'node:tls';
import { Failure, systemCode } from '../errors.ts';
import { isoTime } from '../time.ts';
import { Undelivered } from './exchange.ts';

type Words = {
  /** A sentence about `host`, which names the port when it is not the scheme's own. */
  readonly say: (host: string) => string;
  readonly kind?: 'network' | 'service';
  readonly hint?: string;
  /** Whether the same request may fare better at once. */
  readonly again?: boolean;
};

// Not the command that sets it: the address may come from a flag or a variable, and be another profile's.
const checkAddress = 'Check the base URL and where it is set: petstore config list';
const ownAuthority = 'To trust your own certificate authority: NODE_EXTRA_CA_CERTS=/path/to/ca.pem';

function untrusted(reason: string): Words {
  return {
    say: (host) => `cannot verify the certificate of ${host}: ${reason}`,
    hint: ownAuthority,
  };
}

const unknownAuthority = untrusted('unknown certificate authority (CA)');

const refused: Words = {
  say: (host) => `${host} refused the connection`,
  hint: checkAddress,
  again: true,
};
const unreachable: Words = { say: (host) => `${host} is unreachable`, again: true };
const cutOff: Words = { say: (host) => `${host} closed the connection`, again: true };
const noneLeft: Words = {
  say: (host) => `too many open files to connect to ${host}`,
  again: true,
};
const notHttp: Words = {
  say: (host) => `the response from ${host} is not valid HTTP`,
  kind: 'service',
};

const words: Readonly<Record<string, Words>> = {
  ENOTFOUND: { say: (host) => `cannot resolve host ${host}`, hint: checkAddress },
  EAI_AGAIN: { say: (host) => `cannot resolve host ${host}: temporary DNS failure`, again: true },
  ECONNREFUSED: refused,
  EHOSTUNREACH: unreachable,
  ENETUNREACH: unreachable,
  ETIMEDOUT: unreachable,
  CONNECT_TIMEOUT: { say: (host) => `connecting to ${host} timed out after 10s`, again: true },
  ECONNRESET: cutOff,
  BAD_RESPONSE: notHttp,
  TURN_RETURNED: { say: () => 'not sent: it must wait for the rate limit again' },
  EPIPE: cutOff,
  EMFILE: noneLeft,
  ENFILE: noneLeft,
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted('self-signed certificate'),
  SELF_SIGNED_CERT_IN_CHAIN: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthority,
  EPROTO: {
    say: (host) => `TLS handshake with ${host} failed`,
    hint: 'The service may use plain http, or a proxy may intercept the connection.',
  },
};

/** Puts an error of the network into words; `sent` tells whether the request had begun to leave. A failure has its own. */
export function describeBreakdown(error: unknown, host: string, sent: boolean): Undelivered {
  if (error instanceof Failure) {
    const { kind, message, details } = error;
    return new Undelivered(message, sent, { kind, hint: details.hint, cause: error });
  }
  return undelivered(error, host, sent, wordsFor(error));
}

/** The same for an answer whose head had come; `received` and `contentLength` are bytes of its body. */
export function describeCut(
  error: unknown,
  host: string,
  received: number,
  contentLength: string | undefined,
): Undelivered {
  const part =
    contentLength === undefined ? `after ${received}` : `${received} of ${contentLength}`;
  const cutShort: Words = {
    say: (name) => `the response from ${name} was cut short (${part} bytes)`,
    kind: 'service',
    again: true,
  };
  return undelivered(error, host, true, systemCode(error) === 'BAD_RESPONSE' ? notHttp : cutShort);
}

function undelivered(cause: unknown, host: string, sent: boolean, { say, ...details }: Words) {
  return new Undelivered(say(host), sent, { ...details, cause });
}

function wordsFor(error: unknown): Words {
  const code = systemCode(error) ?? '';
  const certificate = certificateOf(error);
  if (code === 'CERT_HAS_EXPIRED') return untrusted(`expired${validity(certificate)}`);
  if (code === 'CERT_NOT_YET_VALID') return untrusted(`not yet valid${validity(certificate)}`);
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return untrusted(`issued for ${certificate?.subjectaltname ?? 'another host'}`);
  }
  if (code.startsWith('ERR_SSL_')) return words.EPROTO ?? cutOff;
  return words[code] ?? cutOff;
}

/** What the service showed, where the connection was refused for it. */
function certificateOf(error: unknown): Partial<PeerCertificate> | undefined {
  return (error as { readonly certificate?: Partial<PeerCertificate> } | undefined)?.certificate;
}

/** " (valid 2025-11-20 to 2026-11-20)", where that is known. */
function validity(certificate: Partial<PeerCertificate> | undefined): string {
  const times = [certificate?.valid_from, certificate?.valid_to].map((time) =>
    Date.parse(time ?? ''),
  );
  if (times.some(Number.isNaN)) return '';
  const [from, to] = times.map((time) => isoTime(time).slice(0, 10));
  return ` (valid ${from} to ${to})`;
}
