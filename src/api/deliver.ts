import type { Context, HttpProxy, WireAnswer } from '../context.ts';
import { describeBreakdown, describeCut } from './breakdown.ts';
import { type Exchange, headerValues, Undelivered } from './exchange.ts';
import { mayChange } from './method.ts';
import { describeNoTunnel, isNoTunnel } from './no-tunnel.ts';
import { createWatch } from './watch.ts';

/** How long the rest of a refusal is waited for, in ms. */
const patienceForRefusals = 2_000;
/** Why an attempt is given up: it has ended, one way or the other. */
const over = new Error('over');
/** How long an interrupted write may still wait for its answer, in ms. */
const graceForWrites = 5_000;

/**
 * The innermost exchange: sends a request once, through `proxy` if there is one, and reads its whole answer within `timeout` ms.
 * The deadline is our own race, so that it holds whatever the transport does.
 * An interrupted write that has left gets five more seconds for its answer.
 * @throws Undelivered
 */
export function deliver(context: Context, timeout: number, proxy?: HttpProxy): Exchange {
  const watch = createWatch(context, timeout);

  return async (request) => {
    const sentAt = context.now();
    const attempt = new AbortController();
    let sent = false;
    const onSent = () => {
      sent = true;
    };
    const answer = transmit();
    // The race may be over before it fails; then nobody listens any more.
    answer.catch(() => {});
    let endWatch = () => {};
    const givenUp = new Promise<never>((_, reject) => {
      endWatch = watch({
        tooLate: () => reject(tooLate()),
        interrupted: () => void interruption().catch(reject),
      });
    });
    let complete = false;
    try {
      const whole = await Promise.race([answer, givenUp]);
      complete = whole.status < 300;
      return whole;
    } finally {
      endWatch();
      // Nothing of a complete answer is left to end.
      if (!complete) attempt.abort(over);
    }

    async function transmit() {
      const { method, url, headers, body } = request;
      const wire = { method, url, proxy, headers, body, signal: attempt.signal, onSent };
      try {
        const answer = await context.send(wire);
        onSent();
        const bytes =
          answer.status < 300
            ? await readBody(answer, url, request.maxBytes)
            : await readRefusal(answer.body, giveUp());
        return {
          status: answer.status,
          headers: answer.headers,
          bytes,
          sentAt,
          receivedAt: context.now(),
        };
      } catch (error) {
        if (error instanceof Undelivered) throw error;
        throw describe(error, url.host);
      }
    }

    function describe(error: unknown, host: string): Undelivered {
      if (proxy && isNoTunnel(error)) return describeNoTunnel(error, { host, proxy });
      return describeBreakdown(error, host, sent);
    }

    async function giveUp(): Promise<void> {
      const ms = Math.min(patienceForRefusals, timeout / 2);
      await context.sleep(ms, attempt.signal).catch(forever);
    }

    function tooLate(): Undelivered {
      const waited = `no whole answer from ${request.url.host} within ${timeout / 1_000} s`;
      return new Undelivered(waited, sent, { hint: 'A longer time: --timeout 60s' });
    }

    async function interruption(): Promise<never> {
      if (sent && mayChange(request.method)) {
        await context.sleep(graceForWrites, attempt.signal).catch(forever);
      }
      throw new Undelivered('interrupted', sent);
    }
  };
}

function forever(): Promise<never> {
  return new Promise(() => {});
}

async function readBody(answer: WireAnswer, url: URL, maxBytes: number): Promise<Uint8Array> {
  if (!isPlain(answer)) {
    throw unreadable('the answer is compressed in a way petstore did not ask for');
  }
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of answer.body) {
      length += chunk.length;
      if (length > maxBytes) throw unreadable(`the answer is longer than ${maxBytes} bytes`);
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof Undelivered) throw error;
    const [told] = headerValues(answer.headers, 'content-length');
    throw describeCut(error, url.host, length, told);
  }
  return Buffer.concat(chunks, length);
}

/** Whether the bytes are the text itself, by every field that could say otherwise. */
function isPlain({ headers }: WireAnswer): boolean {
  const codings = (name: string) =>
    headerValues(headers, name)
      .join()
      .toLowerCase()
      .split(/[\s,]+/);
  return (
    codings('content-encoding').every((coding) => coding === '' || coding === 'identity') &&
    codings('transfer-encoding').every((coding) => coding === '' || coding === 'chunked')
  );
}

function unreadable(message: string): Undelivered {
  return new Undelivered(message, true, { kind: 'service' });
}

/** What is kept of the body of a refusal, in bytes. */
const maxRefusal = 64 * 1024;

/** The status of a refusal says enough: as much of its body as comes until `over`, and no fault of it is one of ours. */
async function readRefusal(
  body: AsyncIterable<Uint8Array>,
  over: Promise<void>,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    const parts = body[Symbol.asyncIterator]();
    while (length <= maxRefusal) {
      const part = await Promise.race([parts.next(), over]);
      if (!part || part.done) break;
      chunks.push(part.value);
      length += part.value.length;
    }
  } catch {
    // Cut short: the part that came is no whole Error, and is read as none.
  }
  return Buffer.concat(chunks, length).subarray(0, maxRefusal);
}
