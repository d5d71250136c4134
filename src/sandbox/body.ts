/** Longest body that is read, in bytes; the interface document names no limit. */
export const maxBody = 1024 * 1024;

/**
 * The bytes of a request's body, or undefined where they are more than `maxBody`: then no more than that is read, and the
 * body is left as it is, since to cancel it would end the connection before the answer.
 * `invite` is called before the first byte is read.
 * @throws when the client breaks off
 */
export async function readBody(
  { headers, body }: Request,
  invite: () => unknown,
): Promise<Uint8Array | undefined> {
  if (Number(headers.get('content-length')) > maxBody) return undefined;
  invite();
  const reader = body?.getReader();
  const parts: Uint8Array[] = [];
  let length = 0;
  while (reader) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > maxBody) return undefined;
    parts.push(value);
  }
  return Buffer.concat(parts);
}
