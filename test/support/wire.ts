import type { WireRequest } from '../../src/context.ts';

export { text as textOf } from 'node:stream/consumers';

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
