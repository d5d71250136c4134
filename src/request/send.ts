import type { Context, HttpProxy, WireAnswer } from '../context.ts';
import { deadline } from '../deadline.ts';
import { Failure } from '../errors.ts';
import { formatCount } from '../time.ts';
import { describeBreakdown } from './breakdown.ts';
import { type ApiRequest, type ApiResponse, isWrite, TransportError } from './exchange.ts';
import { readLimits } from './limit-headers.ts';

/** An interrupted write waits this long for its response, because otherwise its outcome would be unknown. */
const graceMs = 5_000;
/** The body of a refusal only adds to its status, so it is cut off at these bounds. */
const maxRefusalMs = 2_000;
const maxRefusalBytes = 64 * 1024;

type Options = {
  readonly timeoutMs: number;
  readonly proxy: HttpProxy | undefined;
  /** Called when the run is interrupted while the response to a write is waited for. */
  readonly onGrace?: ((graceMs: number) => void) | undefined;
};

/** Sends a request once. A body that is streamed has `timeoutMs` for each of its pieces. Rejects with TransportError, or with the Failure of `lastCheck`. */
export async function sendOnce(
  request: ApiRequest,
  context: Context,
  options: Options,
): Promise<ApiResponse> {
  const attempt = new Attempt(request, context, options);
  const { signal } = attempt;
  const onSent = () => {
    attempt.wasSent = true;
  };
  try {
    const answer = await context.send({ ...request, proxy: options.proxy, signal, onSent });
    // A response may come before the request's body has left.
    attempt.wasSent = true;
    attempt.hasHead = true;
    const { status, headers } = answer;
    const receivedAt = context.now();
    const head = { status, headers, limits: readLimits(status, headers, receivedAt), receivedAt };
    request.onHead?.(head);
    const read = status < 300 ? readBody : readRefusal;
    const body = await read(answer, attempt);
    return { ...head, ...body, receivedAt: context.now() };
  } catch (error) {
    throw attempt.fail(error);
  }
}

/** What ends a request before its response does: its deadline, and Ctrl-C. */
class Attempt {
  wasSent = false;
  hasHead = false;
  stopTimer = () => {};
  readonly #controller = new AbortController();
  readonly signal = this.#controller.signal;

  constructor(
    readonly request: ApiRequest,
    readonly context: Context,
    readonly options: Options,
  ) {
    context.signal.addEventListener('abort', this.#interrupt);
    if (context.signal.aborted) this.#interrupt();
    else this.startTimer('the request to');
  }

  startTimer(what: string): void {
    const { timeoutMs } = this.options;
    const message = `${what} ${this.request.url.host} timed out after ${timeoutMs / 1_000}s`;
    this.giveUpIn(timeoutMs, message, 'Allow more time with --timeout.');
  }

  giveUpIn(ms: number, message: string, hint?: string): void {
    this.stopTimer();
    const details = { hint, isAway: true };
    const giveUp = () => this.#controller.abort(new TransportError(message, this.wasSent, details));
    if (ms > 0) this.stopTimer = deadline(this.context, ms, giveUp);
    else giveUp();
  }

  readonly #interrupt = () => {
    const mayBeDone = this.wasSent && isWrite(this.request.method);
    if (mayBeDone) this.options.onGrace?.(graceMs);
    this.giveUpIn(mayBeDone ? graceMs : 0, 'interrupted');
  };

  fail(error: unknown): TransportError | Failure {
    const { wasSent: sent, hasHead } = this;
    const { host } = this.request.url;
    const isKnown = error instanceof TransportError || error instanceof Failure;
    const failure = isKnown ? error : describeBreakdown(error, { host, sent, hasHead });
    this.end(failure);
    return failure;
  }

  end(reason?: unknown): void {
    this.stopTimer();
    this.context.signal.removeEventListener('abort', this.#interrupt);
    // Without a reason AbortController makes an error with a stack, and an import takes 4 % longer.
    this.#controller.abort(reason ?? null);
  }
}

type Body = Pick<ApiResponse, 'bytes' | 'isCut' | 'stream' | 'cancel'>;

async function readRefusal({ body }: WireAnswer, attempt: Attempt): Promise<Body> {
  const ms = Math.min(maxRefusalMs, attempt.options.timeoutMs);
  attempt.giveUpIn(ms, 'the refusal took too long');
  const parts: Uint8Array[] = [];
  const pieces = body[Symbol.asyncIterator]();
  const isWhole = await collect(parts, pieces, maxRefusalBytes).catch(() => false);
  attempt.end();
  return { bytes: Buffer.concat(parts).subarray(0, maxRefusalBytes), isCut: !isWhole };
}

async function readBody({ body }: WireAnswer, attempt: Attempt): Promise<Body> {
  const { maxBytes, streamAboveBytes = maxBytes } = attempt.request;
  const pieces = body[Symbol.asyncIterator]();
  const parts: Uint8Array[] = [];
  if (await collect(parts, pieces, Math.min(maxBytes, streamAboveBytes))) {
    attempt.end();
    const [only] = parts;
    return { bytes: parts.length === 1 && only ? only : Buffer.concat(parts) };
  }
  if (streamAboveBytes < maxBytes) {
    attempt.stopTimer();
    const cancel = () => attempt.end();
    return { bytes: new Uint8Array(), stream: streamPieces(parts, pieces, attempt), cancel };
  }
  const message = `the response is larger than ${formatCount(maxBytes)} bytes`;
  throw new TransportError(message, true, { kind: 'service' });
}

async function* streamPieces(
  read: Uint8Array[],
  pieces: AsyncIterator<Uint8Array>,
  attempt: Attempt,
): AsyncGenerator<Uint8Array> {
  try {
    for (let part = read.shift(); part; part = read.shift()) yield part;
    for (;;) {
      attempt.startTimer('the rest of the response from');
      const piece = await pieces.next();
      attempt.stopTimer();
      if (piece.done) return;
      yield piece.value;
    }
  } catch (error) {
    throw attempt.fail(error);
  } finally {
    attempt.end();
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
