import { buffer } from 'node:stream/consumers';
import type { Send, WireRequest } from '../../src/context.ts';
import type { Clock } from './clock.ts';
import { networkError } from './petstore.ts';

/** Ways in which a request can go wrong; `commits` tells whether a create takes place all the same. */
type Fault = (request: WireRequest, forward: Send, clock: Clock) => ReturnType<Send>;

const broken = () => networkError('ECONNRESET');

/** What breaks requests, by name: the faults of a service behind a bad network. */
const faults: Readonly<Record<string, Fault>> = {
  async resetBefore(request) {
    request.onSent();
    throw broken();
  },
  async resetAfter(request, forward) {
    await buffer((await forward(request)).body);
    throw broken();
  },
  async lateCommit(request, forward, clock) {
    request.onSent();
    const late = request.method === 'POST';
    const signal = new AbortController().signal;
    if (late) void clock.sleep(300, signal).then(async () => buffer((await forward(request)).body));
    throw broken();
  },
  async refusedFor503(request) {
    request.onSent();
    return answer(503, '');
  },
  async createdWith503(request, forward) {
    await buffer((await forward(request)).body);
    return answer(503, '');
  },
  async cutAnswer(request, forward) {
    const { status, headers, body } = await forward(request);
    const text = await buffer(body);
    return {
      status,
      headers,
      body: (async function* () {
        yield text.subarray(0, text.length / 2);
        throw broken();
      })(),
    };
  },
  async limited(request) {
    request.onSent();
    return answer(429, '', { 'retry-after': '1' });
  },
};

/** A network and a service that break every n-th request in one way or another, as `random` in [0, 1) has it. */
export function faultySend(forward: Send, clock: Clock, random: () => number, part: number): Send {
  const kinds = Object.values(faults);
  return (request) => {
    if (random() >= part) return forward(request);
    const fault = kinds[Math.floor(random() * kinds.length)] ?? forward;
    return fault(request, forward, clock);
  };
}

function answer(status: number, text: string, headers: Readonly<Record<string, string>> = {}) {
  return {
    status,
    headers,
    body: (async function* () {
      yield Buffer.from(text);
    })(),
  };
}
