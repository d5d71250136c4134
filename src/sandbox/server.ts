import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { unescape as decodePercent } from 'node:querystring';
import type { Context } from '../context.ts';
import { Failure, systemCode } from '../errors.ts';
import { writeJson } from '../json/write.ts';
import { type Answer, operations, type SandboxRequest } from './service.ts';

const maxBodyBytes = 1024 * 1024;

type HttpRequest = Pick<IncomingMessage, 'method' | 'url' | 'headers'>;
type SandboxOptions = {
  readonly key: string;
  readonly now: () => number;
  readonly answer: Answer;
};

/** Creates the service of the interface document without a socket. `readBody` returns null if the body is too long. */
export function createSandbox({ key, now, answer }: SandboxOptions) {
  return async (
    { method, url = '/', headers }: HttpRequest,
    readBody: () => Promise<Uint8Array | null>,
  ) => {
    const route = findRoute(method, url);
    const judgement = judge(headers, key);
    const hasBody = judgement === 'valid' && /^P(?:OST|UT|ATCH) /.test(route.operation);
    const content = hasBody ? decode(await readBody(), headers['content-type']) : {};
    const reply = await answer({ at: now(), key: judgement, ...route, ...content });
    return {
      status: reply.status,
      headers: { 'content-type': 'application/json', ...reply.headers },
      body: writeJson(reply.body),
    };
  };
}

function findRoute(
  method: string | undefined,
  url: string,
): Pick<SandboxRequest, 'operation' | 'parameters'> {
  const [path = ''] = url.split('?');
  // Node leaves out the body of a response to HEAD.
  const call = `${method === 'HEAD' ? 'GET' : method} ${path}`;
  for (const operation of Object.keys(operations) as SandboxRequest['operation'][]) {
    const found = new RegExp(`^${operation.replace(/\{\w+\}/g, '([^/]+)')}$`).exec(call);
    const parameters = found?.slice(1).map((value) => decodePercent(value));
    if (parameters) return { operation, parameters };
  }
  return { operation: 'unknown' };
}

function judge(
  { host = '', authorization }: HttpRequest['headers'],
  key: string,
): SandboxRequest['key'] {
  // A web page can point a name of its own at this machine (DNS rebinding): only our own names count.
  if (!/^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/i.test(host)) return 'foreign';
  if (!authorization) return 'missing';
  const [, token] = /^bearer +(.*)$/i.exec(authorization) ?? [];
  return token === key ? 'valid' : 'invalid';
}

/** Omits a body that is not JSON in UTF-8: a create without a body is rejected. */
function decode(
  bytes: Uint8Array | null,
  contentType = '',
): Partial<Pick<SandboxRequest, 'operation' | 'body'>> {
  if (bytes === null) return { operation: 'oversized' };
  if (!/^application\/json\s*(;|$)/i.test(contentType)) return {};
  try {
    return { body: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return {};
  }
}

type SandboxServer = { readonly baseUrl: URL; readonly key: string; readonly server: Server };

export function serveSandbox(
  answer: Answer,
  { now }: Pick<Context, 'now'>,
  port = 0,
): Promise<SandboxServer> {
  const key = `sandbox-${randomBytes(12).toString('hex')}`;
  const respond = createSandbox({ key, now, answer });
  const server = createServer({ requestTimeout: 30_000 }, (incoming, outgoing) => {
    respond(incoming, () => readBody(incoming)).then(
      ({ status, headers, body }) => {
        const length = { 'content-length': Buffer.byteLength(body) };
        outgoing.writeHead(status, { ...headers, ...length }).end(body);
      },
      // A client that breaks off must not end petstore by an unhandled rejection.
      () => outgoing.destroy(),
    );
  });
  // A client without the key must not take all file descriptors.
  server.maxConnections = 500;
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(cannotListen(error, port)));
    server.listen(port, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      resolve({ baseUrl: new URL(`http://127.0.0.1:${port}/v1`), key, server });
    });
  });
}

/** Reads a body to its end and keeps no more than the maximum: a client that still sends would not see an early reply. */
async function readBody(incoming: IncomingMessage): Promise<Uint8Array | null> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of incoming) {
    size += part.length;
    if (size <= maxBodyBytes) parts.push(part);
  }
  return size <= maxBodyBytes ? Buffer.concat(parts) : null;
}

function cannotListen(error: unknown, port: number): Failure {
  const code = systemCode(error);
  if (port === 0) {
    return new Failure('config', `cannot listen on 127.0.0.1 (${code})`, { cause: error });
  }
  const reason = code === 'EADDRINUSE' ? 'is already in use' : `cannot be used (${code})`;
  const hint = 'Omit --port to use a free one.';
  return new Failure('config', `port ${port} ${reason}`, { hint });
}
