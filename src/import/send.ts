import { setMaxListeners } from 'node:events';
import { createCategory } from '../api/endpoints.ts';
import type { RateLimitHooks } from '../api/exchange.ts';
import type { Category } from '../api/resources.ts';
import { Failure } from '../errors.ts';
import { notice } from '../events.ts';
import { duration } from '../time.ts';
import { looseKey } from './content.ts';
import { createIntents } from './intents.ts';
import { contentOf, describeRow, type Job, keyOf } from './job.ts';

/** So many unknown outcomes are looked up before more are added. */
const mostUnknown = 40;
/** After so many in a row the service is not to be troubled any more. */
const unknownsUntilStop = 3;

/** Why sending ended before the rows did. */
export type Stop =
  | { readonly kind: 'unknowns' }
  | { readonly kind: 'failed'; readonly error: unknown };

/** After so long without a row sent, in ms, the list may show what others created: it comes first. */
const listIsOld = 180_000;

export type Streak = {
  /** Unknown outcomes in a row, by the order of their coming. */
  unknowns: number;
  /** A row was sent since the list was last asked for because it was old: where each request waits for long, rows go on. */
  mayLookAgain: boolean;
  /** The service was seen to change names that look alike into one. */
  changesNames: boolean;
};

/**
 * Sends rows, each once, several at a time, and writes down what became of each. It ends early when going on makes no sense,
 * or when outcomes should be looked up first; what is on its way then is waited for.
 * @param similar rows that look like others; they are passed over once the service was seen to change names
 */
export async function sendRows(
  job: Job,
  todo: readonly number[],
  streak: Streak,
  similar: ReadonlySet<number>,
): Promise<Stop | undefined> {
  const { context, client, journal } = job;
  const halt = new AbortController();
  const signal = AbortSignal.any([context.signal, halt.signal]);
  // All rows listen to it; Node would take more than ten listeners for a leak and warn on stderr.
  setMaxListeners(0, signal);
  /** Content that may exist already, though nobody knows: a row of the same content has to wait. */
  const uncertain = new Set<string>();
  let unknowns = 0;
  let sentAt = context.uptime();
  let stop: Stop | undefined;
  const intents = createIntents(job, todo, mayBeSent);

  await Promise.all(Array.from({ length: job.concurrency }, work));
  // What was not sent is not in flight.
  intents.withdraw();
  return stop;

  async function work(): Promise<void> {
    while (!signal.aborted && unknowns < mostUnknown) {
      const row = intents.take();
      if (row === undefined) return;
      if (mayBeSent(row)) await send(row);
      else intents.drop(row);
    }
  }

  function mayBeSent(row: number): boolean {
    if (streak.changesNames && similar.has(row)) return false;
    return uncertain.size === 0 || !uncertain.has(keyOf(job, row));
  }

  async function send(row: number): Promise<void> {
    const body = contentOf(job, row);
    const turn: RateLimitHooks = {
      signal,
      beforeSending: () => intend(row),
      onReturned: () => withdraw(row),
      onWait: putOff,
      onResponse: ({ limits }) => intents.allow(limits.rateLimit?.remaining ?? 0),
    };
    try {
      created(row, await client.call(createCategory, { body }, turn));
    } catch (error) {
      settle(row, error);
    }
  }

  /** No byte leaves before it is on the disk that one may. */
  async function intend(row: number): Promise<void> {
    refuseOldList();
    await intents.write(row);
  }

  /** Rows that wait for the limit are not in flight, and what became of the others lasts. */
  function putOff(): void {
    intents.withdraw();
    // A failure is that of the next one as well, which is awaited.
    journal.commit().catch(() => {});
  }

  /** Nothing was sent after all, and the wait for another turn may be long. */
  async function withdraw(row: number): Promise<void> {
    journal.add({ k: 'n', row });
    await journal.commit();
  }

  /** @throws the reason of `halt` when the list should be asked for first */
  function refuseOldList(): void {
    const now = context.uptime();
    const old = job.mode === 'ensure' && now - sentAt > listIsOld;
    sentAt = now;
    if (old && streak.mayLookAgain) {
      streak.mayLookAgain = false;
      halt.abort(new Error('the list is old'));
    } else if (!halt.signal.aborted) {
      streak.mayLookAgain = true;
    }
    halt.signal.throwIfAborted();
  }

  function created(row: number, { id, name }: Category): void {
    const asked = contentOf(job, row).name;
    const changed = name !== asked;
    streak.changesNames ||= changed && looseKey(name) === looseKey(asked);
    journal.add({ k: 'd', row, id: id.text, via: '201', ...(changed && { as: name }) });
    streak.unknowns = 0;
    job.onSettled();
  }

  function settle(row: number, error: unknown): void {
    const failure = error instanceof Failure ? error : undefined;
    if (failure?.details.outcome === 'unknown') unknown(row, failure);
    else if (failure?.kind === 'refused') refused(row, failure);
    else ended(row, error, failure !== undefined || error === halt.signal.reason);
  }

  /** @param unsent whether it surely left nothing behind: only what nobody foresaw may have */
  function ended(row: number, error: unknown, unsent: boolean): void {
    intents.drop(row);
    if (unsent && journal.state.open.has(row)) journal.add({ k: 'n', row });
    if (error !== halt.signal.reason) end({ kind: 'failed', error });
  }

  function unknown(row: number, failure: Failure): void {
    journal.add({ k: 'u', row, at: context.now() });
    uncertain.add(keyOf(job, row));
    unknowns += 1;
    streak.unknowns += 1;
    const message = `${describeRow(job, row)}: ${failure.message}. It may have been created; not sent again, checking in ${duration(job.settle)} or later`;
    notice(job.report, message);
    if (failure.kind === 'interrupted') end({ kind: 'failed', error: failure });
    else if (streak.unknowns >= unknownsUntilStop) end({ kind: 'unknowns' });
  }

  function refused(row: number, failure: Failure): void {
    journal.add({ k: 'r', row, status: 0, ...failure.details.service });
    streak.unknowns = 0;
    notice(job.report, `${describeRow(job, row)}: ${failure.message}`);
    job.onSettled();
  }

  function end(reason: Stop): void {
    stop ??= reason;
    halt.abort(new Error('the import stops'));
  }
}
