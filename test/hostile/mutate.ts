/** Random numbers that are the same for the same seed: mulberry32. */
export function randomFrom(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** What HTTP and JSON are made of, and what a terminal acts on. */
const telling = [
  ...['\r\n', '\r\n\r\n', ':', ' ', '0', '9', '-', '"', '\\', ',', '{', '}', '[', ']', 'null'],
  ...['\u001b[2J', '\u009b', '\u202e', '\u200b', '\0', '\ufeff', '\\u0000', '1e9', '\x7f'],
  ...['content-length: 5\r\n', 'transfer-encoding: chunked\r\n', 'HTTP/1.1 200 OK\r\n'],
].map((text) => Buffer.from(text));

/** The bytes with a few of them changed, lost, doubled or moved; now and then nothing but noise. */
export function mutate(bytes: Buffer, random: (below: number) => number): Buffer {
  if (random(50) === 0) return noise(random);
  let mutant = bytes;
  for (let steps = 1 + random(4); steps > 0; steps -= 1) mutant = step(mutant, random);
  return mutant;
}

function step(bytes: Buffer, random: (below: number) => number): Buffer {
  const at = random(bytes.length + 1);
  const to = Math.min(bytes.length, at + 1 + random(8));
  const [before, piece, after] = [
    bytes.subarray(0, at),
    bytes.subarray(at, to),
    bytes.subarray(to),
  ];
  const changed = [
    () => [Buffer.from([random(256)]), piece.subarray(1)],
    () => [Buffer.from([(piece[0] ?? 0) ^ (1 << random(8))]), piece.subarray(1)],
    () => [],
    () => [piece, piece],
    () => [telling[random(telling.length)] ?? piece, piece],
    () => [telling[random(telling.length)] ?? piece],
    () => [Buffer.from(piece).reverse()],
  ][random(7)];
  return Buffer.concat([before, ...(changed?.() ?? []), after]);
}

function noise(random: (below: number) => number): Buffer {
  return Buffer.from(Array.from({ length: random(300) }, () => random(256)));
}
