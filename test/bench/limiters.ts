import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, createServer, type IncomingHttpHeaders, request as send } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { environment } from './home.ts';
import * as fronts from './limiters/fronts.ts';
import { type Front, type Limiter, limit, listen, windowMs } from './limiters/fronts.ts';

/**
 * petstore against limiters that others wrote, in their usual configuration: an import of 40 rows, five loops that create 30, and an
 * import that is killed and resumed. `npm run bench:limiters -- FOLDER [NAME …]`: the folder has the packages of npm.
 * PETSTORE_BENCH_PROGRAM is another petstore.js than that of this checkout.
 */
const [parts = '', ...wanted] = process.argv.slice(2);
const program = resolve(process.env.PETSTORE_BENCH_PROGRAM ?? 'bin/petstore.js');
const rows = Array.from({ length: 40 }, (_, n) => `row-${n}`);
const loops = Array.from({ length: 30 }, (_, n) => `loop-${n}`);
const maxRunMs = 600_000;
const together = 6;
/** A request that left before the refusal arrived may arrive so much later. */
const inTransitMs = 60;

type Bar = { readonly refused: number; readonly ratio: number };
type Row = readonly [name: string, limiter: Limiter, ideal: (requests: number) => number, bar: Bar];

const byWindow = (requests: number) => (Math.ceil(requests / limit) - 1) * windowMs;
const byToken = (requests: number) => Math.max(0, ((requests - limit) * windowMs) / limit);
const truthful = { refused: 0, ratio: 2 };
const silent = { refused: 3, ratio: 2.6 };
const forbidding = { refused: 8, ratio: 2.2 };

const table: readonly Row[] = [
  ['express-rate-limit', fronts.expressRateLimit, byWindow, truthful],
  ['@fastify/rate-limit', fronts.fastifyRateLimit, byWindow, truthful],
  ['@fastify/rate-limit, 0 to 2 s away', fronts.fastifyRateLimit, byWindow, truthful],
  ['koa-ratelimit in memory', fronts.koaInMemory, byWindow, truthful],
  ['koa-ratelimit on Redis', fronts.koaOnRedis, byWindow, truthful],
  ['rate-limiter-flexible', fronts.flexible, byWindow, truthful],
  ['NestJS throttler', fronts.nestThrottler, byWindow, { refused: 2, ratio: 2 }],
  ['GitHub-like 403', fronts.gitHub, byWindow, forbidding],
  ['Cloudflare-like 403', fronts.cloudflare, byWindow, forbidding],
  ['nginx limit_req', fronts.nginx, byToken, silent],
  ['HAProxy stick table', fronts.haproxy, byWindow, silent],
  ['token bucket without headers', fronts.silentBucket, byToken, silent],
  ['token bucket with Retry-After', fronts.bucketThatTells, byToken, { refused: 5, ratio: 2.6 }],
  ['three at once', fronts.threeAtOnce, (n) => (n * 200) / 3, { refused: 3, ratio: 9 }],
  ['headers that say too much', fronts.saysTooMuch, byWindow, { refused: 12, ratio: 2.6 }],
  ['used up by others', fronts.usedUp, () => 6 * windowMs, { refused: 6, ratio: 2.2 }],
];

const workloads = { import: importOnce, loops: runLoops, killed: importTwice };
type Workload = keyof typeof workloads;

type Sent = {
  readonly at: number;
  answeredAt: number;
  status: number;
  headers: IncomingHttpHeaders;
};
type Outcome = {
  readonly refused: number;
  readonly inside: number;
  readonly left: number;
  readonly twice: number;
  readonly ratio: number;
};

let isBroken = false;
const queue = table
  .filter(([name]) => wanted.length === 0 || wanted.some((start) => name.startsWith(start)))
  .values();
console.log('| Limiter | 429s | inside a wait | left | twice | time / ideal |');
console.log('|---|---|---|---|---|---|');
await Promise.all(Array.from({ length: together }, runRows));
process.exitCode = isBroken ? 1 : 0;
// A limiter may keep a timer.
setTimeout(() => process.exit(), 1_000).unref();

async function runRows(): Promise<void> {
  for (const row of queue) {
    try {
      console.log(await runRow(row));
    } catch (error) {
      console.log(`| ${row[0]} | skipped: ${missing(error)} | | | | |`);
    }
  }
}

async function runRow(row: Row): Promise<string> {
  const [name, , , bar] = row;
  const outcomes: Outcome[] = [];
  for (const workload of Object.keys(workloads)) {
    outcomes.push(await run(row, workload as Workload));
  }
  const [imported] = outcomes as [Outcome];
  const isOver =
    imported.refused > bar.refused ||
    imported.ratio > bar.ratio ||
    outcomes.some(({ inside, left, twice }) => inside + left + twice > 0);
  isBroken ||= isOver;
  const column = (key: keyof Outcome, digits = 0) =>
    outcomes.map((outcome) => outcome[key].toFixed(digits)).join(' / ');
  const cells = [column('refused'), column('inside'), column('left'), column('twice')];
  return `| ${name}${isOver ? ' (over its bar)' : ''} | ${cells.join(' | ')} | ${column('ratio', 1)} |`;
}

async function run([name, limiter, ideal]: Row, workload: Workload): Promise<Outcome> {
  const home = mkdtempSync(join(tmpdir(), 'petstore-limiters-'));
  const created: string[] = [];
  const handle = (method: string, body: string) => {
    if (method === 'GET') return [200, created.map((name, id) => ({ id, name }))] as const;
    const { name } = JSON.parse(body);
    created.push(name);
    return [201, { id: created.length - 1, name }] as const;
  };
  const front = await limiter({ handle, folder: home, parts: resolve(parts) });
  const requests: Sent[] = [];
  const recorder = await record(front, requests, name.includes('away') ? 1_000 : 0);
  const names = workload === 'loops' ? loops : rows;
  const env = environment(home, {
    url: `http://127.0.0.1:${recorder.port}/v1`,
    key: 'a-key-of-16-chars',
  });
  mkdirSync(join(home, 'config'), { mode: 0o700 });
  writeFileSync(join(home, 'rows.csv'), `name\n${rows.join('\n')}\n`);
  try {
    await workloads[workload](env, join(home, 'rows.csv'), created);
  } finally {
    recorder.close();
    await front.close();
    rmSync(home, { recursive: true, force: true, maxRetries: 10 });
  }
  const span = (requests.at(-1)?.answeredAt ?? 0) - (requests[0]?.at ?? 0);
  const refusals = requests.filter(({ status }) => status === 429 || status === 403);
  return {
    refused: refusals.length,
    inside: requests.filter(({ at }) => refusals.some((refusal) => isInside(at, refusal))).length,
    left: names.filter((name) => !created.includes(name)).length,
    twice: created.length - new Set(created).size,
    // An import lists before and after.
    ratio: span / ideal(names.length + (workload === 'loops' ? 0 : 2)),
  };
}

function isInside(at: number, { answeredAt, headers }: Sent): boolean {
  const waitMs = Number(headers['retry-after'] ?? 0) * 1_000;
  return at > answeredAt + inTransitMs && at < answeredAt + waitMs;
}

type Environment = Record<string, string>;

async function importOnce(env: Environment, file: string): Promise<void> {
  await finish(startImport(env, file));
}

async function importTwice(env: Environment, file: string, created: string[]): Promise<void> {
  const first = startImport(env, file);
  const ended = finish(first);
  while (created.length < 15 && first.exitCode === null) await pause(20);
  first.kill('SIGKILL');
  await ended;
  await finish(startImport(env, file));
}

async function runLoops(env: Environment): Promise<void> {
  const names = loops.values();
  const loop = async () => {
    for (const name of names) await finish(spawnPetstore(env, ['create', name]));
  };
  await Promise.all(Array.from({ length: 5 }, loop));
}

function startImport(env: Environment, file: string): ChildProcess {
  return spawnPetstore(env, ['import', file, '--yes', '--settle', '1s']);
}

function spawnPetstore(env: Environment, args: string[]): ChildProcess {
  const argv = [program, 'categories', ...args, '--quiet', '--max-wait', 'inf'];
  return spawn(process.execPath, argv, { env, stdio: ['ignore', 'ignore', 'pipe'] });
}

async function finish(child: ChildProcess): Promise<void> {
  const timer = setTimeout(() => child.kill('SIGKILL'), maxRunMs);
  const [stderr] = await Promise.all([text(child.stderr as Readable), once(child, 'close')]);
  clearTimeout(timer);
  if (process.env.PETSTORE_BENCH_VERBOSE && stderr) console.error(stderr);
}

/** Passes requests on to a limiter, up to twice `latencyMs` away, and records them. */
async function record({ port }: Front, requests: Sent[], latencyMs: number): Promise<Front> {
  const agent = new Agent({ keepAlive: true });
  const travel = () => pause(Math.random() * latencyMs);
  const server = createServer(async (incoming, outgoing) => {
    const sent: Sent = { at: Date.now(), answeredAt: 0, status: 0, headers: {} };
    requests.push(sent);
    const { method, url: path, headers } = incoming;
    const body = await buffer(incoming);
    await travel();
    const onward = send(
      { agent, port, host: '127.0.0.1', method, path, headers },
      async (answer) => {
        const bytes = await buffer(answer);
        await travel();
        sent.status = answer.statusCode ?? 0;
        sent.headers = answer.headers;
        sent.answeredAt = Date.now();
        outgoing.writeHead(sent.status, answer.headers).end(bytes);
      },
    );
    onward.on('error', () => outgoing.destroy());
    onward.end(body);
  });
  const front = await listen(server);
  return { ...front, close: () => [front.close(), agent.destroy()] };
}

function missing(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException;
  const [first = ''] = message.split('\n');
  return code === 'MODULE_NOT_FOUND' || code === 'ENOENT' ? `${first}` : `failed: ${first}`;
}
