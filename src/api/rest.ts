import type { Context } from '../context.ts';
import { deadline } from '../deadline.ts';
import { describeCut } from './breakdown.ts';
import { type Rest, Undelivered } from './exchange.ts';

/** The part of the timeout after which what has come is looked at, so that an element counts when it is whole. */
const slowPart = 1 / 100;

type Reading = {
  readonly context: Context;
  /** From one element to the next, in ms. */
  readonly timeout: number;
  /** For messages. */
  readonly host: string;
  /** The parts that were read already. They are forgotten one by one. */
  readonly read: Uint8Array[];
  /** How many bytes these are, and how many were announced. */
  readonly received: number;
  readonly contentLength: string | undefined;
  /** Drops the connection. */
  readonly close: () => void;
};

/** A body as it comes. While its reader takes no part none is read, and no time runs. */
export function restOf(body: AsyncIterator<Uint8Array>, reading: Reading): Rest {
  const { context, timeout, host, contentLength, read } = reading;
  let { received } = reading;
  const slow = timeout * slowPart;
  /** Since when a part is waited for, by the machine's uptime; undefined while none is. */
  let since: number | undefined;
  /** How long parts were waited for before that, from the last element on, in ms. */
  let waited = 0;
  let stop: (() => void) | undefined;
  let fail = (_error: Undelivered) => {};
  let interruption: Undelivered | undefined;

  const close = () => {
    end();
    reading.close();
  };
  const renew = () => {
    waited = 0;
  };
  return { parts: parts(), isSlow: () => waited >= slow, renew, close };

  async function* parts(): AsyncGenerator<Uint8Array> {
    for (let part = read.shift(); part; part = read.shift()) yield part;
    context.signal.addEventListener('abort', interrupt);
    if (context.signal.aborted) interrupt();
    try {
      for (let part = await next(); !part.done; part = await next()) {
        received += part.value.length;
        yield part.value;
      }
    } finally {
      end();
    }
  }

  function next(): Promise<IteratorResult<Uint8Array>> {
    return new Promise((resolve, reject) => {
      if (interruption) throw interruption;
      fail = reject;
      since = context.uptime();
      if (!stop) look();
      body.next().then(
        (part) => {
          endWait();
          resolve(part);
        },
        (error) => {
          endWait();
          reject(describeCut(error, host, received, contentLength));
        },
      );
    });
  }

  function endWait(): void {
    waited += context.uptime() - (since ?? 0);
    since = undefined;
  }

  function interrupt(): void {
    interruption = new Undelivered('interrupted', true);
    fail(interruption);
  }

  /** One timer for many elements: one for each would take as long as the element itself. */
  function look(): void {
    stop = undefined;
    if (since === undefined) return;
    // An element may have come since the last look.
    const left = since + timeout + slow - waited - context.uptime();
    if (left > 0) stop = deadline(context.sleep, left, look);
    else fail(tooLate());
  }

  function end(): void {
    stop?.();
    context.signal.removeEventListener('abort', interrupt);
  }

  function tooLate(): Undelivered {
    const message = `the response from ${host} timed out: no further element in ${timeout / 1_000}s`;
    return new Undelivered(message, true, { hint: 'Allow more time: --timeout 60s' });
  }
}
