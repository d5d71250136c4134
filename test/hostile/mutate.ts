import { below, type Random } from '../support/random.ts';

/** What HTTP and JSON are made of, and what a terminal acts on. */
const telling = [
  ...['\r\n', '\r\n\r\n', ':', ' ', '0', '9', '-', '"', '\\', ',', '{', '}', '[', ']', 'null'],
  ...['\u001b[2J', '\u009b', '\u202e', '\u200b', '\0', '\ufeff', '\\u0000', '1e9', '\x7f'],
  ...['content-length: 5\r\n', 'transfer-encoding: chunked\r\n', 'HTTP/1.1 200 OK\r\n'],
].map((text) => Buffer.from(text));

/** The bytes with a few of them changed, lost, doubled or moved; now and then nothing but noise. */
export function mutate(bytes: Buffer, random: Random): Buffer {
  if (below(50, random) === 0) return noise(random);
  let mutant = bytes;
  for (let steps = 1 + below(4, random); steps > 0; steps -= 1) mutant = step(mutant, random);
  return mutant;
}

function step(bytes: Buffer, random: Random): Buffer {
  const at = below(bytes.length + 1, random);
  const to = Math.min(bytes.length, at + 1 + below(8, random));
  const [before, piece, after] = [
    bytes.subarray(0, at),
    bytes.subarray(at, to),
    bytes.subarray(to),
  ];
  const changed = [
    () => [Buffer.from([below(256, random)]), piece.subarray(1)],
    () => [Buffer.from([(piece[0] ?? 0) ^ (1 << below(8, random))]), piece.subarray(1)],
    () => [],
    () => [piece, piece],
    () => [telling[below(telling.length, random)] ?? piece, piece],
    () => [telling[below(telling.length, random)] ?? piece],
    () => [Buffer.from(piece).reverse()],
  ][below(7, random)];
  return Buffer.concat([before, ...(changed?.() ?? []), after]);
}

function noise(random: Random): Buffer {
  return Buffer.from(Array.from({ length: below(300, random) }, () => below(256, random)));
}
