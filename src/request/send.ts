import type { Context, HttpProxy, WireAnswer } from '../context.ts';
import { deadline } from '../deadline.ts';
import { formatCount } from '../time.ts';
import { describeBreakdown } from './breakdown.ts';
import { type ApiRequest, type ApiResponse, isWrite, TransportError } from './exchange.ts';
import { readLimits } from './limit-headers.ts';

/** An interrupted write waits this long for its response, because otherwise its outcome would be unknown. */
const graceMs = 5_000;
/** The body of a refusal only adds to its status, so it is cut off at these bounds. */
const maxRefusalMs = 2_000;
const maxRefusalBytes = 64 * 1024;

/** Sends a request once. A body that is streamed has `timeoutMs` for each of its pieces. Rejects with TransportError. */
export async function sendOnce(
  request: ApiRequest,
  context: Context,
  timeoutMs: number,
  proxy: HttpProxy | undefined,
): Promise<ApiResponse> {
  const { host } = request.url;
  const seconds = `${timeoutMs / 1_000}s`;
  const attempt = new AbortController();
  let sent = false;
  let hasHead = false;
  let stopTimer = () => {};

  const giveUpIn = (ms: number, message: string, hint?: string) => {
    stopTimer();
    const giveUp = () => attempt.abort(new TransportError(message, sent, { hint, isAway: true }));
    if (ms > 0) stopTimer = deadline(context, ms, giveUp);
    else giveUp();
  };
  const startTimer = (message: string) =>
    giveUpIn(timeoutMs, message, 'Allow more time with --timeout.');
  const interrupt = () => {
    const mayBeDone = sent && isWrite(request.method);
    if (mayBeDone) request.onGrace?.(graceMs);
    giveUpIn(mayBeDone ? graceMs : 0, 'interrupted');
  };
  const end = () => {
    stopTimer();
    context.signal.removeEventListener('abort', interrupt);
  };
  const drop = (reason?: unknown) => {
    end();
    attempt.abort(reason);
  };
  const asTransportError = (error: unknown) => {
    if (error instanceof TransportError) return error;
    return describeBreakdown(error, { host, sent, hasHead });
  };

  context.signal.addEventListener('abort', interrupt);
  if (context.signal.aborted) interrupt();
  else startTimer(`the request to ${host} timed out after ${seconds}`);
  try {
    const onSent = () => {
      sent = true;
    };
    const { signal } = attempt;
    const answer = await context.send({ ...request, proxy, signal, onSent });
    // A response may come before the request's body has left.
    sent = true;
    hasHead = true;
    const { status, headers } = answer;
    const receivedAt = context.now();
    const head = { status, headers, limits: readLimits(headers, receivedAt), receivedAt };
    request.onHead?.(head);
    const body = await (status < 300 ? readBody(answer) : readRefusal(answer));
    return { ...head, ...body, receivedAt: context.now() };
  } catch (error) {
    const failure = asTransportError(error);
    drop(failure);
    throw failure;
  }

  async function readRefusal({ body }: WireAnswer): Promise<Pick<ApiResponse, 'bytes'>> {
    giveUpIn(Math.min(maxRefusalMs, timeoutMs), 'the refusal took too long');
    const parts: Uint8Array[] = [];
    await collect(parts, body[Symbol.asyncIterator](), maxRefusalBytes).catch(() => {});
    drop();
    return { bytes: Buffer.concat(parts).subarray(0, maxRefusalBytes) };
  }

  async function readBody({
    body,
  }: WireAnswer): Promise<Pick<ApiResponse, 'bytes' | 'stream' | 'cancel'>> {
    const { maxBytes, streamAboveBytes = maxBytes } = request;
    const pieces = body[Symbol.asyncIterator]();
    const parts: Uint8Array[] = [];
    if (await collect(parts, pieces, Math.min(maxBytes, streamAboveBytes))) {
      end();
      const [only] = parts;
      return { bytes: parts.length === 1 && only ? only : Buffer.concat(parts) };
    }
    if (streamAboveBytes < maxBytes) {
      stopTimer();
      return { bytes: new Uint8Array(), stream: streamPieces(parts, pieces), cancel: drop };
    }
    const message = `the response is larger than ${formatCount(maxBytes)} bytes`;
    throw new TransportError(message, true, { kind: 'service' });
  }

  /** Yields what was read, then what arrives. The timer is stopped while the reader is at work. */
  async function* streamPieces(
    read: Uint8Array[],
    pieces: AsyncIterator<Uint8Array>,
  ): AsyncGenerator<Uint8Array> {
    try {
      for (let part = read.shift(); part; part = read.shift()) yield part;
      for (;;) {
        startTimer(`the response from ${host} timed out: nothing more in ${seconds}`);
        const piece = await pieces.next();
        stopTimer();
        if (piece.done) return;
        yield piece.value;
      }
    } catch (error) {
      throw asTransportError(error);
    } finally {
      drop();
    }
  }
}

/** Adds pieces to `parts` until the end, or until there are more than `maxBytes`, and returns whether it was the end. */
async function collect(
  parts: Uint8Array[],
  pieces: AsyncIterator<Uint8Array>,
  maxBytes: number,
): Promise<boolean> {
  let length = 0;
  for (let piece = await pieces.next(); !piece.done; piece = await pieces.next()) {
    parts.push(piece.value);
    length += piece.value.length;
    if (length > maxBytes) return false;
  }
  return true;
}
