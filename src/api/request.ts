import type { Context } from '../context.ts';
import type { Endpoint, PathParameters } from './endpoints.ts';
import type { ApiRequest, Turn } from './exchange.ts';
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

/** What is known of one call besides its input. */
type CallOptions = {
  readonly turn?: Turn | undefined;
  readonly restAbove?: number | undefined;
};

/** Makes the requests for operations, each ready to leave but for its key. */
export function requestsTo({ context, baseUrl, maxWait, userAgent }: Origin) {
  // The look behind lets each run of slashes be read once, not once from each of its slashes.
  const root = baseUrl.origin + baseUrl.pathname.replace(/(?<!\/)\/+$/, '');
  /** Of the last request: those of an import all have the same. */
  let last = { path: '', url: new URL(root) };

  return (
    endpoint: Endpoint,
    input: unknown,
    { turn, restAbove }: CallOptions = {},
  ): ApiRequest => {
    const { body, ...parameters } = input as { readonly body?: unknown } & Record<string, string>;
    const path = fill(endpoint.path, parameters);
    if (path !== last.path) last = { path, url: new URL(root + path) };
    return {
      operation: `${endpoint.method} ${endpoint.path}`,
      method: endpoint.method,
      url: last.url,
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
      restAbove,
      wait: { until: context.uptime() + maxWait },
      beforeSending: turn?.beforeSending,
      onReturned: turn?.onReturned,
      onWait: turn?.onWait,
      signal: turn?.signal,
      onResponse: turn?.onResponse,
      // What the layers below put here is named already, since V8 copies an object of so many fields fast only if none is added.
      attempt: 1,
      stillGranted: undefined,
      onSent: undefined,
      onHead: undefined,
    };
  };
}

/** Braces that name no parameter are a part of what the user asked for. */
function fill(path: string, parameters: Readonly<Record<string, string>>): string {
  return path.replace(/\{(\w+)\}/g, (braces, name) =>
    Object.hasOwn(parameters, name) ? encodeURIComponent(parameters[name] ?? '') : braces,
  );
}
