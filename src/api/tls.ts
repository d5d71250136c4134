import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';

/**
 * TLS whose certificate is checked, whatever NODE_TLS_REJECT_UNAUTHORIZED says. The error of one that is not accepted tells it
 * as `certificate`.
 */
export function connectTls(options: ConnectionOptions): TLSSocket {
  const socket = connect({ ...options, ALPNProtocols: ['http/1.1'], rejectUnauthorized: true });
  // Before the certificate is judged: the connection of one that is not accepted forgets it.
  socket.prependOnceListener('secure', () => {
    const certificate = socket.getPeerCertificate();
    socket.prependOnceListener('error', (error) => Object.assign(error, { certificate }));
  });
  return socket;
}
