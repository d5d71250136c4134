import type { Send, WireAnswer } from '../../src/context.ts';
import { writeJson } from '../../src/json/write.ts';
import type { Clock } from '../support/clock.ts';
import { type Fixtures, networkError } from '../support/petstore.ts';
import { pick, type Random } from '../support/random.ts';
import { never } from '../support/told.ts';
import type { Category } from '../support/values.ts';

type Machine = Pick<Fixtures, 'clock' | 'forward' | 'sandbox'>;

/** Bounds of the bad service in ms. Together they stay below one second. */
const maxTransitMs = 100;
const maxLateMs = 200;
const lagMs = 400;

const kinds = [
  'reset before',
  'reset after',
  'late',
  '503 before',
  '503 after',
  'cut answer',
  '429',
] as const;

/**
 * The sandbox behind a bad network: each request and each response takes its time, one part of them goes wrong in one way or
 * another, lists show late what was created, and what is on its way arrives also if its sender was killed.
 */
export function badService(
  { clock, forward, sandbox }: Machine,
  random: Random,
  faultyPart: number,
): Send {
  const createdAt = new Map(sandbox.categories.map((category) => [category, 0]));
  const inTransit = () => pass(clock, random() * maxTransitMs);

  return async (request) => {
    const fault = random() < faultyPart ? pick(kinds, random) : 'none';
    await request.lastCheck?.();
    request.signal.throwIfAborted();
    request.onSent();
    await inTransit();
    if (fault === 'late') {
      if (request.method === 'POST') void pass(clock, random() * maxLateMs).then(carryOut);
      throw networkError('ECONNRESET');
    }
    if (fault === 'reset before') throw networkError('ECONNRESET');
    if (fault === '503 before') return answer(503, '');
    if (fault === '429') return answer(429, '', { 'retry-after': '1' });
    const response = await carryOut();
    await inTransit();
    if (fault === 'reset after') throw networkError('ECONNRESET');
    if (fault === '503 after') return answer(503, '');
    const { status, headers, text } = response;
    return fault === 'cut answer'
      ? answer(status, text.slice(0, text.length / 2), headers, networkError('ECONNRESET'))
      : answer(status, text, headers);

    async function carryOut() {
      const { status, headers, body } = await forward({ ...request, onSent: () => {} });
      // The clock stands still until the body is read.
      const chunks: Uint8Array[] = [];
      for await (const chunk of body) chunks.push(chunk);
      for (const category of sandbox.categories) {
        if (!createdAt.has(category)) createdAt.set(category, clock.uptime());
      }
      const isList = request.method === 'GET' && status === 200;
      const text = isList ? writeJson(listed()) : Buffer.concat(chunks).toString();
      return { status, headers, text };
    }
  };

  function listed(): Category[] {
    const until = clock.uptime() - lagMs;
    return sandbox.categories.filter((category) => (createdAt.get(category) ?? until) <= until);
  }
}

function pass(clock: Clock, ms: number): Promise<void> {
  return clock.sleep(ms, never);
}

function answer(
  status: number,
  text: string,
  headers: WireAnswer['headers'] = {},
  end?: Error,
): WireAnswer {
  const body = (async function* () {
    yield Buffer.from(text);
    if (end) throw end;
  })();
  return { status, headers, body };
}
