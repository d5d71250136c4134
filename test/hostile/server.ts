import { createServer, type Socket } from 'node:net';
import { goodBodies } from './commands.ts';

/** A request as it came, and what a good service would say to it. */
export type Seen = {
  readonly method: string;
  readonly path: string;
  /** The request line and the header fields. */
  readonly head: string;
  /** The body of a good answer. */
  readonly good: string;
  readonly status: 200 | 201;
  /** Another server, which nobody has asked to come by. */
  readonly elsewhere: string;
};

/** What happens to a request that has arrived whole. */
export type Reaction = (socket: Socket, seen: Seen) => void;

/** One address at which every request meets one reaction, and what arrived there. */
type Served = { readonly url: string; readonly seen: Seen[] };

type Behaviour = {
  /** What is created is there from then on, whatever the reaction says of it. */
  readonly commits?: boolean;
  /** Only creates meet the reaction; lists are good. */
  readonly listsWell?: boolean;
};

export type HostileServer = {
  readonly url: string;
  /** How many connections were made to it. */
  readonly connections: () => number;
  readonly serveAt: (reaction: Reaction, behaviour?: Behaviour) => Served;
  readonly close: () => void;
};

export type HostilePair = {
  readonly server: HostileServer;
  /** Where the redirects of the first one point, and nobody is to go. */
  readonly elsewhere: HostileServer;
  readonly close: () => void;
};

export async function startHostilePair(): Promise<HostilePair> {
  const elsewhere = await startHostileServer();
  const server = await startHostileServer(elsewhere.url);
  return {
    server,
    elsewhere,
    close() {
      server.close();
      elsewhere.close();
    },
  };
}

type Staged = Behaviour & { readonly reaction: Reaction; readonly seen: Seen[]; created: string[] };

/** A server that reads each request to its end, notes it down and reacts as its path says. */
export async function startHostileServer(elsewhere = ''): Promise<HostileServer> {
  const served = new Map<string, Staged>();
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    connections += 1;
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    readRequests(socket, (head, body) => {
      const [method = '', path = ''] = head.split(' ');
      const staged = served.get(path.split('/')[1] ?? '');
      if (!staged) {
        socket.destroy();
        return;
      }
      const seen = {
        method,
        path,
        head,
        elsewhere,
        ...goodAnswer(method, path, body, staged.created),
      };
      staged.seen.push(seen);
      if (method === 'POST' && staged.commits) staged.created.push(seen.good);
      const well = method === 'GET' && staged.listsWell;
      (well ? answerWell : staged.reaction)(socket, seen);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    connections: () => connections,
    serveAt(reaction, behaviour = {}) {
      const staged: Staged = { ...behaviour, reaction, seen: [], created: [] };
      const name = `path-${served.size}`;
      served.set(name, staged);
      return { url: `${url}/${name}/v1`, seen: staged.seen };
    },
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

const answerWell: Reaction = (socket, { status, good }) => {
  const fields = `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(good)}`;
  socket.write(`HTTP/1.1 ${status} Fine\r\n${fields}\r\n\r\n${good}`);
};

function readRequests(socket: Socket, onRequest: (head: string, body: string) => void): void {
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
    const end = text.indexOf('\r\n\r\n');
    if (end < 0) return;
    const head = text.slice(0, end);
    const body = text.slice(end + 4);
    const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
    if (Buffer.byteLength(body) < length) return;
    text = '';
    onRequest(head, body);
  });
}

/** `created` remembers what a service that answers 201 would list from then on. */
function goodAnswer(method: string, path: string, body: string, created: string[]) {
  if (method === 'POST') {
    const category = JSON.stringify({ id: 7 + created.length, ...JSON.parse(body) });
    return { status: 201, good: category } as const;
  }
  const dog = '{"id":1,"name":"dog","description":"Loyal"}';
  const last = path.split('/').at(-1) ?? '';
  const good = last === 'categories' ? `[${[dog, ...created]}]` : (goodBodies[last] ?? dog);
  return { status: 200, good } as const;
}
