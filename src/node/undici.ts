import type { buildConnector as BuildConnector, Dispatcher, Client as UndiciClient } from 'undici';
// @ts-expect-error: undici has types for its main module alone, which takes 50 ms to load.
import untypedConnect from 'undici/lib/api/api-connect.js';
// @ts-expect-error: see above
import untypedConnector from 'undici/lib/core/connect.js';
// @ts-expect-error: see above
import UntypedClient from 'undici/lib/dispatcher/client.js';

export const Client: typeof UndiciClient = UntypedClient;
export type Client = UndiciClient;
export const buildConnector: typeof BuildConnector = untypedConnector;
export const connectTunnel: (
  this: Client,
  options: Dispatcher.ConnectOptions,
) => Promise<Dispatcher.ConnectData> = untypedConnect;
