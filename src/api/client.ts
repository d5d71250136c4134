import type { Context } from '../context.ts';
import { Failure, Interruption, unsentFailure } from '../errors.ts';
import { notice, type Report } from '../events.ts';
import { formsOf } from '../text/secret.ts';
import { decode, decodeList } from './decode.ts';
import { type Endpoint, listCategories, type PathParameters } from './endpoints.ts';
import {
  type ApiRequest,
  type ApiResponse,
  headerValues,
  isWrite,
  type RateLimitHooks,
  type SendRequest,
  TransportError,
} from './exchange.ts';
import { parseHttpDate } from './limits.ts';
import {
  type ApiKey,
  interruptionOf,
  refusalOf,
  undeliveredFailure,
  unreadableFailure,
} from './outcome.ts';
import type { Category } from './resources.ts';

type ClientOptions = {
  readonly context: Context;
  readonly send: SendRequest;
  readonly baseUrl: URL;
  readonly key: ApiKey;
  /** For the rate limit, from the call to the first byte. */
  readonly maxWaitMs: number;
  readonly userAgent: string;
  readonly report: Report;
};

type CallInput<Path extends string, Body> = PathParameters<Path> &
  ([Body] extends [undefined] ? unknown : { readonly body: Body });

export type Client = {
  /** Performs one operation and returns its validated data. Throws Failure; that of a write says what became of it. */
  call<Path extends string, Body, Data>(
    endpoint: Endpoint<Path, Body, Data>,
    input: CallInput<Path, Body>,
    hooks?: RateLimitHooks,
  ): Promise<Data>;

  /**
   * Resolves with a list in batches when all of it has been received and validated. One that may be streamed is received and
   * validated batch by batch if it is longer than 8 MiB. Throws Failure, and so do the batches of a streamed list.
   */
  list<Item>(
    endpoint: Endpoint<string, undefined, Item[]>,
    options?: { readonly mayStream?: boolean },
  ): Promise<AsyncIterable<Item[]>>;

  /** Returns the request that `call` would send, without the key. */
  prepare<Path extends string, Body>(
    endpoint: Endpoint<Path, Body, never>,
    input: CallInput<Path, Body>,
  ): ApiRequest;
};

const streamAboveBytes = 8 * 1024 * 1024;
const dayMs = 86_400_000;

export function createClient(options: ClientOptions): Client {
  const { context, send, baseUrl, key, report } = options;
  const keyForms = formsOf(key.value);

  return {
    async call(endpoint, input, hooks) {
      const response = await perform(endpoint, { ...prepare(endpoint, input), ...hooks });
      try {
        const data = decode(endpoint, response, keyForms);
        if (endpoint.adoptStringIds?.(data)) notice(report, stringIdNotice);
        return data;
      } catch (error) {
        throw error instanceof Failure ? unreadableFailure(endpoint, error) : error;
      }
    },

    async list(endpoint, { mayStream = false } = {}) {
      const request = prepare(endpoint, {});
      const options = mayStream ? { streamAboveBytes } : {};
      const response = await perform(endpoint, { ...request, ...options });
      return adoptIds(endpoint, await decodeList(endpoint, response));
    },

    prepare,
  };

  function prepare(endpoint: Endpoint, input: unknown): ApiRequest {
    return prepareRequest(options, endpoint, input as Record<string, string>);
  }

  /** Returns the response if it has the promised status, otherwise throws Failure. */
  async function perform(endpoint: Endpoint, request: ApiRequest): Promise<ApiResponse> {
    const response = await send(withKey(request)).catch((error) => {
      throw explain(endpoint, error);
    });
    reportDeprecation(report, endpoint, response);
    if (!hasPromisedStatus(endpoint, response)) throw refusalOf(endpoint, response, options);
    return response;
  }

  /** Adds the bearer key (interface document, section 5). It travels to the origin of the base URL and nowhere else. */
  function withKey(request: ApiRequest): ApiRequest {
    if (request.url.origin !== baseUrl.origin) {
      throw unsentFailure(
        'internal',
        'unexpected internal error: the API key would have gone to another host',
      );
    }
    return { ...request, headers: { ...request.headers, authorization: `Bearer ${key.value}` } };
  }

  /** Yields the batches with integers for ids that were sent as strings. */
  async function* adoptIds<Item>(
    endpoint: Endpoint<string, undefined, Item[]>,
    batches: AsyncIterable<Item[]>,
  ): AsyncGenerator<Item[]> {
    let hasStringIds = false;
    try {
      for await (const batch of batches) {
        if (endpoint.adoptStringIds?.(batch) && !hasStringIds) {
          hasStringIds = true;
          notice(report, stringIdNotice);
        }
        yield batch;
      }
    } catch (error) {
      throw explain(endpoint, error);
    }
  }

  function explain(endpoint: Endpoint, error: unknown): unknown {
    const { signal } = context;
    if (error instanceof Interruption) return interruptionOf(endpoint, signal, false);
    if (!(error instanceof TransportError)) return error;
    const failure = signal.aborted
      ? interruptionOf(endpoint, signal, error.sent)
      : undeliveredFailure(endpoint, error);
    const { refusal } = error.details;
    return refusal ? failure.with(refusal) : failure;
  }
}

const stringIdNotice = 'the service sends ids as strings; they are shown as integers';

function prepareRequest(
  { context, baseUrl, maxWaitMs, userAgent }: ClientOptions,
  endpoint: Endpoint,
  { body, ...parameters }: Readonly<Record<string, unknown>>,
): ApiRequest {
  const { method, path, maxBytes } = endpoint;
  return {
    operation: `${method} ${path}`,
    method,
    url: new URL(rootOf(baseUrl) + fillPath(path, parameters)),
    headers: {
      accept: 'application/json',
      // A compressed body cannot be limited before it is inflated.
      'accept-encoding': 'identity',
      'user-agent': userAgent,
      // A cached list lacks what was created since.
      ...(!isWrite(method) && { 'cache-control': 'no-cache' }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
    maxBytes,
    waitUntil: context.uptime() + maxWaitMs,
  };
}

/** Returns a base URL without slashes at its end. */
export function rootOf({ href }: URL): string {
  // Without the lookbehind, the time would grow with the square of the number of slashes.
  return href.replace(/(?<!\/)\/+$/, '');
}

/** Fills in parameters. Braces that name none belong to the path of `petstore api`. */
function fillPath(path: string, parameters: Readonly<Record<string, unknown>>): string {
  return path.replace(/\{(\w+)\}/g, (braces, name) =>
    Object.hasOwn(parameters, name) ? encodeURIComponent(String(parameters[name])) : braces,
  );
}

function reportDeprecation(
  report: Report,
  endpoint: Endpoint,
  { headers, receivedAt }: ApiResponse,
): void {
  const [date] = headerValues(headers, 'sunset');
  if (!endpoint.deprecated && headers.deprecation === undefined && date === undefined) return;
  const sunset = parseHttpDate(date ?? '') ?? null;
  report({
    event: 'deprecation',
    operation: `${endpoint.method} ${endpoint.path}`,
    sunset,
    ...(sunset !== null && { daysLeft: Math.floor((sunset - receivedAt) / dayMs) }),
  });
}

/** Returns false for 206 in any case, since petstore never requests a part. */
function hasPromisedStatus({ status }: Endpoint, response: ApiResponse): boolean {
  if (status !== 'any 2xx') return response.status === status;
  return response.status < 300 && response.status !== 206;
}

/** Returns all categories with only their documented fields, since others may take any amount of memory. */
export async function readCategories(client: Client): Promise<Category[]> {
  const categories: Category[] = [];
  for await (const batch of await client.list(listCategories)) {
    for (const { id, name, description } of batch) {
      categories.push(description === undefined ? { id, name } : { id, name, description });
    }
  }
  return categories;
}
