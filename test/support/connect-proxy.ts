import { connect, createServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import type { Certificate } from './own-authority.ts';
import { openServer } from './ports.ts';

/** What a proxy does with a CONNECT; it has read the whole header. `service` opens a connection to where tunnels end. */
type Reaction = (socket: Socket, service: () => Socket) => void;

const tunnel = 'HTTP/1.1 200 Connection established\r\n\r\n';

function refusal(status: string, field = ''): Reaction {
  return (socket) => socket.end(`HTTP/1.1 ${status}\r\n${field}Content-Length: 4\r\n\r\nno.\n`);
}

/** What a proxy can do, by name. */
export const reactions = {
  good(socket, service) {
    const behind = service();
    behind.on('error', () => socket.destroy());
    socket.on('close', () => behind.destroy());
    socket.write(tunnel);
    socket.pipe(behind).pipe(socket);
  },
  asksForPassword: refusal('407 Who?', 'Proxy-Authenticate: Basic realm="x"\r\n'),
  forbids: refusal('403 No\u001b[31m'),
  closes: (socket) => socket.end(),
  tricklesHeaders(socket) {
    socket.write('HTTP/1.1 200 OK\r\n');
    const more = setInterval(() => socket.write('X-More: 1\r\n'), 20);
    socket.once('close', () => clearInterval(more));
  },
  hangsInTunnel: (socket) => socket.write(tunnel),
  closesInTunnel: (socket) => socket.end(tunnel),
  garbage: (socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n'),
  plainTextAtOnce: (socket) => socket.end(`${tunnel}HTTP/1.1 400 Bad Request\r\n\r\n`),
} satisfies Record<string, Reaction>;

export type ConnectProxy = {
  readonly port: number;
  /** The header of each CONNECT. */
  readonly asked: string[];
  /** Every byte that came from clients. */
  readonly seen: () => Buffer;
  readonly close: () => void;
};

/** A proxy on this machine, whose tunnels all end at `port` of this machine, whatever they were asked for; it speaks TLS with a certificate. */
export async function startProxy(
  name: keyof typeof reactions,
  port = 1,
  certified?: Certificate,
): Promise<ConnectProxy> {
  const asked: string[] = [];
  const chunks: Buffer[] = [];
  const onConnection = (socket: Socket) => {
    socket.on('data', (chunk) => chunks.push(chunk));
    let head = '';
    const read = (chunk: Buffer) => {
      head += chunk.toString('latin1');
      // TLS, which this proxy does not speak.
      if (head.startsWith('\x16')) socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
      if (!head.includes('\r\n\r\n')) return;
      socket.off('data', read);
      asked.push(head);
      const react: Reaction = reactions[name];
      react(socket, () => connect(port, '127.0.0.1'));
    };
    socket.on('data', read);
  };
  const server = certified ? createTlsServer(certified, onConnection) : createServer(onConnection);
  return { ...(await openServer(server)), asked, seen: () => Buffer.concat(chunks) };
}
