import { setTimeout as pause } from 'node:timers/promises';
import { writeJson } from '../../../src/json/write.ts';
import { addCategory } from '../../../src/sandbox/sandbox-state.ts';
import { answer } from '../../../src/sandbox/service.ts';
import { pick, type Random } from '../../support/random.ts';
import { type Action, type Arrival, openService, type Reply } from '../../support/service.ts';
import type { Row } from './rows.ts';

export type Behaviour = {
  readonly random: Random;
  /** The part of all requests that goes wrong. */
  readonly share: number;
  /** The categories that exist at first. */
  readonly before: readonly Row[];
};

export type FaultyService = Awaited<ReturnType<typeof startFaultyService>>;

/** Whether a request takes effect, and what its sender sees. */
type Fault = {
  /** `late` is after the connection is gone. */
  readonly commit: 'never' | 'first' | 'late';
  /** `cut` is the good response, broken off in its body. */
  readonly reply: 'reset' | 'cut' | 503 | 429;
};

const faultsOfReads: readonly [Fault, ...Fault[]] = [
  { commit: 'never', reply: 'reset' },
  { commit: 'never', reply: 503 },
  { commit: 'never', reply: 429 },
];
const faultsOfWrites: typeof faultsOfReads = [
  ...faultsOfReads,
  { commit: 'first', reply: 'reset' },
  { commit: 'late', reply: 'reset' },
  { commit: 'first', reply: 503 },
  { commit: 'first', reply: 'cut' },
];

const maxPaceMs = 3;
const maxDelayMs = 300;
/** A request takes no longer than this from its arrival to its effect. */
export const maxCommitMs = 2 * maxPaceMs + maxDelayMs;
const retryAfterSeconds = 1;

const unlimited = { limit: 100_000_000, length: 60_000 };
const plan = { minute: unlimited, day: { ...unlimited, length: 86_400_000 } };

/** Serves the sandbox behind a network that breaks. A request that it took is carried out, also if the sender is gone. */
export async function startFaultyService({ random, share, before }: Behaviour) {
  const log: { arrival: Arrival; fault: Fault | undefined; committed?: Reply }[] = [];
  const drawFault = drawFaults(random, share);
  let writes = 0;
  const service = await openService({ plan, react });
  // What comes next is beyond the integers of a double.
  service.state.lastId = 2n ** 53n;
  for (const row of before) addCategory(service.state, row);
  return { ...service, log, writes: () => writes };

  async function react(arrival: Arrival): Promise<Action> {
    const { method } = arrival;
    if (method === 'POST') writes += 1;
    const fault = drawFault(method);
    const entry: (typeof log)[number] = { arrival, fault };
    log.push(entry);
    await pause(random() * maxPaceMs);
    if (fault?.commit === 'late') {
      setTimeout(() => {
        entry.committed = commit(arrival);
      }, random() * maxDelayMs);
      return 'reset';
    }
    if (fault?.commit !== 'never') entry.committed = commit(arrival);
    await pause(random() * maxPaceMs);
    const reply = fault?.reply;
    if (reply === 503) return unavailable;
    if (reply === 429) return refuse();
    if (reply === 'reset' || !entry.committed) return 'reset';
    return { ...entry.committed, isCut: reply === 'cut' };
  }

  function commit({ method, path, headers, body }: Arrival): Reply {
    const operation = method === 'POST' ? 'POST /v1/categories' : 'GET /v1/categories';
    const reply = answer(service.state, {
      at: Date.now(),
      operation: path === '/v1/categories' ? operation : 'unknown',
      key: headers.authorization === `Bearer ${service.key}` ? 'valid' : 'invalid',
      body,
    });
    return { ...reply, body: writeJson(reply.body) };
  }
}

const unavailable: Reply = { status: 503, body: '{"code":"unavailable","message":"not now"}' };

/** It says that the window is used up: after one that no header explains, petstore goes slower for minutes. */
function refuse(): Reply {
  const resetAt = Math.ceil(Date.now() / 1_000) + retryAfterSeconds;
  return {
    status: 429,
    headers: {
      'retry-after': `${retryAfterSeconds}`,
      'x-ratelimit-limit': `${unlimited.limit}`,
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': `${resetAt}`,
    },
    body: '{"code":"rate_limited","message":"slower"}',
  };
}

/**
 * Draws what goes wrong with one request after the other. Who waited after a 429 is not refused again before a request was
 * served: three in a row would keep petstore from sending for five minutes.
 */
function drawFaults(random: Random, share: number): (method: string) => Fault | undefined {
  let refusedAt: number | undefined;
  return (method) => {
    const faults = method === 'POST' ? faultsOfWrites : faultsOfReads;
    const fault = random() < share ? pick(faults, random) : undefined;
    if (fault?.reply === 429) {
      if (refusedAt !== undefined) return undefined;
      refusedAt = Date.now();
    } else if (!fault && Date.now() > (refusedAt ?? 0) + 1_000 * retryAfterSeconds) {
      refusedAt = undefined;
    }
    return fault;
  };
}
