import { type Content, pickContent } from '../fields.ts';
import { findMismatch } from '../json/check.ts';
import { isJsonObject, type Json, parseJson } from '../json/json.ts';
import { NewCategory } from '../service/resources.ts';
import { addCategory, type SandboxState } from './sandbox-state.ts';

/** A request as the service sees it. It never holds the key that came. */
export type SandboxRequest = {
  readonly at: number;
  readonly operation: keyof typeof operations;
  readonly key: 'valid' | keyof typeof rejections;
  readonly body?: string;
  /** What the path has in place of each name in braces. */
  readonly parameters?: readonly string[];
};

export type Reply = {
  readonly status: number;
  readonly body: Json;
  readonly headers?: Readonly<Record<string, string>>;
};

export type Answer = (request: SandboxRequest) => Reply | Promise<Reply>;

/** RFC 9745 and RFC 8594. The interface document publishes neither date. */
const deprecation = {
  deprecation: `@${Date.UTC(2026, 5, 30) / 1_000}`,
  sunset: new Date(Date.UTC(2027, 5, 30)).toUTCString(),
};

/** The operations of the interface document, section 4, and what stands for requests of no operation. */
export const operations = {
  'GET /v1/categories': (state): Reply => ({ status: 200, body: [...state.categories] }),

  'POST /v1/categories'(state, { body = '' }): Reply {
    const category = parseNewCategory(body);
    if (typeof category === 'string') return fault(400, 'invalid_body', category);
    return { status: 201, body: addCategory(state, pickContent(category)) };
  },

  'GET /v1/pets/{petId}'(state, { parameters: [petId] = [] }): Reply {
    const pet = state.pets.find((pet) => isJsonObject(pet) && String(pet.id) === petId);
    const reply = pet ? { status: 200, body: pet } : fault(404, 'not_found', 'no such pet');
    return { ...reply, headers: deprecation };
  },

  'GET /v1/store/orders': (state): Reply => ({ status: 200, body: [...state.orders] }),

  oversized: (): Reply => fault(413, 'body_too_large', 'the body is larger than 1 MiB'),

  unknown: (): Reply => fault(404, 'not_found', 'no such operation'),
} satisfies Record<string, (state: SandboxState, request: SandboxRequest) => Reply>;

const rejections = {
  foreign: fault(403, 'wrong_host', 'the sandbox serves this machine only'),
  missing: fault(401, 'missing_key', 'an API key is required: Authorization: Bearer <API_KEY>'),
  invalid: fault(401, 'invalid_key', 'invalid API key'),
};

/** Answers a request: the key first, then the limit, then the operation. Changes the state in place. */
export function answer(state: SandboxState, request: SandboxRequest): Reply {
  const { at, key, operation } = request;
  const refusal = key === 'valid' ? takeFromQuota(state, at) : rejections[key];
  const { headers, ...reply } = refusal ?? operations[operation](state, request);
  const { limit, remaining, resetAt } = state.quota.tightestWindow(state.plan, at);
  return {
    ...reply,
    headers: {
      date: new Date(at).toUTCString(),
      'x-ratelimit-limit': String(limit),
      'x-ratelimit-remaining': String(remaining),
      'x-ratelimit-reset': String(Math.ceil(resetAt / 1_000)),
      ...headers,
    },
  };
}

function takeFromQuota({ quota, plan }: SandboxState, now: number): Reply | undefined {
  const refusal = quota.take(plan, now);
  if (!refusal) return undefined;
  const banned = 'too many requests after a 429; this API key is temporarily banned';
  const reply = refusal.isBan
    ? fault(429, 'key_banned', banned)
    : fault(429, 'rate_limited', 'rate limit exceeded');
  return { ...reply, headers: { 'retry-after': `${Math.ceil((refusal.until - now) / 1_000)}` } };
}

function fault(status: number, code: string, message: string): Reply {
  return { status, body: { code, message, status } };
}

function parseNewCategory(body: string): Content | string {
  let json: Json;
  try {
    json = parseJson(body);
  } catch {
    return 'the body must be JSON in UTF-8, sent as application/json';
  }
  if (!isJsonObject(json)) return 'the body must be a JSON object';
  if ('id' in json) return 'id must not be set: the service assigns it';
  return findMismatch(NewCategory, json)?.words ?? (json as Content);
}
