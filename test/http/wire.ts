import type { WireRequest } from '../support/values.ts';

export { text as textOf } from 'node:stream/consumers';

/** A request as the core hands it to the transport. */
export const request = (fields: Partial<WireRequest> = {}): WireRequest => ({
  method: 'GET',
  url: new URL('https://pets.example/v1/categories'),
  headers: { authorization: 'Bearer the-key', accept: 'application/json' },
  body: undefined,
  signal: new AbortController().signal,
  onSent: () => {},
  ...fields,
});
