import {
  createServer as createHttpServer,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { text } from 'node:stream/consumers';
import { type Plan, plans } from '../../src/sandbox/quota.ts';
import { createState } from '../../src/sandbox/sandbox-state.ts';
import { createSandbox } from '../../src/sandbox/server.ts';
import { answer } from '../../src/sandbox/service.ts';
import type { Certificate } from './own-authority.ts';
import { openServer } from './ports.ts';

/** A request that reached the service. */
export type Arrival = {
  /** When it had arrived, by `performance.now()`, in ms. */
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** What was sent back, unless nothing was. */
  reply?: Reply;
};

export type Reply = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
  /** Breaks the connection in the middle of the body. */
  readonly isCut?: boolean;
};

/** What happens to a request: the sandbox's own response, now or once `release` is called, another one, or none. */
export type Action = 'respond' | 'hold' | 'silence' | 'reset' | 'commit, then reset' | Reply;

export type ServiceOptions = {
  readonly plan?: Plan;
  readonly tls?: Certificate;
  /** Begins with the sample categories of `petstore sandbox`. */
  readonly isFilled?: boolean;
  /** Decides about a request, the `count`th; a promise holds the response back. */
  readonly react?: (
    arrival: Arrival,
    count: number,
  ) => Action | undefined | Promise<Action | undefined>;
};

export type Service = Awaited<ReturnType<typeof openService>>;

/** Serves a sandbox, empty if not asked otherwise, on a real port until `close` is called. */
export async function openService(options: ServiceOptions = {}) {
  const { plan = plans.free, tls, isFilled, react } = options;
  const key = 'service-key-0123456789';
  const state = createState(isFilled ? {} : { categories: [] }, plan);
  const requests: Arrival[] = [];
  const held: (() => void)[] = [];
  const waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  const sandbox = createSandbox({
    key,
    now: Date.now,
    answer: (request) => answer(state, request),
  });

  async function respond({ method, path: url, headers, body }: Arrival): Promise<Reply> {
    // Also under the names of proxies and certificates.
    const head = { method, url, headers: { ...headers, host: '127.0.0.1' } };
    return sandbox(head, async () => Buffer.from(body));
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request).catch(() => undefined);
    if (body === undefined) return; // The client was killed while it sent.
    const { method = '', url: path = '', headers } = request;
    const arrival: Arrival = { at: performance.now(), method, path, headers, body };
    const count = requests.push(arrival);
    for (const wait of waiting) if (count >= wait.count) wait.resolve();
    const action = (await react?.(arrival, count)) ?? 'respond';
    if (action === 'silence') return;
    if (action === 'hold') await new Promise<void>((resolve) => held.push(resolve));
    if (action === 'reset') return void request.socket.resetAndDestroy();
    const reply = typeof action === 'object' ? action : await respond(arrival);
    if (action === 'commit, then reset') return void request.socket.resetAndDestroy();
    arrival.reply = reply;
    const type = { 'content-type': 'application/json' };
    response.writeHead(reply.status, { ...type, ...reply.headers });
    if (!reply.isCut) return void response.end(reply.body);
    response.write(reply.body.slice(0, reply.body.length / 2), () => request.socket.destroy());
  }

  const server = tls ? createHttpsServer(tls, handle) : createHttpServer(handle);
  const { port, close } = await openServer(server);
  const url = `http${tls ? 's' : ''}://127.0.0.1:${port}/v1`;
  return {
    url,
    port,
    key,
    /** Leads a program to it. */
    env: { PETSTORE_BASE_URL: url, PETSTORE_API_KEY: key },
    state,
    requests,
    /** Resolves when that many requests have arrived. */
    arrived(count: number): Promise<void> {
      if (requests.length >= count) return Promise.resolve();
      return new Promise((resolve) => waiting.push({ count, resolve }));
    },
    /** Lets the held requests have their responses. */
    release() {
      for (const respond of held.splice(0)) respond();
    },
    close,
  };
}
