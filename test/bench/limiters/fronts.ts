import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { fixedWindow, slidingWindow, take, tokenBucket } from '../../limits/quota.ts';
import { freePort, listen as listenOn } from '../../support/ports.ts';

/** Requests that every limiter allows in every window. */
export const limit = 10;
export const windowMs = 10_000;
const seconds = windowMs / 1_000;

type Handle = (method: string, body: string) => readonly [status: number, body: unknown];
type Place = { readonly handle: Handle; readonly folder: string; readonly parts: string };
export type Front = { readonly port: number; readonly close: () => unknown };

/** A limiter as its documentation shows it, in front of a service. Rejects if a part of it is not installed. */
export type Limiter = (place: Place) => Promise<Front>;

type Headers = Readonly<Record<string, string | number>>;
/** Returns the status and headers of a refusal, or the headers of a response and what to do after it. */
type Verdict = {
  readonly status?: number;
  readonly headers?: Headers;
  readonly after?: () => void;
};
type Judge = (now: number, method: string) => Verdict;

export const expressRateLimit: Limiter = async ({ handle, parts }) => {
  const load = createRequire(join(parts, 'package.json'));
  const express = load('express');
  const { rateLimit } = load('express-rate-limit');
  const app = express();
  app.use(rateLimit({ windowMs, limit, legacyHeaders: true, validate: false }));
  app.use((request: IncomingMessage, response: ServerResponse) =>
    respond(handle, request, response),
  );
  return listen(createServer(app));
};

export const fastifyRateLimit: Limiter = async ({ handle, parts }) => {
  const load = createRequire(join(parts, 'package.json'));
  const app = load('fastify')({ forceCloseConnections: true });
  await app.register(load('@fastify/rate-limit'), { max: limit, timeWindow: windowMs });
  const route = async (request: { method: string; body: unknown }, reply: FastifyReply) => {
    const [status, body] = handle(request.method, JSON.stringify(request.body ?? {}));
    return reply.code(status).send(body);
  };
  app.get('/v1/categories', route);
  app.post('/v1/categories', route);
  await app.listen({ port: 0, host: '127.0.0.1' });
  return { port: app.server.address().port, close: () => app.close() };
};
type FastifyReply = { code: (status: number) => { send: (body: unknown) => unknown } };

export const koaInMemory: Limiter = async (place) =>
  koa(place, { driver: 'memory', db: new Map() });

export const koaOnRedis: Limiter = async (place) => {
  const port = await freePort();
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', place.folder];
  const server = await start('redis-server', args, port);
  const Redis = createRequire(join(place.parts, 'package.json'))('ioredis');
  const db = new Redis(port);
  const front = await koa(place, { driver: 'redis', db });
  const close = () => {
    front.close();
    db.disconnect();
    server.kill('SIGKILL');
  };
  return { ...front, close };
};

export const flexible: Limiter = async ({ handle, parts }) => {
  const { RateLimiterMemory } = createRequire(join(parts, 'package.json'))('rate-limiter-flexible');
  const limiter = new RateLimiterMemory({ points: limit, duration: seconds });
  type Told = { msBeforeNext: number; remainingPoints: number };
  const headersOf = ({ msBeforeNext, remainingPoints }: Told) => ({
    'Retry-After': msBeforeNext / 1_000,
    'X-RateLimit-Limit': limit,
    'X-RateLimit-Remaining': remainingPoints,
    'X-RateLimit-Reset': Math.ceil((Date.now() + msBeforeNext) / 1_000),
  });
  return listen(
    createServer(async (request, response) => {
      try {
        send(response, headersOf(await limiter.consume('key')));
        await respond(handle, request, response);
      } catch (told) {
        send(response, headersOf(told as Told));
        response.writeHead(429).end('Too Many Requests');
      }
    }),
  );
};

export const nestThrottler: Limiter = async ({ handle, parts }) => {
  const load = createRequire(join(parts, 'package.json'));
  load('reflect-metadata');
  const { Controller, Get, Post, Body, Module } = load('@nestjs/common');
  const { NestFactory, APP_GUARD } = load('@nestjs/core');
  const { ThrottlerGuard, ThrottlerModule } = load('@nestjs/throttler');
  class Categories {
    list() {
      return handle('GET', '')[1];
    }
    create(body: unknown) {
      return handle('POST', JSON.stringify(body))[1];
    }
  }
  const method = (name: string, decorate: (...of: unknown[]) => void) =>
    decorate(
      Categories.prototype,
      name,
      Object.getOwnPropertyDescriptor(Categories.prototype, name),
    );
  Body()(Categories.prototype, 'create', 0);
  method('list', Get('categories'));
  method('create', Post('categories'));
  Controller('v1')(Categories);
  class App {}
  Module({
    imports: [ThrottlerModule.forRoot([{ ttl: windowMs, limit }])],
    controllers: [Categories],
    providers: [{ provide: APP_GUARD, useClass: ThrottlerGuard }],
  })(App);
  const app = await NestFactory.create(App, { logger: false });
  await app.listen(0, '127.0.0.1');
  return { port: app.getHttpServer().address().port, close: () => app.close() };
};

/** One a second, and nine more at once. No header says so. */
export const nginx: Limiter = async ({ handle, folder }) => {
  const service = await serve(handle);
  const port = await freePort();
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder};`)
    .join(' ');
  const file = join(folder, 'nginx.conf');
  writeFileSync(
    file,
    `daemon off; master_process off; pid ${folder}/nginx.pid; error_log /dev/null;
events {}
http {
  access_log off; ${paths}
  limit_req_zone $http_authorization zone=keys:1m rate=60r/m;
  server {
    listen 127.0.0.1:${port};
    location / { limit_req zone=keys burst=${limit - 1} nodelay; limit_req_status 429; proxy_pass http://127.0.0.1:${service.port}; }
  }
}
`,
  );
  const server = await start('nginx', ['-p', folder, '-c', file], port);
  return { port, close: () => [server.kill('SIGKILL'), service.close()] };
};

/** Ten in ten seconds, refused ones too. No header says so. */
export const haproxy: Limiter = async ({ handle, folder }) => {
  const service = await serve(handle);
  const port = await freePort();
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(
    file,
    `defaults
  mode http
  timeout connect 5s
  timeout client 30s
  timeout server 30s
frontend limited
  bind 127.0.0.1:${port}
  stick-table type ip size 1k expire 60s store http_req_rate(${seconds}s)
  http-request track-sc0 src
  http-request deny deny_status 429 if { sc_http_req_rate(0) gt ${limit} }
  default_backend service
backend service
  server one 127.0.0.1:${service.port}
`,
  );
  const server = await start('haproxy', ['-q', '-f', file], port);
  return { port, close: () => [server.kill('SIGKILL'), service.close()] };
};

export const bucketThatTells: Limiter = ownLimiter(() => bucket(true));
export const silentBucket: Limiter = ownLimiter(() => bucket(false));

/** Another limit than the one of the headers, of which much is left. */
export const gitHub: Limiter = ownLimiter(() => {
  let used = 0;
  const window = slidingWindow(limit, windowMs);
  return (now) => {
    used += 1;
    const headers = {
      'x-ratelimit-limit': 5_000,
      'x-ratelimit-remaining': 5_000 - used,
      'x-ratelimit-reset': Math.ceil(now / 1_000) + 3_000,
    };
    const { isRefused } = take([window], now);
    return isRefused
      ? { status: 403, headers: { ...headers, 'retry-after': seconds } }
      : { headers };
  };
});

export const cloudflare: Limiter = ownLimiter(() => {
  let blockedUntil = 0;
  const window = slidingWindow(limit, windowMs);
  return (now) => {
    if (now >= blockedUntil && !take([window], now).isRefused) return {};
    if (now >= blockedUntil) blockedUntil = now + windowMs;
    return { status: 403, headers: { 'retry-after': Math.ceil((blockedUntil - now) / 1_000) } };
  };
});

export const threeAtOnce: Limiter = ownLimiter(() => {
  let inFlight = 0;
  return () => {
    if (inFlight >= 3) return { status: 429 };
    inFlight += 1;
    const after = () => {
      inFlight -= 1;
    };
    return { after };
  };
}, 200);

export const saysTooMuch: Limiter = ownLimiter(() => {
  const window = fixedWindow(() => limit, windowMs);
  return (now) => {
    const { isRefused, headers } = take([window], now);
    const remaining = Number(headers['x-ratelimit-remaining']) + 50;
    const more = { 'x-ratelimit-limit': limit + 50, 'x-ratelimit-remaining': remaining };
    return { headers: { ...headers, ...more }, ...(isRefused && { status: 429 }) };
  };
});

/** Somebody else has used up the first minute, and no header says so. */
export const usedUp: Limiter = ownLimiter(() => {
  let endsAt: number | undefined;
  return (now) => {
    endsAt ??= now + 6 * windowMs;
    return now < endsAt ? { status: 429 } : {};
  };
});

function bucket(tells: boolean): Judge {
  const tokens = tokenBucket(limit, windowMs);
  return (now) => {
    const { isRefused, headers } = take([tokens], now);
    if (!isRefused) return {};
    return { status: 429, ...(tells && { headers: { 'retry-after': headers['retry-after'] } }) };
  };
}

function ownLimiter(create: () => Judge, takesMs = 0): Limiter {
  return async ({ handle }) => {
    const judge = create();
    return listen(
      createServer(async (request, response) => {
        const { status, headers = {}, after } = judge(Date.now(), request.method ?? '');
        send(response, headers);
        if (status !== undefined) {
          const body = { code: 'limited', message: 'a secondary rate limit', status };
          response.writeHead(status).end(JSON.stringify(body));
          return;
        }
        await pause(takesMs);
        await respond(handle, request, response);
        after?.();
      }),
    );
  };
}

async function koa({ handle, parts }: Place, driver: object): Promise<Front> {
  const load = createRequire(join(parts, 'package.json'));
  const Koa = load('koa');
  const app = new Koa();
  app.silent = true;
  app.use(load('koa-ratelimit')({ ...driver, duration: windowMs, max: limit, id: () => 'key' }));
  type Exchange = { method: string; req: IncomingMessage; status: number; body: unknown };
  app.use(async (exchange: Exchange) => {
    const [status, body] = handle(exchange.method, await text(exchange.req));
    Object.assign(exchange, { status, body });
  });
  return listen(createServer(app.callback()));
}

function serve(handle: Handle): Promise<Front> {
  return listen(createServer((request, response) => respond(handle, request, response)));
}

async function respond(
  handle: Handle,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const [status, body] = handle(request.method ?? '', await text(request));
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function send(response: ServerResponse, headers: Headers): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, String(value));
}

export async function listen(server: Server): Promise<Front> {
  const port = await listenOn(server);
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { port, close };
}

/** Starts a server, and resolves when it listens. */
async function start(program: string, args: string[], port: number): Promise<ChildProcess> {
  const child = spawn(program, args, { stdio: 'ignore' });
  const failed = once(child, 'exit').then(() => {
    throw new Error(`${program} ended at once`);
  });
  failed.catch(() => {});
  for (let attempt = 0; attempt < 100; attempt += 1) {
    await Promise.race([pause(50), failed]);
    const socket = connect(port, '127.0.0.1');
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isOpen) return child;
  }
  throw new Error(`${program} does not listen`);
}
