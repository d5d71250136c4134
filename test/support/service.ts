import {
  createServer as createHttpServer,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { createSandboxApp } from '../../src/sandbox/app.ts';
import { type Plan, plans } from '../../src/sandbox/quota.ts';
import { answer } from '../../src/sandbox/service.ts';
import { type SandboxState, sampleState } from '../../src/sandbox/state.ts';
import type { Certificate } from './own-authority.ts';

type Headers = Readonly<Record<string, string>>;

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

type Reply = { readonly status: number; readonly headers?: Headers; readonly body: string };

/** What happens to a request: the sandbox's own response, another one, or none. */
export type Action = 'respond' | 'silence' | 'reset' | 'commit, then reset' | Reply;

type Options = {
  readonly plan?: Plan;
  readonly tls?: Certificate;
  /** How far the service's clock is ahead of this machine's, in ms. */
  readonly skewMs?: number;
  /** Changes the headers of the sandbox's own responses. */
  readonly spoil?: (headers: Headers) => Headers;
  /** Decides about a request, the `count`th; a promise holds the response back. */
  readonly react?: (
    arrival: Arrival,
    count: number,
  ) => Action | undefined | Promise<Action | undefined>;
};

const same = (headers: Headers) => headers;

export type Service = Awaited<ReturnType<typeof openService>>;

/** Serves an empty sandbox on a real port until the test ends. */
export async function startService(options: Options = {}): Promise<Service> {
  const service = await openService(options);
  onTestFinished(service.close);
  return service;
}

/** Serves an empty sandbox on a real port until `close` is called: for programs that are no tests. */
export async function openService({
  plan = plans.free,
  tls,
  skewMs = 0,
  spoil = same,
  react,
}: Options) {
  const key = 'service-key-0123456789';
  const state: SandboxState = { ...sampleState(), categories: [], lastId: 0n };
  const requests: Arrival[] = [];
  const waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  const app = createSandboxApp({
    key,
    now: () => Date.now() + skewMs,
    answer: (request) => answer(state, plan, request),
  });

  async function respond({ method, path, headers, body }: Arrival): Promise<Reply> {
    const response = await app.fetch(
      new Request(`http://127.0.0.1${path}`, {
        method,
        headers: headers as Headers,
        body: method === 'GET' || method === 'HEAD' ? null : body,
      }),
    );
    const own = Object.fromEntries(response.headers);
    return { status: response.status, headers: spoil(own), body: await response.text() };
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
    if (action === 'reset') return void request.socket.resetAndDestroy();
    const reply = typeof action === 'object' ? action : await respond(arrival);
    if (action === 'commit, then reset') return void request.socket.resetAndDestroy();
    arrival.reply = reply;
    response.writeHead(reply.status, reply.headers).end(reply.body);
  }

  const server = tls ? createHttpsServer(tls, handle) : createHttpServer(handle);
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http${tls ? 's' : ''}://127.0.0.1:${port}/v1`,
    port,
    key,
    state,
    requests,
    /** Resolves when that many requests have arrived. */
    arrived(count: number): Promise<void> {
      if (requests.length >= count) return Promise.resolve();
      return new Promise((resolve) => waiting.push({ count, resolve }));
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
