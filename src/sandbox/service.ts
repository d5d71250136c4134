import { NewCategory } from '../api/resources.ts';
import { findMismatch } from '../json/check.ts';
import { exact, isJsonObject, type Json, parseJson } from '../json/json.ts';
import { type Decision, decide, type Plan, tightestWindow, type WindowStatus } from './quota.ts';
import { sampleDeprecation, sampleSunset } from './sample.ts';
import { addCategory, type SandboxState } from './state.ts';

/** One request as far as the service cares, and all that a replay of it needs. It never holds the key that came. */
export type SandboxRequest = {
  /** ms since 1970 */
  readonly at: number;
  readonly operation: keyof typeof operations;
  /** 'foreign': asked under a name that is not this machine's. */
  readonly key: 'missing' | 'invalid' | 'valid' | 'foreign';
  readonly body?: string;
  readonly petId?: string;
};

export type Reply = {
  readonly status: number;
  readonly body: Json;
  readonly headers?: Readonly<Record<string, string>>;
};

/** The operations of the interface document, section 4. */
const operations = {
  listCategories: (state): Reply => ({ status: 200, body: [...state.categories] }),

  createCategory(state, { body = '' }): Reply {
    const parsed = parseBody(body);
    if ('status' in parsed) return parsed;
    const { name, description } = parsed.category;
    const fields = { name, ...(description !== undefined && { description }) };
    return { status: 201, body: addCategory(state, fields) };
  },

  getPet(state, { petId }): Reply {
    const pet = state.pets.find((pet) => isJsonObject(pet) && String(pet.id) === petId);
    const reply = pet ? { status: 200, body: pet } : fault(404, 'not_found', 'no such pet');
    return { ...reply, headers: deprecation };
  },

  listOrders: (state): Reply => ({ status: 200, body: [...state.orders] }),

  oversized: (): Reply => fault(413, 'body_too_large', 'the body is larger than 1 MiB'),

  unknown: (): Reply => fault(404, 'not_found', 'no such operation'),
} satisfies Record<string, (state: SandboxState, request: SandboxRequest) => Reply>;

/** RFC 9745 and RFC 8594; the document only says that there is a sunset date. */
const deprecation = {
  deprecation: `@${sampleDeprecation / 1_000}`,
  sunset: new Date(sampleSunset).toUTCString(),
};

/** Whether a line of a log is a request that this version can replay. */
export function isRequest(value: unknown): value is SandboxRequest {
  const { at, operation, key } = (value ?? {}) as Record<string, unknown>;
  return (
    Number.isFinite(at) &&
    typeof operation === 'string' &&
    Object.hasOwn(operations, operation) &&
    ['missing', 'invalid', 'valid', 'foreign'].includes(String(key))
  );
}

/** What a replay needs of a request: no id of a pet, and no body that creates nothing. */
export function forReplay({ at, operation, key, body }: SandboxRequest): SandboxRequest {
  const creates = operation === 'createCategory' && !('status' in parseBody(body ?? ''));
  return { at, operation, key, ...(creates && body !== undefined && { body }) };
}

/** Answers one request: the key first, then the limit, then the operation. Changes the state in place. */
export function answer(state: SandboxState, plan: Plan, request: SandboxRequest): Reply {
  const { at, key } = request;
  if (key !== 'valid')
    return withLimitHeaders(badKey(key), tightestWindow(state.quota, plan, at), at);

  const decision = decide(state.quota, plan, at);
  state.quota = decision.quota;
  const reply =
    decision.verdict === 'granted'
      ? operations[request.operation](state, request)
      : refusal(decision, at);
  return withLimitHeaders(reply, decision.window, at);
}

function parseBody(body: string): { readonly category: NewCategory } | Reply {
  const invalid = (message: string) => fault(400, 'invalid_body', message);
  let json: Json;
  try {
    json = parseJson(body);
  } catch {
    return invalid('the body must be JSON in UTF-8, sent as application/json');
  }
  if (!isJsonObject(json)) return invalid('the body must be a JSON object');
  const mismatch = findMismatch(NewCategory, json);
  if (mismatch) return invalid(mismatch);
  if ('id' in json) return invalid('id must not be set: the service assigns it');
  return { category: json as NewCategory };
}

function badKey(key: 'missing' | 'invalid' | 'foreign'): Reply {
  if (key === 'foreign') return fault(403, 'wrong_host', 'the sandbox serves this machine only');
  return key === 'missing'
    ? fault(401, 'missing_key', 'an API key is required: Authorization: Bearer <API_KEY>')
    : fault(401, 'invalid_key', 'invalid API key');
}

function refusal({ verdict, until }: Decision, now: number): Reply {
  const reply =
    verdict === 'banned'
      ? fault(
          429,
          'key_banned',
          'too many requests after a 429; this API key is temporarily banned',
        )
      : fault(429, 'rate_limited', 'rate limit exceeded');
  return { ...reply, headers: { 'retry-after': String(Math.ceil((until - now) / 1_000)) } };
}

/** An Error of the interface document, section 2. */
export function fault(status: number, code: string, message: string): Reply {
  return { status, body: { code, message, status: exact(status) } };
}

/** Every answer carries the limit: interface document, section 8. */
function withLimitHeaders(reply: Reply, window: WindowStatus, now: number): Reply {
  return {
    ...reply,
    headers: {
      date: new Date(now).toUTCString(),
      'x-ratelimit-limit': String(window.limit),
      'x-ratelimit-remaining': String(window.remaining),
      'x-ratelimit-reset': String(Math.ceil(window.resetAt / 1_000)),
      ...reply.headers,
    },
  };
}
