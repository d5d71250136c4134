import type { ApiResponse } from '../../src/api/exchange.ts';
import { readLimits } from '../../src/api/limits.ts';
import type { WireHeaders, WireRequest } from '../../src/context.ts';
import type { Clock } from './clock.ts';

export const origin = 'https://pets.example';
/** A request as the core hands it to the transport. */
export const request = (fields: Partial<WireRequest> = {}): WireRequest => ({
  method: 'GET',
  url: new URL(`${origin}/v1/categories`),
  headers: { authorization: 'Bearer the-key', accept: 'application/json' },
  body: undefined,
  signal: new AbortController().signal,
  onSent: () => {},
  ...fields,
});

/** A whole response without a body, as the gate gets it, which takes no time. */
export function responseNow(
  { now }: Pick<Clock, 'now'>,
  status = 200,
  headers: WireHeaders = {},
): ApiResponse {
  const at = now();
  const limits = readLimits(headers, at);
  return { status, headers, limits, bytes: new Uint8Array(), sentAt: at, receivedAt: at };
}

export async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
