import { Failure } from '../errors.ts';
import { findMismatch } from '../json/check.ts';
import type { Json } from '../json/exact.ts';
import { JsonError, parseJson } from '../json/parse.ts';
import { formsOf } from '../secret.ts';
import type { ApiKey } from './auth.ts';
import type { Endpoint } from './endpoints.ts';
import { type Answer, headerValues } from './exchange.ts';
import { withoutKey } from './without-key.ts';

/**
 * The data of a successful answer: UTF-8 without a fault, JSON without a doubt, and what the interface document promises.
 * Of a write it is without the key, should the service repeat it.
 * @throws Failure (service)
 */
export function decode<Data>(
  endpoint: Endpoint<string, unknown, Data>,
  answer: Answer,
  key: ApiKey,
): Data {
  const parsed = parse(endpoint, answer);
  const value = endpoint.method === 'POST' ? withoutKey(parsed, formsOf(key.value)) : parsed;
  const mismatch = findMismatch(endpoint.data, value);
  if (mismatch) throw broken(endpoint, mismatch);
  return value as Data;
}

function parse(endpoint: Endpoint, { headers, bytes }: Answer): Json {
  const [type] = headerValues(headers, 'content-type');
  if (type !== undefined && !/^application\/json\s*(;|$)/i.test(type.trim())) {
    throw new Failure('service', `expected JSON, got ${type}`, {
      hint: 'Is a proxy or a login page in between? Does the base URL end in /v1?',
    });
  }
  if (bytes.length === 0) throw broken(endpoint, 'nothing');
  try {
    return parseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    if (error instanceof JsonError) throw broken(endpoint, `no valid JSON: ${error.message}`);
    throw broken(endpoint, 'bytes that are not UTF-8');
  }
}

function broken(endpoint: Endpoint, what: string): Failure {
  return new Failure(
    'service',
    `expected ${endpoint.expects}, got an answer that is wrong: ${what}`,
  );
}
