import type { HttpBindings } from '@hono/node-server';
import { Hono, type Context as HonoContext } from 'hono';
import { writeJson } from '../json/write.ts';
import { readBody } from './body.ts';
import type { Answerer } from './log.ts';
import { fault, type Reply, type SandboxRequest } from './service.ts';

export type SandboxOptions = {
  readonly answer: Answerer;
  /** The one key that is valid. */
  readonly key: string;
  /** ms since 1970 */
  readonly now: () => number;
};

/** Where the service begins on any host: the version prefix of the interface document, section 9. */
export const basePath = '/v1';

/** Node's own request and response, where there is a server. */
type Way = { Bindings: Partial<HttpBindings> };

/**
 * The pet store service of the interface document, as a web-standard request handler. A body is read only of a request
 * that comes under a name of this machine and with the key.
 */
export function createSandboxApp({ answer, key, now }: SandboxOptions): Hono<Way> {
  const app = new Hono<Way>();
  app.get(`${basePath}/categories`, (c) => serve(c, 'listCategories'));
  app.post(`${basePath}/categories`, (c) => serve(c, 'createCategory'));
  app.get(`${basePath}/pets/:petId`, (c) => serve(c, 'getPet'));
  app.get(`${basePath}/store/orders`, (c) => serve(c, 'listOrders'));
  app.all('*', (c) => serve(c, 'unknown'));
  app.onError(() => respond(fault(500, 'internal', 'the sandbox failed')));
  return app;

  async function serve(
    c: HonoContext<Way>,
    operation: SandboxRequest['operation'],
  ): Promise<Response> {
    const judged = isLoopback(new URL(c.req.url).hostname)
      ? judgeKey(c.req.header('authorization'))
      : 'foreign';
    const reads = judged === 'valid' && operation === 'createCategory';
    const body = reads ? await readText(c) : undefined;
    const petId = c.req.param('petId');
    const request: SandboxRequest = {
      at: now(),
      operation: reads && body === undefined ? 'oversized' : operation,
      key: judged,
      ...(body !== undefined && { body }),
      ...(petId !== undefined && { petId }),
    };
    return respond(answer(request));
  }

  function judgeKey(given: string | undefined): SandboxRequest['key'] {
    if (!given) return 'missing';
    const [, token] = /^bearer +(.*)$/i.exec(given) ?? [];
    return token === key ? 'valid' : 'invalid';
  }
}

/** The body as text, '' when it is not what the document asks for, undefined when it is too long. @throws as readBody */
async function readText({ req, env }: HonoContext<Way>): Promise<string | undefined> {
  const wait = /\b100-continue\b/i.test(req.header('expect') ?? '');
  const bytes = await readBody(req.raw, () => wait && env.outgoing?.writeContinue());
  if (!bytes) return undefined;
  const isJson = /^application\/json\s*(;|$)/i.test(req.header('content-type') ?? '');
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return isJson ? text : '';
  } catch {
    return '';
  }
}

/** The answer to what is no request: a Host that is no name, for example. */
export function invalidRequest(): Response {
  return respond(fault(400, 'invalid_request', 'the request is not valid HTTP'));
}

function respond({ status, body, headers }: Reply): Response {
  return new Response(writeJson(body), {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  });
}

/** Another name for this machine means that a web page made the browser ask (DNS rebinding). */
function isLoopback(hostname: string): boolean {
  return ['127.0.0.1', 'localhost', '[::1]'].includes(hostname);
}
