import type { WireAnswer } from '../context.ts';
import { formatCount } from '../time.ts';
import { describeCut } from './breakdown.ts';
import { type ApiRequest, headerValues, Undelivered } from './exchange.ts';

type Bounds = Pick<ApiRequest, 'maxBytes' | 'restAbove'> & {
  readonly host: string;
  readonly contentLength: string | undefined;
};

/** The parts of the whole body; or of as much of it as there may be before all is handed on as it comes. */
export async function readWhole(
  answer: WireAnswer,
  body: AsyncIterator<Uint8Array>,
  { host, contentLength, maxBytes, restAbove }: Bounds,
): Promise<{ readonly parts: Uint8Array[]; readonly length: number; readonly more: boolean }> {
  if (!isPlain(answer)) {
    throw unreadable('unexpected response: expected no compression, got a compressed body');
  }
  const parts: Uint8Array[] = [];
  let length = 0;
  const more = () => restAbove !== undefined && length > restAbove;
  try {
    for (let part = await body.next(); !part.done; part = await body.next()) {
      length += part.value.length;
      parts.push(part.value);
      if (more()) break;
      if (length > maxBytes)
        throw unreadable(`the response is larger than ${formatCount(maxBytes)} bytes`);
    }
  } catch (error) {
    if (error instanceof Undelivered) throw error;
    throw describeCut(error, host, length, contentLength);
  }
  return { parts, length, more: more() };
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
export async function readRefusal(
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
