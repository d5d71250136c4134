import { createServer, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

/** A request that was held back. */
type Held = {
  /** Resolves when it has come. */
  readonly asked: Promise<void>;
  /** Gives it its answer, or cuts its connection off in place of that. */
  readonly release: (how?: 'answer' | 'cut') => void;
};

/** A service that lists its categories and creates what it is asked for. */
export type Shop = {
  readonly url: string;
  /** Of all categories, in the order in which they were created. */
  readonly names: string[];
  /** Holds back the next answer to this method, but for that part of its body, from 0 to 1. */
  readonly hold: (method: 'GET' | 'POST', part?: number) => Held;
  readonly close: () => void;
};

type Hold = { readonly part: number; readonly come: () => void; readonly over: Promise<string> };

export async function openShop(): Promise<Shop> {
  const names: string[] = [];
  const holds = new Map<string, Hold>();
  const server = createServer(async (request, response) => {
    const { method = '' } = request;
    const sent = await text(request).catch(() => undefined);
    if (sent === undefined) return;
    const created = method === 'POST' ? create(JSON.parse(sent).name) : undefined;
    const hold = holds.get(method);
    holds.delete(method);
    response.writeHead(created ? 201 : 200, { 'content-type': 'application/json' });
    await answer(response, JSON.stringify(created ?? names.map(categoryOf)), hold);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}/v1`,
    names,
    hold(method, part = 0) {
      let release = (_how: string) => {};
      const over = new Promise<string>((resolve) => {
        release = resolve;
      });
      const asked = new Promise<void>((come) => holds.set(method, { part, come, over }));
      return { asked, release: (how = 'answer') => release(how) };
    },
    close: () => server.close().closeAllConnections(),
  };

  function create(name: string) {
    names.push(name);
    return categoryOf(name, names.length - 1);
  }
}

function categoryOf(name: string, index: number) {
  return { id: index + 1, name };
}

async function answer(response: ServerResponse, body: string, hold?: Hold): Promise<void> {
  if (!hold) return void response.end(body);
  const length = Math.floor(body.length * hold.part);
  if (length > 0) response.write(body.slice(0, length));
  hold.come();
  if ((await hold.over) === 'cut') response.destroy();
  else response.end(body.slice(length));
}
