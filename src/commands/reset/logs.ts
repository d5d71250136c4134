import { basename, dirname, join } from 'node:path';
import type { Context } from '../../context.ts';
import { readClock } from '../../pacing/clock.ts';
import { limitStatus } from '../../pacing/limit-status.ts';
import { readLog } from '../../pacing/log.ts';
import { describeWait } from '../../pacing/words.ts';
import { inUseBy } from './in-use.ts';

/**
 * Tells why a log of a rate limit stays: without it the next command would send too early, or not know of a request that is in
 * flight. Undefined where it may go. @throws the system's error, FileFault
 */
export function createLogJudge(
  context: Context,
  paths: readonly string[],
  force: boolean,
): (path: string) => string | undefined {
  const newest = new Map<string, number>();
  for (const path of paths) {
    const { limit, number } = parsePath(path);
    newest.set(limit, Math.max(number, newest.get(limit) ?? 0));
  }

  return (path) => {
    const { limit } = parsePath(path);
    const ledger = readLog(`${limit}.${newest.get(limit)}.log`);
    const owner = Object.values(ledger.inFlight)
      .map(({ owner }) => owner)
      .find((owner) => owner && context.isRunning(owner));
    if (owner) return inUseBy(owner);
    const { wait } = limitStatus(ledger, readClock(context));
    if (!wait || force) return undefined;
    return describeWait(wait, context.now());
  };
}

/** `NAME.7.log` is the seventh file of a limit, and holds what the ones before it came to. */
function parsePath(path: string): { readonly limit: string; readonly number: number } {
  const [name = '', number] = basename(path).split('.');
  return { limit: join(dirname(path), name), number: Number(number) };
}
