// The service over https: service.mjs CERTIFICATE KEY PORT. It counts requests and connections, and lists by GET /v1/count what it has.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { text } from 'node:stream/consumers';

const [, , cert, key, port] = process.argv;
const categories = [];
const counts = { requests: 0, connections: 0 };
const limits = { 'x-ratelimit-limit': '100000', 'x-ratelimit-remaining': '99999' };

const server = createServer(
  { cert: readFileSync(cert), key: readFileSync(key) },
  async (request, response) => {
    const body = await text(request).catch(() => undefined);
    // A request whose connection is gone before its last byte has not arrived.
    if (body === undefined) return;
    const reply = (status, value) => {
      const reset = String(Math.floor(Date.now() / 1000) + 60);
      response.writeHead(status, {
        'content-type': 'application/json',
        'x-ratelimit-reset': reset,
        ...limits,
      });
      response.end(JSON.stringify(value));
    };
    if (request.url === '/v1/count')
      return reply(200, { ...counts, names: categories.map(({ name }) => name) });
    counts.requests += 1;
    console.log(`request ${counts.requests};`);
    if (request.method === 'GET') return reply(200, categories);
    const category = { id: categories.length + 1, ...JSON.parse(body) };
    categories.push(category);
    reply(201, category);
  },
);
server.on('connection', () => {
  counts.connections += 1;
});
// As long as it waits for the next request, it takes one that is late.
server.keepAliveTimeout = 180_000;
server.listen(Number(port));
