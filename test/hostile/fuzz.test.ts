import { afterAll, beforeAll, expect, test } from 'vitest';
import { below, createRandom, type Random, seed, trials } from '../support/random.ts';
import { type RawService, reset, startRaw } from '../support/raw.ts';
import { runOnSockets } from './on-sockets.ts';

/** The ways in which HTTP tells where a body ends. */
const framings = ['length', 'chunks', 'end'] as const;
const list = '[{"id":1,"name":"dog"},{"id":9007199254740993,"name":"犬"}]';
const originals = framings.flatMap((framing) => [
  { line: 'categories list', bytes: respond(200, list, framing), framing },
  {
    line: 'categories create rabbit',
    bytes: respond(201, '{"id":7,"name":"rabbit"}', framing),
    framing,
  },
]);
/** How many commands run at a time. */
const width = 8;
const timeout = 600_000;

let server: RawService;
beforeAll(async () => {
  server = await startRaw();
});
afterAll(() => server.close());

test('a response that ends early is never shown or taken for certain, wherever it ends', {
  timeout,
}, async () => {
  const cuts = originals.flatMap((original, n) =>
    Array.from(original.bytes.keys())
      .filter((at) => at % 7 === n % 7)
      .map((at) => ({ ...original, at })),
  );
  await inParallel(cuts, async ({ line, bytes, at }) => {
    const part = bytes.subarray(0, at);
    const { url, seen } = server.at(at % 2 ? reset(part) : (socket) => socket.end(part));

    const run = await runOnSockets(line, url, { timeout: 20_000 });

    const creates = seen.filter(({ method }) => method === 'POST').length;
    const end = [run.exitCode, run.stdout, run.error.outcome, creates];
    const wanted = line.includes('create') ? [6, '', 'unknown', 1] : [5, '', undefined, 0];
    expect(end, `${line}: ${part}`).toEqual(wanted);
  });
});

const { numRuns } = trials(300);
test(`no mutant of a good response breaks a promise: ${numRuns} runs of seed ${seed}`, {
  timeout,
}, async () => {
  const ends: Record<number, number> = {};
  await inParallel(Array.from({ length: numRuns }).keys(), async (number) => {
    // Random numbers of its own, from a seed far from the next one, so that each run can be repeated alone.
    const random = createRandom(Math.imul(seed + number + 1, 2_654_435_761));
    const { line = '', bytes, framing } = originals[below(originals.length, random)] ?? {};
    const mutant = mutate(bytes ?? Buffer.of(), random);
    const { url, seen } = server.at((socket) => socket.end(mutant));

    const { exitCode, stdout } = await runOnSockets(line, url, { timeout: 20_000 });

    const what = `run ${number}: ${mutant.toString('latin1')}`;
    expect(seen.filter(({ method }) => method === 'POST').length, what).toBeLessThan(2);
    if (exitCode !== 0) expect(stdout, what).toBe('');
    else if (framing !== 'chunks') expect(normal(stdout), what).toBe(normal(bodyOf(mutant)));
    ends[exitCode] = (ends[exitCode] ?? 0) + 1;
  });
  // Some mutants are good responses still, and most are not: otherwise this proves nothing.
  expect(ends[0]).toBeGreaterThan(numRuns / 50);
  expect(ends[5]).toBeGreaterThan(numRuns / 5);
  expect(ends[6]).toBeGreaterThan(numRuns / 10);
});

async function inParallel<Item>(items: Iterable<Item>, work: (item: Item) => Promise<void>) {
  const left = items[Symbol.iterator]();
  const workers = Array.from({ length: width }, async () => {
    for (let next = left.next(); !next.done; next = left.next()) await work(next.value);
  });
  await Promise.all(workers);
}

function respond(status: number, text: string, framing: (typeof framings)[number]): Buffer {
  const body = Buffer.from(text);
  const chunk = (part: Buffer) => [`${part.length.toString(16)}\r\n`, part, '\r\n'];
  const parts = [...chunk(body.subarray(0, 9)), ...chunk(body.subarray(9)), '0\r\n\r\n'];
  const [field, sent] = {
    length: [`content-length: ${body.length}`, [body]],
    chunks: ['transfer-encoding: chunked', parts],
    end: ['connection: close', [body]],
  }[framing] as [string, (string | Buffer)[]];
  const head = `HTTP/1.1 ${status} OK\r\ncontent-type: application/json\r\n${field}\r\n\r\n`;
  return Buffer.concat([head, ...sent].map((part) => Buffer.from(part)));
}

/** Returns the body of the first response that is no announcement; more bytes may follow it. */
function bodyOf(bytes: Buffer): string {
  const { 0: head = '', index = 0 } =
    /HTTP\/\d\.\d (?!1\d\d).*?\r\n\r\n/s.exec(bytes.toString('latin1')) ?? {};
  const start = index + head.length;
  const [, length = bytes.length] = /^content-length: *(\d+)/im.exec(head) ?? [];
  return bytes.subarray(start, start + Number(length)).toString();
}

function normal(text: string): string {
  const json = JSON.parse(text.replace(/^\ufeff/, ''));
  return JSON.stringify(json, (name, value) => (name === 'id' ? String(value) : value));
}

/** What HTTP and JSON are made of, and what a terminal acts on. */
const telling = [
  ...['\r\n', '\r\n\r\n', ':', ' ', '0', '9', '-', '"', '\\', ',', '{', '}', '[', ']', 'null'],
  ...['\u001b[2J', '\u009b', '\u202e', '\u200b', '\0', '\ufeff', '\\u0000', '1e9', '\x7f'],
  ...['content-length: 5\r\n', 'transfer-encoding: chunked\r\n', 'HTTP/1.1 200 OK\r\n'],
].map((text) => Buffer.from(text));

/** The bytes with a few of them changed, lost, doubled or moved; now and then nothing but noise. */
function mutate(bytes: Buffer, random: Random): Buffer {
  if (below(50, random) === 0)
    return Buffer.from(Array.from({ length: below(300, random) }, () => below(256, random)));
  let mutant = bytes;
  for (let steps = 1 + below(4, random); steps > 0; steps -= 1) mutant = changeOnce(mutant, random);
  return mutant;
}

function changeOnce(bytes: Buffer, random: Random): Buffer {
  const at = below(bytes.length + 1, random);
  const to = Math.min(bytes.length, at + 1 + below(8, random));
  const piece = bytes.subarray(at, to);
  const word = telling[below(telling.length, random)] ?? piece;
  const byte = Buffer.of(below(256, random));
  const flipped = Buffer.of((piece[0] ?? 0) ^ (1 << below(8, random)));
  const rest = piece.subarray(1);
  const changes = [
    ...[[byte, rest], [flipped, rest], [], [piece, piece], [word, piece], [word]],
    [Buffer.from(piece).reverse()],
  ];
  const changed = changes[below(changes.length, random)] ?? [];
  return Buffer.concat([bytes.subarray(0, at), ...changed, bytes.subarray(to)]);
}
