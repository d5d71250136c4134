import { Hono, type Context as HonoContext } from 'hono';
import { writeJson } from '../json/write.ts';
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

/** The pet store service of the interface document, as a web-standard request handler. */
export function createSandboxApp({ answer, key, now }: SandboxOptions): Hono {
  const app = new Hono();
  app.get(`${basePath}/categories`, (c) => serve(c, 'listCategories'));
  app.post(`${basePath}/categories`, (c) => serve(c, 'createCategory'));
  app.get(`${basePath}/pets/:petId`, (c) => serve(c, 'getPet'));
  app.get(`${basePath}/store/orders`, (c) => serve(c, 'listOrders'));
  app.all('*', (c) => serve(c, 'unknown'));
  app.onError(() => respond(fault(500, 'internal', 'the sandbox failed')));
  return app;

  async function serve(c: HonoContext, operation: SandboxRequest['operation']): Promise<Response> {
    const petId = c.req.param('petId');
    const body = operation === 'createCategory' ? await readBody(c.req.raw) : undefined;
    const request: SandboxRequest = {
      at: now(),
      operation,
      key: isLoopback(new URL(c.req.url).hostname)
        ? judgeKey(c.req.header('authorization'))
        : 'foreign',
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

/** The body as text, or something that is no JSON when it is not what the document asks for. */
async function readBody(request: Request): Promise<string> {
  const isJson = /^application\/json\s*(;|$)/i.test(request.headers.get('content-type') ?? '');
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await request.arrayBuffer());
    return isJson ? text : '';
  } catch {
    return '';
  }
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
