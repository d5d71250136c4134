import { Failure, Interruption } from '../errors.ts';
import { notice, type Report } from '../events.ts';
import type { Json } from '../json/json.ts';
import { formsOf } from '../text/secret.ts';
import type { ApiKey } from './auth.ts';
import { decode } from './decode.ts';
import type { Endpoint } from './endpoints.ts';
import {
  type Answer,
  type ApiRequest,
  type Exchange,
  headerValues,
  type Rest,
  type Turn,
  Undelivered,
} from './exchange.ts';
import { parseHttpDate } from './http-date.ts';
import { type CallInput, type Origin, requestsTo } from './request.ts';
import { createVerdict, type Verdict } from './verdict.ts';

export type ClientOptions = Origin & {
  readonly exchange: Exchange;
  readonly key: ApiKey;
  readonly report: Report;
};

export type Client = {
  /**
   * Performs one operation of the service and returns its validated data.
   * @throws Failure: for a write its outcome is always said; and as it is, what `turn` ends the call with.
   */
  call<Path extends string, Body, Data>(
    endpoint: Endpoint<Path, Body, Data>,
    input: CallInput<Path, Body>,
    turn?: Turn,
  ): Promise<Data>;
  /**
   * The same; but a long list comes piece by piece, each validated: as often as it is asked for where all of it was read, and
   * while it is read where it is longer than its endpoint's `pieces` say. @throws Failure, then from the pieces too
   */
  stream<Path extends string, Body, Data>(
    endpoint: Endpoint<Path, Body, Data>,
    input: CallInput<Path, Body>,
  ): Promise<Data | AsyncIterable<Data>>;
  /** The request that `call` would send, key excepted. */
  prepare<Path extends string, Body>(
    endpoint: Endpoint<Path, Body, never>,
    input: CallInput<Path, Body>,
  ): ApiRequest;
};

export function createClient(options: ClientOptions): Client {
  const { context, exchange, key, report } = options;
  const forms = formsOf(key.value);
  const prepare = requestsTo(options);

  return {
    prepare,

    async call(endpoint, input, turn) {
      const verdict = () => createVerdict(endpoint, options);
      const request = prepare(endpoint, input, { turn });
      const answer = await perform(endpoint, request, verdict);
      const pieces = await inPieces(endpoint, answer, verdict);
      return pieces ? gathered(endpoint, pieces) : decodeWhole(endpoint, answer, verdict);
    },

    async stream(endpoint, input) {
      const verdict = () => createVerdict(endpoint, options);
      const restAbove = endpoint.pieces?.above;
      const request = prepare(endpoint, input, { restAbove });
      const answer = await perform(endpoint, request, verdict);
      if (answer.rest) return decodeRest(endpoint, answer, answer.rest, verdict);
      const pieces = await inPieces(endpoint, answer, verdict);
      if (!pieces) return decodeWhole(endpoint, answer, verdict);
      const { judge } = await import('./pieces.ts');
      await judge(endpoint, answer);
      return pieces;
    },
  };

  /** The answer of the promised status. @throws Failure */
  async function perform(
    endpoint: Endpoint,
    request: ApiRequest,
    verdict: () => Verdict,
  ): Promise<Answer> {
    const answer = await exchange(request).catch((error) => {
      throw explain(error, verdict);
    });
    reportDeprecation(endpoint, answer);
    if (succeeded(endpoint, answer)) {
      request.onResponse?.(answer);
      return answer;
    }
    answer.rest?.close();
    throw verdict().refused(answer);
  }

  function explain(error: unknown, verdict: () => Verdict): unknown {
    if (error instanceof Undelivered && context.signal.aborted) {
      return verdict().interrupted(context.signal, error.sent);
    }
    if (error instanceof Undelivered) return verdict().undelivered(error);
    if (error instanceof Interruption) return verdict().interrupted(context.signal, false);
    return error;
  }

  function decodeWhole<Data>(
    endpoint: Endpoint<string, unknown, Data>,
    answer: Answer,
    verdict: () => Verdict,
  ): Data {
    try {
      const data = decode(endpoint, answer, forms);
      const settled = endpoint.settle?.(data);
      if (settled) notice(report, settled);
      return data;
    } catch (error) {
      throw error instanceof Failure ? verdict().unreadable(error) : error;
    }
  }

  /** A list that was read and had better not be in memory all at once; undefined for any other answer. */
  async function inPieces<Data>(
    endpoint: Endpoint<string, unknown, Data>,
    answer: Answer,
    verdict: () => Verdict,
  ): Promise<AsyncIterable<Data> | undefined> {
    if (!endpoint.pieces || answer.bytes.length <= mostAtOnce) return undefined;
    const { partsOf } = await import('./pieces.ts');
    return {
      [Symbol.asyncIterator]: () => decodeRest(endpoint, answer, partsOf(answer), verdict),
    };
  }

  async function* decodeRest<Data>(
    endpoint: Endpoint<string, unknown, Data>,
    answer: Answer,
    rest: Rest,
    verdict: () => Verdict,
  ): AsyncGenerator<Data> {
    try {
      const { decodePieces } = await import('./pieces.ts');
      yield* decodePieces(endpoint, answer, rest, report);
    } catch (error) {
      throw explain(error, verdict);
    } finally {
      rest.close();
    }
  }

  function reportDeprecation(endpoint: Endpoint, { headers, receivedAt }: Answer): void {
    const [sunset] = headerValues(headers, 'sunset');
    const announced = headers.deprecation !== undefined || sunset !== undefined;
    if (!endpoint.deprecated && !announced) return;
    const end = sunset === undefined ? undefined : parseHttpDate(sunset, receivedAt);
    report({
      event: 'deprecation',
      operation: `${endpoint.method} ${endpoint.path}`,
      sunset: end ?? null,
      ...(end !== undefined && { daysLeft: Math.floor((end - receivedAt) / day) }),
    });
  }
}

/** All elements of a long list, as far as they are documented where that is known. @throws what the pieces throw */
async function gathered<Data>(
  endpoint: Endpoint<string, unknown, Data>,
  pieces: AsyncIterable<Data>,
): Promise<Data> {
  const documented = endpoint.pieces?.documented ?? ((element) => element);
  const all: Json[] = [];
  for await (const piece of pieces)
    for (const element of piece as Json[]) all.push(documented(element));
  return all as Data;
}

const day = 86_400_000;

/** The longest list that is decoded all at once, in bytes: its records take many times the room. */
const mostAtOnce = 1024 * 1024;

/** A part of an answer, which nobody asked for, is none. */
function succeeded({ status }: Endpoint, answer: Answer): boolean {
  return status === 'any 2xx'
    ? answer.status < 300 && answer.status !== 206
    : answer.status === status;
}
