import { notice, type Report } from '../events.ts';
import { findMismatch, typeName } from '../json/check.ts';
import { createArrayReader, type Json, JsonError } from '../json/json.ts';
import { broken, invalid, notUtf8, requireJson, unreadable } from './decode.ts';
import type { Endpoint } from './endpoints.ts';
import type { Answer, Rest } from './exchange.ts';
import { createDecoder } from './utf8.ts';

/**
 * The data of a long list, piece by piece as it comes, each judged as strictly as `decode` judges the whole.
 * @throws Failure (service), Undelivered
 */
export async function* decodePieces<Data>(
  endpoint: Endpoint<string, unknown, Data>,
  answer: Answer,
  rest: Rest,
  report: Report,
): AsyncGenerator<Data> {
  requireJson(answer);
  const reader = createArrayReader();
  let count = 0;
  let noticed: string | undefined;
  let hasBegun = false;
  for await (const text of textOf(endpoint, rest.parts)) {
    if (!hasBegun && text?.trimStart().startsWith('{')) {
      throw broken(endpoint, typeName({}));
    }
    hasBegun = true;
    const elements = parse(() =>
      text === undefined
        ? reader.read('', { isLast: true })
        : reader.read(text, { now: rest.isSlow?.() ?? false }),
    );
    if (elements.length === 0) continue;
    rest.renew?.();
    yield judged(elements);
  }

  function parse(elements: () => Json[]): Json[] {
    try {
      return elements();
    } catch (error) {
      if (!(error instanceof JsonError)) throw error;
      throw unreadable(endpoint, error);
    }
  }

  function judged(elements: Json[]): Data {
    const { fits } = endpoint.pieces ?? {};
    if (!fits || !elements.every(fits)) {
      const mismatch = findMismatch(endpoint.data, elements, count);
      if (mismatch) throw broken(endpoint, invalid(mismatch));
    }
    count += elements.length;
    const data = elements as Data;
    const settled = endpoint.settle?.(data);
    if (settled && settled !== noticed) notice(report, settled);
    noticed ??= settled;
    return data;
  }
}

/** Judges all of a list that was read, so that nothing of it is printed where something is wrong. @throws Failure (service) */
export async function judge(endpoint: Endpoint, answer: Answer): Promise<void> {
  const pieces = decodePieces(endpoint, answer, partsOf(answer), () => {});
  while (!(await pieces.next()).done);
}

/** A body that was read, to be taken in parts. */
export function partsOf({ bytes }: Answer): Rest {
  return { parts: parts(), close: () => {} };

  async function* parts(size = 64 * 1024): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
}

/** The text part by part, and undefined when it is over. */
async function* textOf(
  endpoint: Endpoint,
  parts: AsyncIterable<Uint8Array>,
): AsyncGenerator<string | undefined> {
  const decode = createDecoder();
  try {
    for await (const part of parts) yield decode(part);
    yield decode();
  } catch (error) {
    throw error instanceof TypeError ? broken(endpoint, notUtf8) : error;
  }
  yield undefined;
}
