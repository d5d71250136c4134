import { setMaxListeners } from 'node:events';
import { createCategory } from '../api/endpoints.ts';
import type { RateLimitHooks } from '../api/exchange.ts';
import type { Category, NewCategory } from '../api/resources.ts';
import { Failure, type ServiceError } from '../errors.ts';
import { notice } from '../events.ts';
import { quoted } from '../text/quoted.ts';
import { duration } from '../time.ts';
import type { Job } from './job.ts';
import type { Journal } from './journal.ts';
import { describeRow, type Row } from './rows.ts';

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

/**
 * One round of creates between two lists. It keeps the journal's state true: `sending` is on disk before a create leaves, `idle`
 * once the run waits for the limit with no create in flight and no outcome unknown.
 */
export class Round {
  readonly #job: Job;
  readonly #journal: Journal;
  readonly #progress: Progress;
  readonly #halt = new AbortController();
  readonly #signal: AbortSignal;
  readonly #listedAt: number;
  #stop: Stop | undefined;
  #inFlight = 0;
  #isAtLimit = false;
  #isAnySent = false;

  constructor(job: Job, journal: Journal, progress: Progress) {
    this.#job = job;
    this.#journal = journal;
    this.#progress = progress;
    const { signal, uptime } = job.context;
    this.#listedAt = uptime();
    this.#signal = AbortSignal.any([signal, this.#halt.signal]);
    // Every row in flight listens to it; Node would warn of a leak on stderr.
    setMaxListeners(0, this.#signal);
  }

  async send(rows: readonly number[]): Promise<Stop | undefined> {
    const { tried } = this.#journal;
    const triedLast = [
      ...rows.filter((row) => !tried.has(row)),
      ...rows.filter((row) => tried.has(row)),
    ];
    const queue = triedLast.values();
    await Promise.all(Array.from({ length: maxInFlight }, () => this.#work(queue)));
    return this.#stop;
  }

  /** Never rejects: a worker that ended early would leave the others behind. */
  async #work(queue: Iterable<number>): Promise<void> {
    try {
      for (const row of queue) {
        if (this.#signal.aborted) return;
        await this.#create(row, this.#job.rows[row] as Row);
        this.#restIfPossible();
      }
    } catch (error) {
      this.#end({ kind: 'failed', error });
    }
  }

  async #create(row: number, { name, description }: Row): Promise<void> {
    const body: NewCategory = { name, ...(description !== undefined && { description }) };
    let isInFlight = false;
    const land = () => {
      if (isInFlight) this.#inFlight -= 1;
      isInFlight = false;
    };
    const hooks: RateLimitHooks = {
      signal: this.#signal,
      onWait: () => {
        // It was not sent yet, or refused with a 429.
        land();
        this.#isAtLimit = true;
        this.#restIfPossible();
      },
      beforeSending: () => {
        this.#stopIfListIsOld();
        this.#journal.setState('sending');
        this.#isAtLimit = false;
        if (!isInFlight) this.#inFlight += 1;
        isInFlight = true;
      },
    };
    try {
      const created = await this.#job.client.call(createCategory, { body }, hooks);
      this.#takeCreated(row, name, created);
    } catch (error) {
      if (error !== this.#halt.signal.reason) this.#judge(row, error);
    } finally {
      land();
    }
  }

  /** Each round sends at least one row, however long that one waits. */
  #stopIfListIsOld(): void {
    const isOld = this.#job.context.uptime() - this.#listedAt > maxListAgeMs;
    if (this.#job.mode === 'ensure' && this.#isAnySent && isOld) {
      this.#halt.abort(new Error('the list is old'));
    }
    this.#halt.signal.throwIfAborted();
    this.#isAnySent = true;
  }

  #restIfPossible(): void {
    const isAllKnown = this.#progress.unknown.size === 0;
    if (this.#isAtLimit && this.#inFlight === 0 && isAllKnown) this.#journal.setState('idle');
  }

  #takeCreated(row: number, name: string, created: Category): void {
    const isRenamed = created.name !== name;
    this.#journal.add({ row, id: created.id.text, ...(isRenamed && { as: created.name }) });
    this.#progress.unknownInARow = 0;
    if (isRenamed) this.#tell(row, `the service changed the name to ${quoted(created.name)}`);
    this.#job.onRowDone();
  }

  #judge(row: number, error: unknown): void {
    const progress = this.#progress;
    const failure = error instanceof Failure ? error : undefined;
    if (failure?.kind === 'refused') {
      progress.refusals.set(row, { status: 0, ...failure.details.service });
      progress.unknownInARow = 0;
      this.#tell(row, failure.message);
      this.#job.onRowDone();
      return;
    }
    // Only a failure can say that nothing was created.
    if (!failure || failure.details.outcome === 'unknown') this.#takeUnknown(row, failure);
    if (failure?.kind !== 'outcome_unknown') this.#end({ kind: 'failed', error });
    else if (progress.unknownInARow >= maxUnknownInARow) this.#end({ kind: 'unknowns' });
  }

  #takeUnknown(row: number, failure: Failure | undefined): void {
    this.#progress.unknown.add(row);
    this.#progress.unknownInARow += 1;
    const checking = `not sent again, checking in ${duration(this.#job.settleMs)} or later`;
    if (failure) this.#tell(row, `${failure.message}. It may have been created; ${checking}`);
    this.#journal.add({ row, unknown: true });
  }

  #tell(row: number, message: string): void {
    notice(this.#job.report, `${describeRow(this.#job.rows, row)}: ${message}`);
  }

  #end(reason: Stop): void {
    this.#stop ??= reason;
    this.#halt.abort(new Error('the import stops'));
  }
}
