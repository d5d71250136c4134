import { randomUUID } from 'node:crypto';
import type { Context, Engine } from '../context.ts';
import type { Cell } from '../disk/cell.ts';
import type { Reading } from './limit.ts';
import type { Snapshot } from './state.ts';
import { snapshotSchema } from './state-schema.ts';

/** Replaces only the version that the caller has seen. Returns the server's time, and what is there if it was not replaced. */
export const storeScript = `
local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
local held = redis.call('HMGET', KEYS[1], 'version', 'value')
if ARGV[2] == '' or (held[1] or '') ~= ARGV[1] then return {now, held[1] or '', held[2] or ''} end
redis.call('HSET', KEYS[1], 'version', ARGV[2], 'value', ARGV[3])
redis.call('EXPIRE', KEYS[1], ARGV[4])
return {now, ARGV[2], ''}`;

/** A store may be silent for half a second, in pieces: one timer that fires late says nothing about the store. */
const maxPieces = 5;
const pieceMs = 100;
const minLifetimeS = 25 * 3_600;

/** Returns a cell in a Redis or Valkey server, with the times of the server's clock, which all machines share. */
export function storeCell(
  engine: Engine,
  key: string,
  context: Pick<Context, 'sleep' | 'signal'>,
): Cell<Snapshot, Reading> {
  /** What another machine was first to put there. Reading it again would take a second round trip for each change. */
  let newer: Reading | undefined;
  return {
    async read() {
      const reading = newer ?? (await run(['', '', '', '']));
      newer = undefined;
      return reading;
    },
    async replace({ version }, next) {
      const { state, stamp } = next;
      const nextVersion = randomUUID();
      const waitS = Math.ceil(Math.max(0, (state.block?.until ?? 0) - stamp.at) / 1_000);
      const lifetimeS = String(minLifetimeS + waitS);
      const reading = await run([version, nextVersion, JSON.stringify(next), lifetimeS]);
      if (reading.version === nextVersion) return true;
      newer = reading;
      return false;
    },
  };

  async function run(args: readonly string[]): Promise<Reading> {
    try {
      return parseReply(await inTime(engine.run(storeScript, key, args), context));
    } catch (error) {
      // A silent connection may stay silent for many minutes, although the server is back.
      engine.drop();
      throw error;
    }
  }
}

async function inTime<Reply>(
  reply: Promise<Reply>,
  context: Pick<Context, 'sleep' | 'signal'>,
): Promise<Reply> {
  const settled = new AbortController();
  try {
    return await Promise.race([reply, timeOut(context, settled.signal)]);
  } finally {
    settled.abort();
  }
}

/** A run that was cancelled still tells the store how its requests ended, but waits for one piece only. */
async function timeOut(
  { sleep, signal }: Pick<Context, 'sleep' | 'signal'>,
  settled: AbortSignal,
): Promise<never> {
  for (let left = maxPieces; left > 0; left -= 1) {
    await sleep(pieceMs, settled);
    if (signal.aborted) break;
  }
  throw Object.assign(new Error('timed out'), { code: 'ETIMEDOUT' });
}

/** Throws if the value has another shape, since it would be merged into the file of this machine. */
function parseReply(reply: unknown): Reading {
  const [time, version, json] = Array.isArray(reply) ? reply : [];
  const now = Number(time);
  if (!Number.isSafeInteger(now) || typeof version !== 'string' || typeof json !== 'string') {
    throw new Error('unexpected reply of the script');
  }
  const value = json === '' ? undefined : snapshotSchema.parse(JSON.parse(json));
  return { value, version, clocks: { wall: now, uptime: now, boot: 'server' } };
}
