import { randomBytes } from 'node:crypto';
import { createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, describe } from 'vitest';
import { type reactions, startProxy } from '../support/connect-proxy.ts';
import { expect, test } from '../support/petstore.ts';
import { freePort, openServer } from '../support/ports.ts';
import { formsOf } from '../support/promises.ts';
import * as raw from '../support/raw.ts';
import { end, endless, http, reset, type Seen, say, withFields } from '../support/raw.ts';
import { listCommands } from '../support/tree.ts';
import { canary, runOnSockets } from './on-sockets.ts';

/**
 * What a service, a network or a proxy can do with bytes. What an answer means that arrives whole, whatever its status and its
 * content, is the same for every transport: commands/messages/service.txt, commands/create, output/json-text.
 */
const host = '127\\.0\\.0\\.1:\\d+';

/** How a read ends and what a create is said to be, its exit code, and how often a read is sent. */
const meanings = {
  broken: [5, 'unknown', 6, 4],
  slow: [5, 'unknown', 6, 1],
  wrong: [5, 'unknown', 6, 1],
  unread: [5, 'not_sent', 5, 1],
  failed: [5, 'unknown', 6, 4],
  moved: [5, 'refused', 5, 1],
  forbidden: [4, 'refused', 4, 1],
  limited: [75, 'refused', 75, 1],
  fine: [0, undefined, 0, 1],
} as const;
type Meaning = keyof typeof meanings;
type Row = readonly [fault: string, Meaning, raw.React, says: string, isOfReads: boolean];

function rowsOf(
  meaning: Meaning,
  says: string,
  faults: Readonly<Record<string, raw.React>>,
  isOfReads = false,
): Row[] {
  return Object.entries(faults).map(([fault, react]) => [fault, meaning, react, says, isOfReads]);
}

const json = 'content-type: application/json\r\n';
const head = `HTTP/1.1 200 OK\r\n${json}`;
const chunked = `${head}transfer-encoding: chunked\r\n\r\n`;
const most = (seen: Seen) => raw.whole(seen).subarray(0, -5);
const open = { 'content-length': [] };
const inChunks = { ...open, 'transfer-encoding': 'chunked' };
/** Deadlines that are to pass, and those that are not, on a machine that does other things too; in ms. */
const timeouts = { slow: 1_500, others: 20_000 };
const closed = `${host} closed the connection`;
const cutShort = `the response from ${host} was cut short`;
const tooSlow = `the request to ${host} timed out after 1\\.5s`;

const rows: readonly Row[] = [
  // The connection breaks or stalls once the request has left.
  ...rowsOf('broken', closed, {
    'a reset before a response': (socket) => socket.resetAndDestroy(),
    'an end before a response': end(''),
    'an end inside the status line': end('HTTP/1.1 2'),
  }),
  ...rowsOf('broken', cutShort, {
    'a reset inside the body': reset(most),
    'an end before the length that was told': end(most),
    'an end inside a chunk': end(`${chunked}40\r\n[{"id"`),
  }),
  ...rowsOf(
    'broken',
    cutShort,
    { 'a reset inside a text without length': reset((s) => http(200, s.good.slice(0, 9), open)) },
    true,
  ),
  ...rowsOf('slow', tooSlow, {
    'no response at all': () => {},
    'a body that drips': endless(`${head}content-length: 99999\r\n\r\n"`, 'a', 20),
    'announcements without end': endless('', 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(100)),
  }),
  // It is no HTTP, or another one: a row for each kind of error that undici has.
  ...rowsOf('wrong', `the response from ${host} is not valid HTTP`, {
    'random bytes': say(() => Buffer.concat([Buffer.of(0), randomBytes(999)])),
    TLS: end(Buffer.from('15030100020246', 'hex')),
    'a header of 300 KB': withFields({ 'x-huge': 'x'.repeat(300_000) }),
    'two lengths that differ': withFields({ 'Content-Length': 5 }),
    '101 to another protocol': say(
      http('101 Go', 'x', { upgrade: 'websocket', connection: 'upgrade' }),
    ),
    '101 that names no other protocol': say(http('101 Go', 'x')),
  }),
  ...rowsOf('unread', `${host} speaks only HTTP/2`, {
    'frames of HTTP/2': say(Buffer.from('00001204000000000000030000006400', 'hex')),
  }),
  // The body is not what it seems.
  ...rowsOf('wrong', 'the body is compressed, which petstore did not request', {
    'two encodings in two fields': withFields({ 'content-encoding': ['identity', 'gzip'] }),
    'gzip as a transfer encoding': say(
      http(200, '3\r\nabc\r\n0\r\n\r\n', { ...open, 'transfer-encoding': 'gzip, chunked' }),
    ),
  }),
  ...rowsOf(
    'wrong',
    'got invalid JSON',
    { 'half a JSON text, and no length': end((s) => http(200, s.good.slice(0, -3), open)) },
    true,
  ),
  ...rowsOf('failed', '\\(500', {
    'a 500 whose body is cut': end(http(500, '{"code":"x","mess', { 'content-length': 999 })),
    'a 500 without end': endless('HTTP/1.1 500 Oops\r\n\r\n', Buffer.alloc(65_536, 'x')),
    'the key in a reason phrase': say(http(`500 ${canary}`, '{}')),
  }),
  ...rowsOf('forbidden', '\\(401\\)', {
    'a 401': say(http(401, '{}')),
    'a 401 whose body drips': endless('HTTP/1.1 401 No\r\n\r\n', 'x', 20),
  }),
  ...rowsOf('moved', 'redirects to', {
    'C1 and bidi in a location': say(http(307, '', { location: 'https://x/\u009b31m' })),
    'the key in a location and a body': say(
      http(307, JSON.stringify({ code: `Bearer ${canary}` }), {
        location: `https://x/?key=${encodeURIComponent(canary)}`,
      }),
    ),
  }),
  ...rowsOf('limited', 'rate limit exceeded', {
    'a 429 whose wait is no ASCII': say(http(429, '{}', { 'retry-after': '\u009b31m' })),
  }),
  // It is strange, and no fault.
  ...rowsOf('fine', '', {
    'an end with the connection, the response whole': end((s) => http(s.status, s.good, open)),
    'chunks of one byte, with trailers': say(({ status, good }) => {
      const chunks = [...good].map((one) => `1\r\n${one}\r\n`).join('');
      return http(status, `${chunks}0\r\nx-odd: 1\r\n\r\n`, inChunks);
    }),
    'a hundred announcements first': say(
      (s) => 'HTTP/1.1 103 Hints\r\n\r\nHTTP/1.1 100 Go on\r\n\r\n'.repeat(100) + raw.whole(s),
    ),
    'a second response behind the first': say((s) => `${raw.whole(s)}${raw.whole(s)}`),
    'a wish to be kept for ever': withFields({ 'keep-alive': 'timeout=99999999999' }),
  }),
];

/** Of this import only the creates meet the fault. */
const rowsAlone = 'categories import rows.ndjson --yes --settle 2s';
/** One fault of each meaning meets all commands besides `list` and `create`; those of a new group by their first example. */
const known = /^(?:api|auth|categories|completion|config|doctor|limits|profile|sandbox)\b/;
const { verbs } = await listCommands();
const others = [
  ...verbs.flatMap(({ words, examples: [line = ''] }) => (known.test(words) ? [] : line.slice(9))),
  ...['categories get 1', 'categories diff there.ndjson', 'limits --refresh'],
  ...['api POST /categories --data {"name":"rabbit"}', rowsAlone.replace('2s', '1s'), rowsAlone],
];
const examples = new Map(rows.toReversed().map((row) => [row[1], row]));

let server: raw.RawService;
beforeAll(async () => {
  server = await raw.startRaw();
});
afterAll(() => server.close());

async function check(line: string, [, meaning, react, says]: Row): Promise<void> {
  const [ofRead, outcome, ofCreate, tries] = meanings[meaning];
  const isRows = line === rowsAlone;
  const writes = /create|POST/.test(line);
  const isFine = meaning === 'fine';
  const { url, seen } = server.at(react, { commits: isFine, listsWell: isRows });

  const run = await runOnSockets(line, url, {
    timeout: timeouts[meaning === 'slow' ? 'slow' : 'others'],
  });

  // Rows that time out may still be unknown at the end of the run, or are known as not created.
  const ofRows = [0, 75].includes(ofRead) ? [ofRead] : meaning === 'slow' ? [6, 7] : [7];
  const codes = isRows ? ofRows : [writes ? ofCreate : ofRead];
  const creates = seen.filter(({ method }) => method === 'POST').length;
  expect(codes, `${line}: ${run.stderr}`).toContain(run.exitCode);
  if (![0, 75].includes(run.exitCode) && !isRows) expect(run.stdout).toBe('');
  if (!isFine && /list$|create/.test(line)) expect(run.error.message).toMatch(new RegExp(says));
  if (meaning !== 'slow') expect(run.stderr).not.toContain('timed out after');
  if (writes) expect([creates, run.exitCode && run.error.outcome]).toEqual([1, outcome ?? 0]);
  else if (isRows) expect(creates).toBeLessThanOrEqual(6);
  else if (!isFine) expect([creates, seen.length]).toEqual([0, tries]);
  for (const { head } of seen) expect(head).toContain(`\r\nauthorization: Bearer ${canary}`);
}

describe.concurrent('a service that goes wrong', () => {
  test.for(rows)('%s is %s', async (row) => {
    const lines = ['categories list', ...(row[4] ? [] : ['categories create rabbit'])];
    for (const line of [...lines, ...(examples.get(row[1]) === row ? others : [])])
      await check(line, row);
  });
});

type Way = {
  readonly url: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly seen?: () => Buffer;
  readonly close?: () => void;
};
const plain = (react: (socket: Socket) => unknown) => async () => {
  const server = createServer((socket) => socket.once('data', () => react(socket)));
  const { port, close } = await openServer(server);
  return { url: `https://127.0.0.1:${port}/v1`, close };
};
const through = (proxy: string) => ({
  url: 'https://pets.example/v1',
  env: { HTTPS_PROXY: `http://me:open-sesame@${proxy}` },
});
const proxy = (name: keyof typeof reactions) => async () => {
  const { port, asked, seen, close } = await startProxy(name);
  const end = () => [close(), expect(asked).toHaveLength(1)];
  return { ...through(`127.0.0.1:${port}`), seen, close: end };
};
const refusing = async () => `127.0.0.1:${await freePort()}`;
const did = (what: string) => `the proxy \\S+ \\(HTTPS_PROXY\\) ${what}$`;
const unknownHost = 'nowhere\\.invalid';
const badTls = 'TLS handshake with \\S+ failed';
const silent = tooSlow.replace(host, '\\S+');
const orBypass = '\nCheck HTTPS_PROXY, or bypass';
const notLetIn = 'did not accept the user name and password \\(407\\)';
const noHttp = 'the response from the proxy \\S+ \\(HTTPS_PROXY\\) is not valid HTTP';

/** Ways to the service that end before anything of a request has left. */
const ways: readonly (readonly [way: string, open: () => Way | Promise<Way>, says: string])[] = [
  [
    'a host that nobody knows',
    () => ({ url: 'https://nowhere.invalid' }),
    `resolve ${unknownHost}`,
  ],
  ['a closed port', async () => ({ url: `https://${await refusing()}` }), `${host} refused`],
  [
    'an address that leads nowhere',
    () => ({ url: 'https://224.0.0.1/v1' }),
    '224\\.0\\.0\\.1 is unreachable',
  ],
  ['silence where TLS belongs', plain(() => {}), silent],
  ['a reset where TLS belongs', plain((socket) => socket.resetAndDestroy()), closed],
  [
    'plain HTTP where TLS belongs',
    plain((socket) => socket.write('HTTP/1.1 400 No\r\n\r\n')),
    `${badTls}\n.*plain http`,
  ],
  ['a proxy that wants a password', proxy('asksForPassword'), did(notLetIn)],
  ['a proxy that forbids', proxy('forbids'), did('refused to connect \\(403\\)')],
  ['a proxy that closes', proxy('closes'), did('closed the connection')],
  ['a proxy that never answers', proxy('tricklesHeaders'), did('does not answer')],
  ['a proxy that speaks no HTTP', proxy('garbage'), noHttp],
  ['a tunnel that hangs', proxy('hangsInTunnel'), silent],
  [
    'a tunnel that hangs, and a deadline far away',
    proxy('hangsInTunnel'),
    `connecting to pets\\.example timed out after 10s${orBypass}`,
  ],
  ['a tunnel that closes', proxy('closesInTunnel'), `example closed the connection${orBypass}`],
  ['a tunnel to plain HTTP', proxy('plainTextAtOnce'), badTls],
  [
    'a proxy that is not there',
    async () => through(await refusing()),
    did('refused the connection.*'),
  ],
  [
    'a proxy that nobody knows',
    () => through('nowhere.invalid'),
    `resolve the proxy ${unknownHost}`,
  ],
];

describe.concurrent('nothing was sent, exit 5, over', () => {
  test.for(ways)('%s', async ([, open, says]) => {
    const { url, env, seen, close } = await open();
    const isSlow = says.includes('1\\.5s') || says.includes('does not answer');
    const timeout = timeouts[isSlow ? 'slow' : 'others'];

    const run = await runOnSockets('categories create rabbit', url, { timeout, env });
    close?.();

    expect(run).toMatchObject({ exitCode: 5, stdout: '', error: { outcome: 'not_sent' } });
    expect(`${run.error.message}\n${run.error.hint}`).toMatch(new RegExp(says, 'm'));
    expect(run.stderr).not.toContain('sesame');
    const bytes = seen?.().toString('latin1') ?? '';
    expect(formsOf(canary).filter((form) => bytes.includes(form))).toEqual([]);
  });
});
