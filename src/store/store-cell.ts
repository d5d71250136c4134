import { randomUUID } from 'node:crypto';
import type { Context, Engine } from '../context.ts';
import { Failure, systemCode, unsentFailure } from '../errors.ts';
import type { Cell, Seen } from './cell.ts';

/**
 * Replaces only the version that the caller has seen. Returns the server's time, and what is there if it was not replaced. The run id
 * is new with each start of the server, and that of a replica that takes over is another one.
 */
export const storeScript = `
local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
local run = string.match(redis.call('INFO', 'server'), 'run_id:(%x+)')
local held = redis.call('HMGET', KEYS[1], 'version', 'value', 'run')
if ARGV[2] == '' or (held[1] or '') ~= ARGV[1] then
  return {now, held[1] or '', held[2] or '', held[3] == run and 1 or 0}
end
redis.call('HSET', KEYS[1], 'version', ARGV[2], 'value', ARGV[3], 'run', run)
redis.call('EXPIRE', KEYS[1], ARGV[4])
return {now, ARGV[2], '', 1}`;

export type Store = { readonly engine: Engine; readonly name: string };

export type Stored<Value> = Seen<Value> & {
  /** The time of the server's clock, which all machines share, in ms. */
  readonly now: number;
  /** The server has no value, or was started since it was written: a later one may be lost. */
  readonly isOutdated: boolean;
};

/** Longer than any wait: the window of a day may end in a year. */
const lifetimeS = 400 * 86_400;
/** Machines that try again at once would only get in each other's way. */
const maxBackOffMs = 200;

/** @param parse throws if the text has another shape, as that of another version, or returns undefined if nothing is lost with it */
export function storeCell<Value>(
  engine: Engine,
  key: string,
  parse: (json: string) => Value | undefined,
  { sleep, random, signal }: Pick<Context, 'sleep' | 'random' | 'signal'>,
): Cell<Value, Stored<Value>> {
  return {
    read: () => swap('', '', '', ''),
    async replace({ version }, next) {
      const nextVersion = randomUUID();
      const stored = await swap(version, nextVersion, JSON.stringify(next), String(lifetimeS));
      if (stored.version === nextVersion) return true;
      // A run that was cancelled still tells the store how its requests ended.
      await sleep(random() * maxBackOffMs, signal).catch(() => {});
      return false;
    },
  };

  async function swap(...args: readonly string[]): Promise<Stored<Value>> {
    const reply = await engine.swap(key, args);
    if (!Array.isArray(reply)) throw new Error('unexpected reply');
    const [now, version, json, isOfThisRun] = reply as [string, string, string, number];
    const value = json === '' ? undefined : parse(json);
    return { value, version, now: Number(now), isOutdated: isOfThisRun === 0 };
  }
}

/** Refusals that no wait would end, matched against "CODE MESSAGE". */
const refusals: readonly (readonly [fault: RegExp, message: string])[] = [
  [/^ (WRONGPASS|NOAUTH)/, 'wrong user name or password'],
  [/^ NOPERM/, 'its user has too few rights'],
  [/^ ERR (?!max number of clients)/, 'it refuses'],
  [/^ (Protocol error|unexpected reply)/, 'it answers, but is no Redis'],
  [/^(\w*(CERT|ISSUER|SIGNATURE|ALTNAME)|ERR_SSL_)/, 'its certificate cannot be trusted'],
];

/** Returns the failure of a command that cannot use the store. It is away unless it refuses. */
export function storeFailure(name: string, cause: unknown): Failure {
  if (cause instanceof Failure) return cause;
  const error = cause instanceof Error ? cause.message : String(cause);
  const code = systemCode(cause) ?? '';
  const [, refusal] = refusals.find(([fault]) => fault.test(`${code} ${error}`)) ?? [];
  const why = refusal ?? (code && 'unreachable');
  const message = `the shared store ${name}: ${why ? `${why} (${code || error})` : error}`;
  const hint =
    'To go on with the limit of this machine alone, set PETSTORE_SHARED_STORE=none. Run: petstore doctor';
  const isAway = refusal === undefined;
  return unsentFailure(isAway ? 'rate_limited' : 'config', message, hint, { isAway, cause });
}
