import type { WireHeaders } from '../context.ts';
import { Failure, systemCode } from '../errors.ts';
import { findMismatch, typeName } from '../json/check.ts';
import { createArrayReader, JsonError, JsonLimitError, mapTexts, parseJson } from '../json/json.ts';
import { type ApiResponse, headerValues, isWrite } from '../request/exchange.ts';
import { cutOut } from '../text/secret.ts';
import { duration, formatCount } from '../time.ts';
import { type Endpoint, listCategories } from './endpoints.ts';
import { Category, dropNulls, isSurelyCategory } from './resources.ts';

const maxValues = 500_000;
const batchBytes = 64 * 1024;
const cacheHint =
  'Run the same command again later, or have the cache pass GET /categories to the service.';
const partHint =
  'Names may be missing from it. Ask the operator of the service to send the whole list in one answer.';

/** `3`, or `categories 0-1/3`. A range of bytes counts no rows, and one of `*` rows does not tell. */
const rowCount = /^(?!bytes)(?:.*\/)?\s*(\d{1,15})\s*$/i;
/** The target of a link, its `rel`, or another text in quotes, which may look like one (RFC 8288, section 3). */
const linkPart = /<[^<>]*>|;\s*rel\s*=\s*("[^"]*"|[^\s;,]*)|"(?:[^"\\]|\\.)*"/gi;

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
  const mismatch = findMismatch(endpoint.data, value);
  if (mismatch) {
    const { words, isWhole } = mismatch;
    throw unexpected(endpoint, isWhole ? typeName(value) : `an invalid one (${words})`);
  }
  return value as Data;
}

/** Returns the list in validated batches. One that was read as a whole has been validated to its end by then, and its rows are counted. */
export async function decodeList(response: ApiResponse) {
  const { headers, bytes, stream, cancel } = response;
  try {
    requireJson(headers);
  } catch (error) {
    cancel?.();
    throw error;
  }
  if (stream) return { batches: decodeParts(stream), rows: undefined };
  const beginning = new TextDecoder().decode(bytes.subarray(0, 1_000));
  if (!/^\s*\[/.test(beginning)) decode(listCategories, response, []);
  let rows = 0;
  for await (const batch of decodeParts(splitBytes(bytes))) rows += batch.length;
  return { batches: decodeParts(splitBytes(bytes)), rows };
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
      if (mismatch) throw unexpected(listCategories, `an invalid one (${mismatch.words})`);
    }
    count += batch.length;
    return batch;
  }
}

/** Returns why a list proves nothing by what it lacks: a cache had it, or it says itself that it is a part. */
export function findDoubt(headers: WireHeaders, rows: number): Failure | undefined {
  const [age = ''] = headerValues(headers, 'age');
  if (/^0*[1-9]\d*$/.test(age)) {
    const old = duration(Number(age) * 1_000);
    const message = `a cache between you and the service answered with a list that is ${old} old`;
    return new Failure('service', message, { hint: cacheHint });
  }
  const counts = ['x-total-count', 'content-range'].flatMap((name) => headerValues(headers, name));
  const total = Math.max(...counts.map((count) => Number(rowCount.exec(count)?.[1] ?? 0)));
  if (total <= rows && !hasNextPage(headers)) return undefined;
  const count = total > rows ? ` (${formatCount(rows)} of ${formatCount(total)})` : '';
  const message = `the service sent only a part of its list${count}`;
  return new Failure('service', message, { hint: partHint });
}

function hasNextPage(headers: WireHeaders): boolean {
  const parts = headerValues(headers, 'link').flatMap((links) => [...links.matchAll(linkPart)]);
  return parts.some(([, rel = '']) => /(?:^|["\s])next(?:["\s]|$)/i.test(rel));
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
