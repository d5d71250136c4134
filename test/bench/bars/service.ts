import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type Kind, kinds } from './kinds.ts';

/** What is in one store; its list is made once and sent from memory. */
type Store = { readonly categories: string[]; list: Buffer | undefined };

/**
 * Answers at /ROWS.NAME/v1: a store of its own for each name, that begins with so many categories, of a kind if the name is one.
 * Its limit is never reached. Tells its parent process the port, and ends with it.
 */
export async function serveHere(): Promise<void> {
  const stores = new Map<string, Store>();

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, name = ''] = request.url?.split('/') ?? [];
    const store = stores.get(name) ?? openStore(decodeURIComponent(name));
    stores.set(name, store);
    const headers = {
      'content-type': 'application/json',
      'x-ratelimit-limit': '100000000',
      'x-ratelimit-remaining': String(99_999_999 - store.categories.length),
      'x-ratelimit-reset': String(Math.floor(Date.now() / 1_000) + 50),
    };
    if (request.method === 'POST') {
      const id = store.categories.length + 1;
      const created = JSON.stringify({ id, ...JSON.parse(await text(request)) });
      store.categories.push(created);
      store.list = undefined;
      response.writeHead(201, headers).end(created);
      return;
    }
    store.list ??= Buffer.from(`[${store.categories.join(',')}]`);
    response.writeHead(200, { ...headers, 'content-length': store.list.length }).end(store.list);
  }

  const server = createServer((request, response) => void answer(request, response));
  process.once('disconnect', () => process.exit());
  server.listen(0, '127.0.0.1', () => {
    process.send?.((server.address() as AddressInfo).port);
  });
}

function openStore(name: string): Store {
  const [rows, kind] = name.split('.');
  const textOf = kinds[kind as Kind] ?? kinds.ascii;
  return { categories: Array.from({ length: Number(rows) }, (_, n) => textOf(n)), list: undefined };
}

/** Starts this program again as that service. */
export async function startService() {
  const child = fork(process.argv[1] ?? '', ['service']);
  const [port] = (await once(child, 'message')) as [number];
  return {
    at: (rows: number, name = '') =>
      `http://127.0.0.1:${port}/${rows}.${encodeURIComponent(name)}/v1`,
    close: () => void child.kill(),
  };
}
