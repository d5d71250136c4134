import type { Context } from '../context.ts';
import { Failure, type FailureDetails, Interruption, unsentFailure } from '../errors.ts';
import { type Report, warn } from '../events.ts';
import { type Content, pickContent } from '../fields.ts';
import {
  type ApiRequest,
  type ApiResponse,
  headerValues,
  isWrite,
  type RateLimitHooks,
  type SendRequest,
  TransportError,
} from '../request/exchange.ts';
import { parseHttpDate } from '../request/limit-headers.ts';
import { describeBan, quoteReason, refusedBefore } from '../request/service-error.ts';
import { formsOf } from '../text/secret.ts';
import { version } from '../version.ts';
import type { ApiKey } from './api-key.ts';
import { decode, decodeList, findDoubt } from './decode.ts';
import { type Endpoint, listCategories, listOrders } from './endpoints.ts';
import { createFailure, createRefusal, outcomeDetails } from './outcome.ts';
import type { Category } from './resources.ts';

type ClientOptions = {
  readonly context: Pick<Context, 'uptime' | 'signal'>;
  readonly send: SendRequest;
  readonly baseUrl: URL;
  readonly key: ApiKey;
  readonly maxWaitMs: number;
  readonly report: Report;
};

/** A string is JSON text already. */
type RequestBody = Content | string | undefined;

type ListOptions = {
  readonly mayStream?: boolean;
  readonly decides?: boolean;
  readonly onResponse?: (response: ApiResponse) => void;
};

const streamAboveBytes = 8 * 1024 * 1024;
const dayMs = 86_400_000;

/** Performs the operations of the service. Its methods throw Failure; that of a write says what became of it. */
export class Client {
  readonly #options: ClientOptions;
  readonly #keyForms: readonly string[];

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#keyForms = formsOf(options.key.value);
  }

  async call<Data>(
    endpoint: Endpoint<Data>,
    body?: RequestBody,
    hooks?: RateLimitHooks,
  ): Promise<Data> {
    const response = await this.#perform(endpoint, { ...this.prepare(endpoint, body), ...hooks });
    try {
      const data = decode(endpoint, response, this.#keyForms);
      if (endpoint === listOrders) {
        this.#doubt(response, Array.isArray(data) ? data.length : undefined);
      }
      return data;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      throw createFailure(endpoint, 'service', error.message, 'unknown', error.details);
    }
  }

  /** Resolves with a list that is valid to its end, unless it `mayStream`. One that `decides` is refused if it may lack something. */
  async listCategories({ mayStream = false, decides = false, onResponse }: ListOptions = {}) {
    const options = mayStream ? { streamAboveBytes } : {};
    const request = { ...this.prepare(listCategories), ...options };
    const response = await this.#perform(listCategories, request);
    onResponse?.(response);
    const { batches, rows } = await decodeList(response);
    const isDoubtful = this.#doubt(response, rows, decides);
    return this.#watch(batches, (count) => isDoubtful || this.#doubt(response, count));
  }

  prepare({ method, path, target = path, maxBytes }: Endpoint, body?: RequestBody): ApiRequest {
    const { context, baseUrl, maxWaitMs } = this.#options;
    return {
      method,
      url: new URL(trimSlashes(baseUrl) + target),
      headers: {
        accept: 'application/json',
        // A compressed body cannot be limited before it is inflated.
        'accept-encoding': 'identity',
        'user-agent': `petstore/${version}`,
        // A cached list lacks what was created since.
        ...(!isWrite(method) && { 'cache-control': 'no-cache' }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
      maxBytes,
      waitUntil: context.uptime() + maxWaitMs,
    };
  }

  async #perform(endpoint: Endpoint, request: ApiRequest): Promise<ApiResponse> {
    const { send, report } = this.#options;
    let refusal: ApiResponse | undefined;
    const onRefusal = (response: ApiResponse | undefined) => {
      refusal = response;
    };
    const response = await send({ ...this.#withKey(request), onRefusal }).catch((error) => {
      throw this.#asFailure(endpoint, error, refusal && refusedBefore(endpoint, refusal));
    });
    reportDeprecation(report, endpoint, response);
    if (hasPromisedStatus(endpoint, response)) return response;
    throw createRefusal(endpoint, response, this.#options);
  }

  /** Adds the bearer key (interface document, section 5). It travels to the origin of the base URL and nowhere else. */
  #withKey(request: ApiRequest): ApiRequest {
    const { baseUrl, key } = this.#options;
    if (request.url.origin !== baseUrl.origin) {
      throw unsentFailure(
        'internal',
        'unexpected internal error: the request would have sent the API key to another host',
      );
    }
    return { ...request, headers: { ...request.headers, authorization: `Bearer ${key.value}` } };
  }

  /** Warns of a list that may lack something, and returns whether it does. Throws if the list decides. */
  #doubt({ headers }: ApiResponse, rows = Number.POSITIVE_INFINITY, decides = false): boolean {
    const doubt = findDoubt(headers, rows);
    if (doubt && decides) throw doubt;
    if (doubt) warn(this.#options.report, doubt.message);
    return doubt !== undefined;
  }

  /** Yields the batches. How many rows a stream has is known only at its end. */
  async *#watch(
    batches: AsyncIterable<Category[]>,
    onEnd: (rows: number) => void,
  ): AsyncGenerator<Category[]> {
    let rows = 0;
    try {
      for await (const batch of batches) {
        rows += batch.length;
        yield batch;
      }
    } catch (error) {
      throw this.#asFailure(listCategories, error);
    }
    onEnd(rows);
  }

  #asFailure(endpoint: Endpoint, error: unknown, earlier: FailureDetails = {}): unknown {
    const { signal } = this.#options.context;
    if (error instanceof Failure && error.kind === 'rate_limited') {
      const quote = isWrite(endpoint.method) ? '' : quoteReason(earlier.service);
      return error.with(earlier, describeBan(earlier.service) ?? error.message + quote);
    }
    const isTransport = error instanceof TransportError;
    if (!isTransport && !(error instanceof Interruption)) return error;
    const outcome = isTransport && error.sent ? 'unknown' : 'not_sent';
    // Of a read only what ended it counts.
    const known = isWrite(endpoint.method) ? earlier : {};
    if (!isTransport || signal.aborted) {
      const end = isTransport ? signal.reason : error;
      return end.with({ ...outcomeDetails(endpoint, outcome), ...known });
    }
    const { kind = 'network', hint, isAway, cause } = error.details;
    return createFailure(endpoint, kind, error.message, outcome, { hint, isAway, cause }).with(
      known,
    );
  }
}

export function trimSlashes({ href }: URL): string {
  // Without the lookbehind, the time would grow with the square of the number of slashes.
  return href.replace(/(?<!\/)\/+$/, '');
}

function reportDeprecation(
  report: Report,
  { method, path, deprecated }: Endpoint,
  { headers, receivedAt }: ApiResponse,
): void {
  const [date] = headerValues(headers, 'sunset');
  if (!deprecated && headers.deprecation === undefined && date === undefined) return;
  const sunset = parseHttpDate(date ?? '') ?? null;
  report({
    event: 'deprecation',
    operation: `${method} ${path}`,
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
export async function readCategories(client: Client, options?: ListOptions): Promise<Category[]> {
  const categories: Category[] = [];
  for await (const batch of await client.listCategories(options)) {
    for (const category of batch) categories.push({ id: category.id, ...pickContent(category) });
  }
  return categories;
}
