/** The ways in which HTTP tells where a body ends. */
export type Framing = 'length' | 'chunks' | 'end';

export const framings: readonly Framing[] = ['length', 'chunks', 'end'];

export const goodList = '[{"id":1,"name":"dog"},{"id":9007199254740993,"name":"犬"}]';
export const goodCategory = '{"id":7,"name":"rabbit"}';

/** A whole answer; where nothing else tells its end, the connection's end does. */
export function wholeAnswer(status: 200 | 201, body: string, framing: Framing): Buffer {
  const bytes = Buffer.from(body);
  const half = bytes.length >> 1;
  const chunk = (part: Buffer) => [`${part.length.toString(16)}\r\n`, part, '\r\n'];
  const [field, parts] = {
    length: [`content-length: ${bytes.length}\r\n`, [bytes]] as const,
    chunks: [
      'transfer-encoding: chunked\r\n',
      [...chunk(bytes.subarray(0, half)), ...chunk(bytes.subarray(half)), '0\r\n\r\n'],
    ] as const,
    end: ['connection: close\r\n', [bytes]] as const,
  }[framing];
  const head = `HTTP/1.1 ${status} OK\r\ncontent-type: application/json\r\n${field}\r\n`;
  return Buffer.concat([head, ...parts].map((part) => Buffer.from(part)));
}
