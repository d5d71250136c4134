import { isIP } from 'node:net';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';

/**
 * TLS whose certificate is checked, whatever NODE_TLS_REJECT_UNAUTHORIZED says. The error of one that is not accepted tells it
 * as `certificate`.
 */
export function connectTls(options: ConnectionOptions & { readonly host: string }): TLSSocket {
  const socket = connect({
    ...options,
    // An address is no name that a server could be asked for (RFC 6066, section 3).
    servername: isIP(options.host) ? '' : options.host,
    ALPNProtocols: ['http/1.1'],
    rejectUnauthorized: true,
  });
  // Before the certificate is judged: the connection of one that is not accepted forgets it.
  socket.prependOnceListener('secure', () => {
    const certificate = socket.getPeerCertificate();
    socket.prependOnceListener('error', (error) => Object.assign(error, { certificate }));
  });
  return socket;
}
