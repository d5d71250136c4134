import { Failure } from '../errors.ts';
import { locateMismatch, typeName } from '../json/check.ts';
import { type Json, JsonError, JsonLimitError, parseJson } from '../json/json.ts';
import type { Endpoint } from './endpoints.ts';
import { type Answer, headerValues } from './exchange.ts';
import { mayChange } from './method.ts';
import { withoutKey } from './without-key.ts';

/**
 * The data of a successful answer: UTF-8 without a fault, JSON without a doubt, and what the interface document promises.
 * Of a write it is without the key, should the service repeat it in one of these `forms`.
 * @throws Failure (service)
 */
export function decode<Data>(
  endpoint: Endpoint<string, unknown, Data>,
  answer: Answer,
  forms: readonly string[],
): Data {
  if (endpoint.status === 'any 2xx' && hasNoContent(endpoint, answer)) return undefined as Data;
  const parsed = parse(endpoint, answer);
  const value = mayChange(endpoint.method) ? withoutKey(parsed, forms) : parsed;
  const mismatch = locateMismatch(endpoint.data, value);
  if (mismatch) {
    const isOther = mismatch.key === undefined;
    throw broken(endpoint, isOther ? typeName(value) : invalid(mismatch.words));
  }
  return value as Data;
}

/** Whether nothing is all there can be (RFC 9110, sections 9.3.2, 15.3.5 and 15.3.6). */
function hasNoContent({ method }: Endpoint, { status }: Answer): boolean {
  return method === 'HEAD' || status === 204 || status === 205;
}

/** Each takes up to 1,000 bytes of memory until it is printed, and of the text two. */
const maxValues = 500_000;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** @throws Failure (service) where an answer says of itself that it is something else */
export function requireJson({ headers }: Answer): void {
  const [type] = headerValues(headers, 'content-type');
  if (type !== undefined && !/^application\/json\s*(;|$)/i.test(type.trim())) {
    throw new Failure('service', `unexpected response: expected JSON, got ${type}`, {
      hint: 'A proxy or a login page may have responded. Check the base URL: petstore config list',
    });
  }
}

function parse(endpoint: Endpoint, answer: Answer): Json {
  const { bytes } = answer;
  requireJson(answer);
  if (bytes.length === 0) throw broken(endpoint, 'an empty body');
  try {
    return parseJson(utf8.decode(bytes), { maxValues });
  } catch (error) {
    throw error instanceof JsonError ? unreadable(endpoint, error) : broken(endpoint, notUtf8);
  }
}

export function unreadable(endpoint: Endpoint, error: JsonError): Failure {
  return error instanceof JsonLimitError
    ? tooLarge(error.reason)
    : broken(endpoint, `invalid JSON (${error.message})`);
}

function tooLarge(reason: string): Failure {
  return new Failure('service', `the response is too large: ${reason}`);
}

export const notUtf8 = 'invalid UTF-8';

/** What came instead, where it is of the right kind but for that. */
export function invalid(mismatch: string): string {
  return `an invalid one (${mismatch})`;
}

export function broken({ expects }: Endpoint, found: string): Failure {
  return new Failure('service', `unexpected response: expected ${expects}, got ${found}`);
}
