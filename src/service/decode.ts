import type { WireHeaders } from '../context.ts';
import { Failure, systemCode } from '../errors.ts';
import { findMismatch, locateMismatch, typeName } from '../json/check.ts';
import { createArrayReader, JsonError, JsonLimitError, mapTexts, parseJson } from '../json/json.ts';
import { type ApiResponse, headerValues, isWrite } from '../request/exchange.ts';
import { cutOut } from '../text/secret.ts';
import { type Endpoint, listCategories } from './endpoints.ts';
import { Category, dropNulls, isSurelyCategory } from './resources.ts';

const maxValues = 500_000;
const batchBytes = 64 * 1024;

/** Decodes a response of strict UTF-8 and JSON, and validates what the interface document promises. Throws Failure (service). */
export function decode<Data>(
  endpoint: Endpoint<Data>,
  { status, headers, bytes }: ApiResponse,
  keyForms: readonly string[],
): Data {
  const isEmptyWrite = isWrite(endpoint.method) && bytes.length === 0;
  const hasNoContent = endpoint.method === 'HEAD' || isEmptyWrite || [204, 205].includes(status);
  if (endpoint.status === 'any 2xx' && hasNoContent) return undefined as Data;
  requireJson(headers);
  if (bytes.length === 0) throw unexpected(endpoint, 'an empty body');
  const parsed = parse(endpoint, () => {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return parseJson(text, maxValues);
  });
  // An import saves what a write returns.
  const value = isWrite(endpoint.method)
    ? mapTexts(parsed, (text) => cutOut(text, keyForms))
    : parsed;
  if (endpoint.data === Category) dropNulls(value);
  const mismatch = locateMismatch(endpoint.data, value);
  if (mismatch) {
    const { words, isWhole } = mismatch;
    throw unexpected(endpoint, isWhole ? typeName(value) : `an invalid one (${words})`);
  }
  return value as Data;
}

/** Returns the list in validated batches. One that was read as a whole has been validated to its end by then. */
export async function decodeList(response: ApiResponse): Promise<AsyncIterable<Category[]>> {
  const { headers, bytes, stream, cancel } = response;
  try {
    requireJson(headers);
  } catch (error) {
    cancel?.();
    throw error;
  }
  if (stream) return decodeParts(stream);
  const beginning = new TextDecoder().decode(bytes.subarray(0, 1_000));
  if (!/^\s*\[/.test(beginning)) decode(listCategories, response, []);
  await readToEnd(decodeParts(splitBytes(bytes)));
  return decodeParts(splitBytes(bytes));
}

async function readToEnd(batches: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of batches);
}

function* splitBytes(bytes: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += batchBytes) {
    yield bytes.subarray(start, start + batchBytes);
  }
}

async function* decodeParts(
  parts: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<Category[]> {
  const reader = createArrayReader();
  let count = 0;
  for await (const part of parts) yield readBatch(part);
  yield readBatch();

  function readBatch(part?: Uint8Array): Category[] {
    const items = parse(listCategories, () => reader.read(part));
    const batch = items as Category[];
    if (!items.every(isSurelyCategory)) {
      items.forEach(dropNulls);
      const mismatch = findMismatch(listCategories.data, items, count);
      if (mismatch) throw unexpected(listCategories, `an invalid one (${mismatch})`);
    }
    count += batch.length;
    return batch;
  }
}

function parse<Value>(endpoint: Endpoint, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (error instanceof JsonLimitError) {
      throw new Failure('service', `the response is too large: ${error.reason}`);
    }
    if (error instanceof JsonError) throw unexpected(endpoint, `invalid JSON (${error.message})`);
    if (systemCode(error) !== 'ERR_ENCODING_INVALID_ENCODED_DATA') throw error;
    throw unexpected(endpoint, 'invalid UTF-8');
  }
}

function requireJson(headers: WireHeaders): void {
  const [type = 'application/json'] = headerValues(headers, 'content-type');
  if (!/^application\/json\s*(;|$)/i.test(type.trim())) {
    throw new Failure('service', `unexpected response: expected JSON, got ${type}`, {
      hint: 'A proxy or a login page may have responded. See: petstore config list',
    });
  }
  const fields = ['content-encoding', 'transfer-encoding'];
  const values = fields.flatMap((name) => headerValues(headers, name));
  const codings = values.join().split(/[\s,]+/);
  if (!codings.every((coding) => /^(|identity|chunked)$/i.test(coding))) {
    const message = 'unexpected response: the body is compressed, which petstore did not request';
    throw new Failure('service', message);
  }
}

function unexpected({ expects }: Endpoint, found: string): Failure {
  return new Failure('service', `unexpected response: expected ${expects}, got ${found}`);
}
