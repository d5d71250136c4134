import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { writeJson } from '../../../src/json/write.ts';
import { answer, fault as errorOf, type Reply } from '../../../src/sandbox/service.ts';
import { addCategory, createState, type SandboxState } from '../../../src/sandbox/state.ts';
import type { Random } from '../../support/random.ts';
import { drawFaults, type Fault, latest, retryAfter } from './faults.ts';
import type { Row } from './rows.ts';

export type Manners = {
  readonly random: Random;
  /** The part of all requests that goes wrong. */
  readonly share: number;
  /** Longest time before a commit, and again before its answer, in ms. */
  readonly pace: number;
  /** What is there before anybody asks. */
  readonly before: readonly Row[];
  /** Called when a write arrives; `sender` is what it says of itself. */
  readonly onWrite?: (sender: string | undefined) => void;
};

/** One request: when it arrived, from whom, and what became of it. */
type Arrival = {
  readonly at: number;
  readonly method: string | undefined;
  readonly sender: string | undefined;
  readonly body: string;
  readonly fault: Fault | undefined;
  /** When it took effect, and the answer to that. */
  committed?: { readonly at: number; readonly reply: string };
};

export type FaultyService = {
  readonly url: string;
  readonly key: string;
  readonly state: SandboxState;
  readonly arrivals: readonly Arrival[];
  readonly close: () => void;
};

const key = 'bench-key-0123456789';
const unlimited = { limit: 100_000_000, length: 60_000 };
const plan = { minute: unlimited, day: { ...unlimited, length: 86_400_000 } };

/** The sandbox behind a network that breaks. What it took, it carries out, also when the sender is gone. */
export async function startFaultyService(manners: Manners): Promise<FaultyService> {
  const { random, share, pace, before, onWrite } = manners;
  const state = { ...createState({ categories: [] }, plan), lastId: 2n ** 53n };
  for (const row of before) addCategory(state, row);
  const arrivals: Arrival[] = [];
  const drawFault = drawFaults(random, share);

  const server = createServer((request, response) => {
    // Who is killed while sending has sent nothing that could be carried out.
    handle(request, response).catch(() => request.socket.destroy());
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    key,
    state,
    arrivals,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const arrival = await note(request);
    const { fault } = arrival;
    if (pace > 0) await pause(random() * pace);
    if (fault?.commit === 'late') {
      request.socket.resetAndDestroy();
      await pause(random() * latest);
    }
    const reply = fault?.commit === 'never' ? refusal(fault) : commit(request, arrival);
    if (pace > 0) await pause(random() * pace);
    if (fault?.reply === 'reset') request.socket.resetAndDestroy();
    else if (fault?.reply === 'cut') sendHalf(response, reply);
    else send(response, fault ? refusal(fault) : reply);
  }

  async function note(request: IncomingMessage): Promise<Arrival> {
    const body = await text(request);
    const { method, headers } = request;
    const sender = headers['x-sender']?.toString();
    const arrival: Arrival = { at: Date.now(), method, sender, body, fault: drawFault(method) };
    arrivals.push(arrival);
    if (method === 'POST') onWrite?.(sender);
    return arrival;
  }

  function commit({ method, url, headers }: IncomingMessage, arrival: Arrival): Reply {
    const at = Date.now();
    const operation = method === 'POST' ? 'createCategory' : 'listCategories';
    const reply = answer(state, {
      at,
      operation: url === '/v1/categories' ? operation : 'unknown',
      key: headers.authorization === `Bearer ${key}` ? 'valid' : 'invalid',
      body: arrival.body,
    });
    if (method === 'POST') arrival.committed = { at, reply: writeJson(reply.body) };
    return reply;
  }

  function refusal({ reply }: Fault): Reply {
    const asked = { at: Date.now(), operation: 'unknown', key: 'valid' } as const;
    const { headers } = answer(state, asked);
    if (reply !== 429) return { ...errorOf(503, 'unavailable', 'not now'), headers: headers ?? {} };
    const wait = { 'retry-after': String(retryAfter) };
    return { ...errorOf(429, 'rate_limited', 'slower'), headers: { ...headers, ...wait } };
  }
}

function send(response: ServerResponse, { status, headers, body }: Reply): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(writeJson(body));
}

function sendHalf(response: ServerResponse, { status, headers, body }: Reply): void {
  const bytes = Buffer.from(writeJson(body));
  const length = { 'content-length': String(bytes.length) };
  response.writeHead(status, { 'content-type': 'application/json', ...headers, ...length });
  response.write(bytes.subarray(0, bytes.length / 2), () => response.socket?.destroy());
}
