import { setMaxListeners } from 'node:events';
import { createCategory } from '../api/endpoints.ts';
import type { RateLimitHooks } from '../api/exchange.ts';
import type { Category, NewCategory } from '../api/resources.ts';
import { Failure, type ServiceError } from '../errors.ts';
import { notice } from '../events.ts';
import { quoted } from '../text/quoted.ts';
import { duration } from '../time.ts';
import type { Journal } from './journal.ts';
import type { Row } from './rows.ts';
import type { Job } from './run.ts';

/** Why sending ended before the rows did. */
export type Stop =
  | { readonly kind: 'unknowns' }
  | { readonly kind: 'failed'; readonly error: unknown };

/** What a run knows of its rows besides the journal. */
export type Progress = {
  readonly unknown: Set<number>;
  readonly refusals: Map<number, ServiceError>;
  unknownInARow: number;
};

const maxInFlight = 16;
const maxUnknownInARow = 3;
/** Older lists are fetched again before more rows are sent: another client may have created them. */
const maxListAgeMs = 3_600_000;

/** Sends rows, each once, several at a time. When something stops it, it waits for those in flight. */
export async function sendRows(
  job: Job,
  journal: Journal,
  rowsToSend: readonly number[],
  progress: Progress,
): Promise<Stop | undefined> {
  const { context, client, rows, mode } = job;
  const { unknown, refusals } = progress;
  const halt = new AbortController();
  const signal = AbortSignal.any([context.signal, halt.signal]);
  // Every row in flight listens to it; Node would warn of a leak on stderr.
  setMaxListeners(0, signal);
  const flight = createFlight(journal, { beforeCreate, isAllKnown: () => unknown.size === 0 });
  /** One iterator that all workers share. */
  const queue = triedLast(rowsToSend, journal.tried).values();
  const listedAt = context.uptime();
  let isAnySent = false;
  let stop: Stop | undefined;

  await Promise.all(Array.from({ length: maxInFlight }, work));
  return stop;

  /** Never rejects: a worker that ended early would leave the others behind. */
  async function work(): Promise<void> {
    try {
      for (const row of queue) {
        if (signal.aborted) return;
        await send(row, rows[row] as Row);
        flight.restIfPossible();
      }
    } catch (error) {
      end({ kind: 'failed', error });
    }
  }

  async function send(row: number, content: Row): Promise<void> {
    try {
      await flight.run(signal, async (hooks) => {
        const body = bodyOf(content);
        takeCreated(row, content, await client.call(createCategory, { body }, hooks));
      });
    } catch (error) {
      if (error !== halt.signal.reason) judge(row, error);
    }
  }

  /** Ends the round if the list is old. Each round sends a row, however long that one waits. */
  function beforeCreate(): void {
    const isOld = context.uptime() - listedAt > maxListAgeMs;
    if (mode === 'ensure' && isAnySent && isOld) halt.abort(new Error('the list is old'));
    halt.signal.throwIfAborted();
    isAnySent = true;
  }

  function takeCreated(row: number, { name }: Row, created: Category): void {
    const isRenamed = created.name !== name;
    journal.add({ row, id: created.id.text, ...(isRenamed && { as: created.name }) });
    progress.unknownInARow = 0;
    if (isRenamed) tell(row, `the service changed the name to ${quoted(created.name)}`);
    job.onRowDone();
  }

  function judge(row: number, error: unknown): void {
    const failure = error instanceof Failure ? error : undefined;
    if (failure?.kind === 'refused') {
      refusals.set(row, { status: 0, ...failure.details.service });
      progress.unknownInARow = 0;
      tell(row, failure.message);
      job.onRowDone();
      return;
    }
    // Only a failure can say that nothing was created.
    if (!failure || failure.details.outcome === 'unknown') takeUnknown(row, failure);
    if (failure?.kind !== 'outcome_unknown') end({ kind: 'failed', error });
    else if (progress.unknownInARow >= maxUnknownInARow) end({ kind: 'unknowns' });
  }

  function takeUnknown(row: number, failure?: Failure): void {
    unknown.add(row);
    progress.unknownInARow += 1;
    const checking = `not sent again, checking in ${duration(job.settleMs)} or later`;
    if (failure) tell(row, `${failure.message}. It may have been created; ${checking}`);
    journal.add({ row, unknown: true });
  }

  function tell(row: number, message: string): void {
    notice(job.report, `${describeRow(rows, row)}: ${message}`);
  }

  function end(reason: Stop): void {
    stop ??= reason;
    halt.abort(new Error('the import stops'));
  }
}

function bodyOf({ name, description }: Row): NewCategory {
  return { name, ...(description !== undefined && { description }) };
}

/** Names a row for messages. */
export function describeRow(rows: readonly Row[], row: number): string {
  const { line, name } = rows[row] as Row;
  return `line ${line} (${quoted(name)})`;
}

function triedLast(rows: readonly number[], tried: ReadonlySet<number>): number[] {
  return [...rows.filter((row) => !tried.has(row)), ...rows.filter((row) => tried.has(row))];
}

type FlightOptions = {
  /** Called when the limit lets a create through. If it throws, nothing is sent. */
  readonly beforeCreate: () => void;
  /** Returns false while the outcome of a row is unknown. */
  readonly isAllKnown: () => boolean;
};

/**
 * Keeps the journal's state true: `sending` is on disk before a create leaves, and `idle` once the run waits for the limit
 * with no create in flight and no outcome unknown.
 */
function createFlight(journal: Journal, { beforeCreate, isAllKnown }: FlightOptions) {
  let inFlight = 0;
  let isWaiting = false;

  return {
    async run(signal: AbortSignal, send: (hooks: RateLimitHooks) => Promise<void>): Promise<void> {
      let isSent = false;
      const land = () => {
        if (isSent) inFlight -= 1;
        isSent = false;
      };
      try {
        await send({
          signal,
          onWait() {
            // It was refused with a 429 before, or not sent yet.
            land();
            isWaiting = true;
            restIfPossible();
          },
          beforeSending() {
            beforeCreate();
            journal.setState('sending');
            isWaiting = false;
            if (!isSent) inFlight += 1;
            isSent = true;
          },
        });
      } finally {
        land();
      }
    },
    restIfPossible,
  };

  function restIfPossible(): void {
    if (isWaiting && inFlight === 0 && isAllKnown()) journal.setState('idle');
  }
}
