import type { Context } from '../context.ts';
import type { Endpoint, PathParameters } from './endpoints.ts';
import type { ApiRequest } from './exchange.ts';
import { mayChange } from './method.ts';

/** What all requests of a client have in common. */
export type Origin = {
  readonly context: Context;
  readonly baseUrl: URL;
  /** Longest wait for the rate limit, in ms. */
  readonly maxWait: number;
  readonly userAgent: string;
};

export type CallInput<Path extends string, Body> = PathParameters<Path> &
  ([Body] extends [undefined] ? unknown : { readonly body: Body });

/** The request for one operation, ready to leave but for its key. */
export function prepare(
  { context, baseUrl, maxWait, userAgent }: Origin,
  endpoint: Endpoint,
  input: unknown,
): ApiRequest {
  const { body, ...parameters } = input as { readonly body?: unknown } & Record<string, string>;
  // The look behind lets each run of slashes be read once, not once from each of its slashes.
  const root = baseUrl.origin + baseUrl.pathname.replace(/(?<!\/)\/+$/, '');
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
    wait: { until: context.uptime() + maxWait },
  };
}

/** Braces that name no parameter are a part of what the user asked for. */
function fill(path: string, parameters: Readonly<Record<string, string>>): string {
  return path.replace(/\{(\w+)\}/g, (braces, name) =>
    Object.hasOwn(parameters, name) ? encodeURIComponent(parameters[name] ?? '') : braces,
  );
}
