import type { Context, HttpProxy, WireAnswer } from '../context.ts';
import { deadline } from '../deadline.ts';
import { readRefusal, readWhole } from './body.ts';
import { describeBreakdown } from './breakdown.ts';
import {
  type Answer,
  type ApiRequest,
  type Exchange,
  headerValues,
  Undelivered,
} from './exchange.ts';
import { mayChange } from './method.ts';
import { describeNoTunnel, isNoTunnel } from './no-tunnel.ts';
import { readLimits } from './rate-limit.ts';
import { createWatch } from './watch.ts';

/** How long the rest of a refusal is waited for, in ms. */
const patience = 2_000;
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
  /** Of attempts that have ended well, unused: making one takes as long as parsing a response. */
  const spare: AbortController[] = [];

  return async (request) => {
    const sentAt = context.now();
    const attempt = spare.pop() ?? new AbortController();
    const ends: (() => void)[] = [];
    let sent = false;
    const onSent = () => {
      sent = true;
      request.onSent?.();
    };
    const answer = transmit();
    // The race may be over before it fails; then nobody listens any more.
    answer.catch(() => {});
    const givenUp = new Promise<never>((_, reject) => {
      const interrupted = () => void interruption().catch(reject);
      ends.push(watch({ tooLate: () => reject(tooLate()), interrupted }));
    });
    let taken = false;
    let lasts = false;
    try {
      const whole = await Promise.race([answer, givenUp]);
      taken = whole.status < 300;
      lasts = whole.rest !== undefined;
      return whole;
    } finally {
      for (const end of ends) end();
      // Nothing of a whole answer is left to end, and the rest of a long one is ended by its reader.
      if (!taken) attempt.abort(over);
      else if (!lasts) spare.push(attempt);
    }

    async function transmit(): Promise<Answer> {
      const { method, url, headers, body, stillGranted } = request;
      const { signal } = attempt;
      const wire = { method, url, proxy, headers, body, signal, stillGranted, onSent };
      try {
        const answer = await context.send(wire);
        onSent();
        const { status, headers } = answer;
        const receivedAt = context.now();
        const limits = readLimits(headers, receivedAt);
        request.onHead?.({ status, headers, limits, sentAt, receivedAt });
        const read =
          status < 300
            ? await readBody(answer, request)
            : { bytes: await readRefusal(answer.body, pause(Math.min(patience, timeout / 2))) };
        return { status, headers, limits, ...read, sentAt, receivedAt: context.now() };
      } catch (error) {
        if (error instanceof Undelivered) throw error;
        const { host } = url;
        if (proxy && isNoTunnel(error)) throw describeNoTunnel(error, { host, proxy });
        throw describeBreakdown(error, host, sent);
      }
    }

    async function readBody(
      answer: WireAnswer,
      request: ApiRequest,
    ): Promise<Pick<Answer, 'bytes' | 'rest'>> {
      const body = answer.body[Symbol.asyncIterator]();
      const { host } = request.url;
      const [contentLength] = headerValues(answer.headers, 'content-length');
      const { parts, length, more } = await readWhole(answer, body, {
        host,
        contentLength,
        ...request,
      });
      const [only] = parts;
      if (!more) return { bytes: only?.length === length ? only : Buffer.concat(parts, length) };
      const { restOf } = await import('./rest.ts');
      const close = () => attempt.abort(over);
      const reading = {
        context,
        timeout,
        host,
        contentLength,
        read: parts,
        received: length,
        close,
      };
      return { bytes: new Uint8Array(), rest: restOf(body, reading) };
    }

    /** Ends with the attempt. */
    function pause(ms: number): Promise<void> {
      return new Promise((resolve) => ends.push(deadline(context.sleep, ms, resolve)));
    }

    function tooLate(): Undelivered {
      const waited = `the request to ${request.url.host} timed out after ${timeout / 1_000}s`;
      return new Undelivered(waited, sent, { hint: 'Allow more time: --timeout 60s' });
    }

    async function interruption(): Promise<never> {
      if (sent && mayChange(request.method)) await pause(graceForWrites);
      throw new Undelivered('interrupted', sent);
    }
  };
}
