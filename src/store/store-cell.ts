import { randomUUID } from 'node:crypto';
import type { Context, Engine } from '../context.ts';
import type { Cell, Seen } from './cell.ts';

/** Replaces only the version that the caller has seen. Returns the server's time, and what is there if it was not replaced. */
export const storeScript = `
local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
local held = redis.call('HMGET', KEYS[1], 'version', 'value')
if ARGV[2] == '' or (held[1] or '') ~= ARGV[1] then return {now, held[1] or '', held[2] or ''} end
redis.call('HSET', KEYS[1], 'version', ARGV[2], 'value', ARGV[3])
redis.call('EXPIRE', KEYS[1], ARGV[4])
return {now, ARGV[2], ''}`;

/** A Redis or Valkey server, and the name to print. */
export type Store = { readonly engine: Engine; readonly name: string };

/** `now` is the time of the server's clock, which all machines share, in ms. */
export type Stored<Value> = Seen<Value> & { readonly now: number };

type Form<Value> = {
  /** Throws if the text has another shape: anyone who can write to the store may have put it there. */
  readonly parse: (json: string) => Value;
  readonly lifetimeS: (next: Value) => number;
};

/** A store may be silent for half a second, in pieces: one timer that fires late says nothing about the store. */
const maxPieces = 5;
const pieceMs = 100;
/** Doubled with each loss: 50 machines that try again at once send twice as many bytes. */
const minBackOffMs = 50;
const maxBackOffMs = 800;
const maxLosses = 50;

export function storeCell<Value>(
  engine: Engine,
  key: string,
  { parse, lifetimeS }: Form<Value>,
  context: Pick<Context, 'sleep' | 'random' | 'signal'>,
): Cell<Value, Stored<Value>> {
  const { sleep, random, signal } = context;
  /** Changes in a row that another machine was first to make. */
  let losses = 0;
  return {
    read: () => run(['', '', '', '']),
    async replace({ version }, next) {
      const nextVersion = randomUUID();
      const lifetime = String(lifetimeS(next));
      const reading = await run([version, nextVersion, JSON.stringify(next), lifetime]);
      if (reading.version === nextVersion) {
        losses = 0;
        return true;
      }
      const backOffMs = Math.min(minBackOffMs * 2 ** losses, maxBackOffMs);
      losses = (losses + 1) % maxLosses;
      if (losses === 0) throw new Error('the server never takes a value');
      // A run that was cancelled still tells the store how its requests ended.
      await sleep(random() * backOffMs, signal).catch(() => {});
      return false;
    },
  };

  async function run(args: readonly string[]): Promise<Stored<Value>> {
    try {
      return parseReply(await inTime(engine.run(storeScript, key, args), context), parse);
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

function parseReply<Value>(reply: unknown, parse: Form<Value>['parse']): Stored<Value> {
  const [time, version, json] = Array.isArray(reply) ? reply : [];
  const now = Number(time);
  if (!Number.isSafeInteger(now) || typeof version !== 'string' || typeof json !== 'string') {
    throw new Error('unexpected reply of the script');
  }
  return { value: json === '' ? undefined : parse(json), version, now };
}
