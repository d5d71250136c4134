import { setMaxListeners } from 'node:events';
import { Failure } from '../errors.ts';
import { notice } from '../events.ts';
import { pickContent } from '../fields.ts';
import { createCategory } from '../service/endpoints.ts';
import type { Category } from '../service/resources.ts';
import { quoted } from '../text/quote.ts';
import { duration } from '../time.ts';
import type { Job } from './import-rows.ts';
import { describeOlder, isNewCategory } from './lookup.ts';
import { describeRow, type Item } from './rows.ts';
import { listIsOld, Withheld } from './turn.ts';

export type StopReason =
  | { readonly kind: 'unknowns' }
  | { readonly kind: 'away'; readonly error: Failure }
  | { readonly kind: 'failed'; readonly error: unknown };

const maxInFlight = 16;
const maxUnknownInARow = 3;
export class Round {
  readonly #job: Job;
  readonly #known: Set<Category['id']>;
  readonly #halt = new AbortController();
  readonly #signal: AbortSignal;
  #stop: StopReason | undefined;
  #unknownInARow = 0;

  /** @param known ids that were listed before, to which those of the rows are added */
  constructor(job: Job, known: Set<Category['id']>) {
    this.#job = job;
    this.#known = known;
    this.#signal = AbortSignal.any([job.context.signal, this.#halt.signal]);
    // Every row in flight listens to it; Node would warn of a leak on stderr.
    setMaxListeners(0, this.#signal);
  }

  async send(items: readonly Item[]): Promise<StopReason | undefined> {
    const queue = items
      .toSorted((a, b) => Number(a.wasUnknown ?? false) - Number(b.wasUnknown ?? false))
      .values();
    await Promise.all(Array.from({ length: maxInFlight }, () => this.#work(queue)));
    return this.#stop;
  }

  /** Never rejects: a worker that ended early would leave the others behind. */
  async #work(queue: Iterable<Item>): Promise<void> {
    try {
      for (const item of queue) {
        if (this.#signal.aborted) return;
        await this.#create(item);
      }
    } catch (error) {
      this.#end({ kind: 'failed', error });
    }
  }

  async #create(item: Item): Promise<void> {
    const { client, turn } = this.#job;
    try {
      await turn.send(async (hooks) => {
        try {
          const body = pickContent(item);
          this.#takeCreated(item, await client.call(createCategory, body, hooks));
        } catch (error) {
          if (error instanceof Withheld || error === this.#halt.signal.reason) throw error;
          this.#judge(item, error);
        }
      }, this.#signal);
    } catch (error) {
      if (error === listIsOld) this.#halt.abort(error);
      else if (error !== this.#halt.signal.reason) this.#judge(item, error);
    }
  }

  #takeCreated(item: Item, category: Category): void {
    const { id, name } = category;
    const isNew = isNewCategory(category, item.name, this.#known);
    const as = name === item.name ? undefined : name;
    Object.assign(item, { fate: isNew ? 'created' : 'existing', id: String(id), as });
    this.#unknownInARow = 0;
    if (isNew) {
      this.#known.add(id);
      this.#job.turn.noteCreated(item.name, String(id));
      this.#job.ledger.add(item);
      if (as !== undefined) this.#tell(item, `the service changed the name to ${quoted(as)}`);
    } else {
      item.isMistaken = true;
      this.#tell(item, describeOlder(category));
    }
    this.#job.onRowDone();
  }

  #judge(item: Item, error: unknown): void {
    const failure = error instanceof Failure ? error : undefined;
    if (failure?.kind === 'refused') {
      const { status = 0, code, message = failure.message } = failure.details.service ?? {};
      const refusal = { status, ...(code !== undefined && { code }), message };
      Object.assign(item, { fate: 'refused', refusal });
      this.#unknownInARow = 0;
      this.#tell(item, failure.message);
      this.#job.onRowDone();
      return;
    }
    // Only a failure can say that nothing was created.
    if (!failure || failure.details.outcome === 'unknown') this.#takeUnknown(item, failure);
    if (failure?.kind === 'outcome_unknown') {
      if (this.#unknownInARow >= maxUnknownInARow) this.#end({ kind: 'unknowns' });
    } else if (failure?.details.isAway) this.#end({ kind: 'away', error: failure });
    else this.#end({ kind: 'failed', error });
  }

  #takeUnknown(item: Item, failure: Failure | undefined): void {
    Object.assign(item, { fate: 'unknown', wasUnknown: true });
    this.#unknownInARow += 1;
    const checking = `not sent again, checking in ${duration(this.#job.settleMs)} or later`;
    if (failure) this.#tell(item, `${failure.message}. It may have been created; ${checking}`);
  }

  #tell(item: Item, message: string): void {
    notice(this.#job.report, `${describeRow(item)}: ${message}`);
  }

  #end(reason: StopReason): void {
    this.#stop ??= reason;
    this.#halt.abort(new Error('the import stops'));
  }
}
