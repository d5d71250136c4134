import type { WireHeaders } from '../context.ts';
import type { FailureKind } from '../errors.ts';
import type { Method } from './method.ts';

/** What a caller has to do with the turns that its request takes at the limit, one for each attempt. */
export type Turn = {
  /** Awaited once a turn is granted, before anything is sent. When it rejects nothing is, and that error is the call's. */
  readonly beforeSending?: (() => Promise<void>) | undefined;
  /** Awaited when the turn is returned after `beforeSending` with nothing sent; the request then waits for another turn. */
  readonly onReturned?: (() => Promise<void>) | undefined;
  /** Called when the limit puts the turn off, and again while it does: not for requests in flight, which end soon. */
  readonly onWait?: (() => void) | undefined;
  /** Ends the wait for a turn, with its reason, instead of the run's own signal. What is on its way goes on. */
  readonly signal?: AbortSignal | undefined;
  /** Called with the response once its status is the promised one; its body may still turn out to be unusable. */
  readonly onResponse?: ((head: Head) => void) | undefined;
};

/** One request to the service, ready to leave but for its key. */
export type ApiRequest = Turn & {
  /** For messages and the shared limit: "POST /categories". */
  readonly operation: string;
  readonly method: Method;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** Longest answer that is read, in bytes. */
  readonly maxBytes: number;
  /** A longer answer is handed on as it comes, however long it is; undefined reads all of it. */
  readonly restAbove?: number | undefined;
  /** Whether the request may still leave, asked when its connection is established; see WireRequest. */
  readonly stillGranted?: (() => Promise<boolean>) | undefined;
  /** Called as the request leaves, and again when it was answered. */
  readonly onSent?: (() => void) | undefined;
  /** Called when the head of the answer has arrived; the body may take much longer. */
  readonly onHead?: ((head: Head) => void) | undefined;
  /** Which try this is; the first when undefined. */
  readonly attempt?: number;
  /**
   * No wait for the rate limit may last beyond `until`, a moment of the context's `uptime`. It counts from when the request is
   * the next of this process to go: what it waits for others before it is added here, for all of its attempts.
   */
  readonly wait: { until: number };
};

/** The state of the limit; it resets at `resetAt`, in ms of this machine's clock. */
export type RateLimit = {
  readonly limit: number;
  readonly remaining: number;
  readonly resetAt: number;
};

/** What the head of an answer says about the limit (interface document, section 8); times and waits are ms. */
export type LimitReading = {
  /** The headers one by one, each undefined when it makes no sense; `date` and `reset` are by the service's clock. */
  readonly limit: {
    readonly date?: number | undefined;
    readonly limit?: number | undefined;
    readonly remaining?: number | undefined;
    readonly reset?: number | undefined;
  };
  /** All of them by this machine's clock; undefined unless all make sense. */
  readonly rateLimit: RateLimit | undefined;
  /** What Retry-After asks to wait (RFC 9110, section 10.2.3), at least a second; undefined when it says nothing usable. */
  readonly retryAfter: number | undefined;
};

/** A whole answer: its last byte has arrived, or it comes as `rest`. */
export type Answer = {
  readonly status: number;
  readonly headers: WireHeaders;
  readonly limits: LimitReading;
  readonly bytes: Uint8Array;
  readonly rest?: Rest | undefined;
  /** When the request left and when the answer was complete, in ms of this machine's clock. */
  readonly sentAt: number;
  readonly receivedAt: number;
};

/** What is known of an answer when its head has arrived. */
export type Head = Pick<Answer, 'status' | 'headers' | 'limits' | 'sentAt' | 'receivedAt'>;

/** A long body as it comes. Whoever has it closes it, read or not. */
export type Rest = {
  /** @throws Undelivered when no element is whole in time, it is cut short, or the run is interrupted */
  readonly parts: AsyncIterable<Uint8Array>;
  /** Whether an element takes so long that each part is worth a look; never where all was read already. */
  readonly isSlow?: () => boolean;
  /** Begins the time for the next element: one is whole. */
  readonly renew?: () => void;
  readonly close: () => void;
};

/** The HTTP core is a stack of these: retry(gate(auth(deliver))). */
export type Exchange = (request: ApiRequest) => Promise<Answer>;

/** No whole answer came. `sent` tells whether the service may have seen the request. */
export class Undelivered extends Error {
  constructor(
    message: string,
    readonly sent: boolean,
    readonly details: {
      /** Of the failure; the network where nothing else is said. */
      readonly kind?: FailureKind;
      readonly hint?: string | undefined;
      /** Whether the same request may fare better at once. */
      readonly again?: boolean;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, { cause: details.cause });
  }
}

/** The values of a header field, in the order they came. */
export function headerValues(headers: WireHeaders, name: string): readonly string[] {
  const value = headers[name];
  if (value === undefined) return [];
  return typeof value === 'string' ? [value] : value;
}
