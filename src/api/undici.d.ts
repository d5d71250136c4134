/**
 * The two modules of undici that petstore loads. The whole package takes twice as long to start,
 * for parts (fetch, WebSocket, cache …) that no request here needs.
 */
declare module 'undici/lib/dispatcher/client.js' {
  export { Client as default } from 'undici';
}

declare module 'undici/lib/core/connect.js' {
  import type { Socket } from 'node:net';
  import type { buildConnector } from 'undici';

  /** Like undici's own, and returns the socket as soon as it begins to connect. */
  export default function build(
    options: buildConnector.BuildOptions,
  ): (options: buildConnector.Options, callback: buildConnector.Callback) => Socket;
}

declare module 'undici/lib/api/api-request.js' {
  import type { Dispatcher } from 'undici';

  type Callback = (error: Error | null, data: Dispatcher.ResponseData) => void;

  /** The handler behind `client.request`. */
  export class RequestHandler implements Dispatcher.DispatchHandler {
    constructor(options: Dispatcher.RequestOptions, callback: Callback);
    /** Called when a connection stands and just before the request is written to it. */
    onConnect(abort: (reason?: Error) => void): void;
  }
}
