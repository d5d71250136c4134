import type { Context } from '../context.ts';
import { Failure, Interruption } from '../errors.ts';
import type { Report } from '../events.ts';
import { formsOf } from '../secret.ts';
import type { ApiKey } from './auth.ts';
import { decode } from './decode.ts';
import type { Endpoint, PathParameters } from './endpoints.ts';
import {
  type Answer,
  type ApiRequest,
  type Exchange,
  headerValues,
  type Turn,
  Undelivered,
} from './exchange.ts';
import { parseHttpDate } from './http-date.ts';
import { mayChange } from './method.ts';
import { createVerdict } from './verdict.ts';

export type ClientOptions = {
  readonly context: Context;
  readonly exchange: Exchange;
  readonly baseUrl: URL;
  readonly key: ApiKey;
  /** Longest wait for the rate limit, in ms. */
  readonly maxWait: number;
  readonly userAgent: string;
  readonly report: Report;
};

type CallInput<Path extends string, Body> = PathParameters<Path> &
  ([Body] extends [undefined] ? unknown : { readonly body: Body });

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
  /** The request that `call` would send, key excepted. */
  prepare<Path extends string, Body>(
    endpoint: Endpoint<Path, Body, never>,
    input: CallInput<Path, Body>,
  ): ApiRequest;
};

export function createClient(options: ClientOptions): Client {
  const { context, exchange, key, report } = options;
  const forms = formsOf(key.value);

  return {
    prepare: (endpoint, input) => prepare(options, endpoint, input),

    async call(endpoint, input, turn) {
      const verdict = createVerdict(endpoint, key);
      const answer = await send({ ...prepare(options, endpoint, input), ...turn });
      reportDeprecation(endpoint, answer);
      if (!succeeded(endpoint, answer)) throw verdict.refused(answer);
      try {
        const data = decode(endpoint, answer, forms);
        const notice = endpoint.settle?.(data);
        if (notice) report({ event: 'notice', message: notice });
        return data;
      } catch (error) {
        throw error instanceof Failure ? verdict.unreadable(error) : error;
      }

      async function send(request: ApiRequest): Promise<Answer> {
        try {
          return await exchange(request);
        } catch (error) {
          if (error instanceof Undelivered && context.signal.aborted) {
            throw verdict.interrupted(context.signal, error.sent);
          }
          if (error instanceof Undelivered) throw verdict.undelivered(error);
          if (error instanceof Interruption) throw verdict.interrupted(context.signal, false);
          throw error;
        }
      }
    },
  };

  function reportDeprecation(endpoint: Endpoint, { headers, receivedAt }: Answer): void {
    const [sunset] = headerValues(headers, 'sunset');
    const announced = headers.deprecation !== undefined || sunset !== undefined;
    if (!endpoint.deprecated && !announced) return;
    report({
      event: 'deprecation',
      operation: `${endpoint.method} ${endpoint.path}`,
      sunset: sunset === undefined ? undefined : parseHttpDate(sunset, receivedAt),
    });
  }
}

function prepare(
  { context, baseUrl, maxWait, userAgent }: ClientOptions,
  endpoint: Endpoint,
  input: unknown,
): ApiRequest {
  const { body, ...parameters } = input as { readonly body?: unknown } & Record<string, string>;
  const root = baseUrl.origin + baseUrl.pathname.replace(/\/+$/, '');
  const url = new URL(root + fill(endpoint.path, parameters));
  return {
    operation: `${endpoint.method} ${endpoint.path}`,
    method: endpoint.method,
    url,
    headers: {
      accept: 'application/json',
      // Compressed bytes cannot be capped before they are inflated.
      'accept-encoding': 'identity',
      'user-agent': userAgent,
      // A list that a cache kept shows what is no longer so.
      ...(!mayChange(endpoint.method) && { 'cache-control': 'no-cache' }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
    maxBytes: endpoint.maxBytes,
    waitUntil: context.uptime() + maxWait,
  };
}

/** A part of an answer, which nobody asked for, is none. */
function succeeded({ status }: Endpoint, answer: Answer): boolean {
  return status === 'any 2xx'
    ? answer.status < 300 && answer.status !== 206
    : answer.status === status;
}

/** Braces that name no parameter are a part of what the user asked for. */
function fill(path: string, parameters: Readonly<Record<string, string>>): string {
  return path.replace(/\{(\w+)\}/g, (braces, name) =>
    Object.hasOwn(parameters, name) ? encodeURIComponent(parameters[name] ?? '') : braces,
  );
}
