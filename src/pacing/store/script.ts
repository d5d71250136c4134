import { createHmac } from 'node:crypto';

/**
 * The name of the log of a service and key, which all machines come to by themselves: a keyed hash whose key is the API key
 * itself, the one secret that they share.
 */
export function nameInStore(address: string, key: string): string {
  const hash = createHmac('sha256', key).update(`petstore limit store 1\0${address}`);
  return `petstore:lim:${hash.digest('hex').slice(0, 32)}`;
}

/**
 * What happens in one step at the engine, which alone has a clock that all machines share. A log is one hash: `epoch` names it,
 * `base` is the ledger before line `first`, the lines up to `next` are fields of their own number, each after the time it came.
 * Who knows the log (epoch, position, time of the line before it) gets the lines since then, and may add a line, or make what it
 * folded up to its position the new base; who does not, gets the base and all lines, and nothing is added. With each line the
 * log is kept for as many seconds as are asked for, or for longer where that was asked for before (`keep`).
 */
export const storeScript = `
local key, epoch, position, stamp = KEYS[1], ARGV[1], tonumber(ARGV[2]), ARGV[3]
local line, ledger, fresh, ttl = ARGV[4], ARGV[5], ARGV[6], tonumber(ARGV[7])
local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
local log = redis.call('HMGET', key, 'epoch', 'first', 'next', 'keep')
local mine, first, next = log[1], tonumber(log[2] or 0), tonumber(log[3] or 0)
local keep = math.max(tonumber(log[4] or 0), time[1] + ttl)
if not mine then
  if epoch ~= '' then return {now, '', '0', '0'} end
  redis.call('HSET', key, 'epoch', fresh, 'first', 0, 'next', 0, 'base', ledger, 'keep', keep)
  redis.call('EXPIRE', key, keep - time[1])
  mine, epoch, position = fresh, fresh, 0
end
local known = mine == epoch and position >= first and position <= next
if known and position > 0 then
  local before = redis.call('HGET', key, position - 1)
  known = before and string.sub(before, 1, #stamp) == stamp
end
local reply = {now, mine}
if known then
  if ledger ~= '' and position > first then
    redis.call('HSET', key, 'base', ledger, 'first', position)
    for n = first - 1, position - 2 do redis.call('HDEL', key, n) end
    first = position
  end
  if line ~= '' then
    redis.call('HSET', key, next, now .. ' ' .. line, 'next', next + 1, 'keep', keep)
    redis.call('EXPIRE', key, keep - time[1])
    next = next + 1
  end
  reply[3], reply[4] = tostring(first), tostring(position)
else
  position = first
  reply[3], reply[4], reply[5] = tostring(first), tostring(first), redis.call('HGET', key, 'base')
end
reply[5] = reply[5] or 'known'
while position < next do
  local numbers = {}
  for n = position, math.min(position + 1000, next) - 1 do numbers[#numbers + 1] = n end
  for _, found in ipairs(redis.call('HMGET', key, unpack(numbers))) do reply[#reply + 1] = found end
  position = position + 1000
end
return reply
`;

/** What the script answers; `epoch` is empty where there is no log (any more). */
export type StoreReply = {
  /** The engine's time, in ms. */
  readonly now: number;
  readonly epoch: string;
  readonly first: number;
  /** The position of the first of the lines. */
  readonly position: number;
  /** The ledger before them, in JSON or empty; undefined where the client knows it, and its own line was added. */
  readonly base: string | undefined;
  readonly lines: readonly string[];
};

/** @throws Error when it is no answer of the script */
export function readReply(value: unknown): StoreReply {
  const fields: readonly unknown[] = Array.isArray(value) ? value : [];
  const [now, first, position] = [fields[0], fields[2], fields[3]].map(Number);
  const texts = fields.filter((field) => typeof field === 'string');
  const [, epoch, , , base, ...lines] = texts;
  const sound = [now, first, position].every(Number.isSafeInteger);
  if (!sound || epoch === undefined || texts.length < fields.length) {
    throw new Error('unexpected reply of the script');
  }
  const known = base === 'known' || base === undefined;
  return {
    ...({ now, first, position } as { now: number; first: number; position: number }),
    epoch,
    base: known ? undefined : base,
    lines,
  };
}
