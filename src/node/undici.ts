import { setFlagsFromString } from 'node:v8';
import type { Client as UndiciClient } from 'undici';
// @ts-expect-error: undici has types for its main module alone, and that one takes 250 ms to load.
import UntypedClient from 'undici/lib/dispatcher/client.js';

/** undici's HTTP/1.1 client: one connection, and the requests that go over it one after another. */
export const Client: typeof UndiciClient = UntypedClient;
export type Client = UndiciClient;

// V8 would optimize undici's parser after some thirty header fields: 100 ms of work in the background, for which the exit waits.
setFlagsFromString('--no-wasm-tier-up');
setFlagsFromString('--no-wasm-dynamic-tiering');
// It is valid, and most of it is never run.
setFlagsFromString('--wasm-lazy-validation');
