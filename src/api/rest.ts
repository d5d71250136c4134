import { aborted } from '../aborted.ts';
import type { Context } from '../context.ts';
import { describeCut } from './breakdown.ts';
import { type Rest, Undelivered } from './exchange.ts';

/** Why a wait is given up: it has ended, one way or the other. */
const over = new Error('over');

type Reading = {
  readonly context: Context;
  /** Of one part, in ms. */
  readonly timeout: number;
  /** For messages. */
  readonly host: string;
  /** The parts that were read already. They are forgotten one by one. */
  readonly read: Uint8Array[];
  /** How many bytes these are, and how many were told of. */
  readonly received: number;
  readonly told: string | undefined;
  /** Drops the connection. */
  readonly close: () => void;
};

/** A body as it comes. While nobody takes a part none is read, and no time runs. */
export function restOf(body: AsyncIterator<Uint8Array>, reading: Reading): Rest {
  const { context, timeout, host, told, read, close } = reading;
  let { received } = reading;
  return { parts: parts(), close };

  async function* parts(): AsyncGenerator<Uint8Array> {
    for (let part = read.shift(); part; part = read.shift()) yield part;
    for (let part = await next(); !part.done; part = await next()) {
      received += part.value.length;
      yield part.value;
    }
  }

  async function next(): Promise<IteratorResult<Uint8Array>> {
    const waiting = new AbortController();
    try {
      return await Promise.race([
        body.next().catch((error) => {
          throw describeCut(error, host, received, told);
        }),
        deadline(waiting.signal),
        interruption(waiting.signal),
      ]);
    } finally {
      waiting.abort(over);
    }
  }

  async function deadline(ended: AbortSignal): Promise<never> {
    await context.sleep(timeout, ended).catch(forever);
    const waited = `nothing more came from ${host} within ${timeout / 1_000} s`;
    throw new Undelivered(waited, true, { hint: 'A longer time: --timeout 60s' });
  }

  async function interruption(ended: AbortSignal): Promise<never> {
    await aborted(context.signal, ended);
    throw new Undelivered('interrupted', true);
  }
}

function forever(): Promise<never> {
  return new Promise(() => {});
}
