import { randomUUID } from 'node:crypto';
import type { Context } from '../context.ts';
import { Failure, Interruption, nothingSent } from '../errors.ts';
import type { Report } from '../events.ts';
import { Obstacle, waitFor, waitForOthers, waitWhileAway } from '../request/wait.ts';
import { change } from '../store/cell.ts';
import type { Stored } from '../store/store-cell.ts';
import {
  type Holder,
  maxUnusedMs,
  openTurnCell,
  type TurnAddress,
  type TurnCell,
  type TurnValue,
  waitForHolder,
} from './turn-cell.ts';

type Options = TurnAddress & {
  readonly doing: Holder['doing'];
  readonly maxWaitMs: number;
  readonly report: Report;
};

const beatMs = 5_000;
/** A create leaves only within this time of a beat. */
export const maxBeatAgeMs = 10_000;
/** Who does not beat for this time is taken for dead. It is more than a create needs after its last check. */
const maxSilenceMs = 30_000;
/** A machine that slept has watched nobody meanwhile. */
const maxLookMs = 2_000;
/** Within this time the holder puts itself back into a store that has lost it. By then it sends nothing that was not confirmed. */
const maxPutBackMs = 12_000;
const spaceHint =
  'Free some disk space or set another folder (PETSTORE_STATE_DIR), then run the same command again.';

/** Rejects a create at its last moment: nothing was sent. */
const notConfirmed = new Error('the turn is not confirmed');

/** The turn of this process to create by name, as long as it beats. It may be given back, and taken again. */
export class Turn {
  /** False once a list has shown all that others created before we took the turn. */
  hasNews = true;
  /** The version before our list, if nothing was under way then. */
  #lookedAt: string | undefined;
  /** When somebody was last heard of, by our uptime, whose creates may still be carried out. */
  predecessorSeenAt: number | undefined;
  readonly #context: Context;
  readonly #options: Options;
  readonly #cell: TurnCell;
  readonly #self: Holder;
  #watched: { version?: string; lookedAt: number; silentMs: number } = { lookedAt: 0, silentMs: 0 };
  #isHeld = false;
  #isLost = false;
  #taking: Promise<void> | undefined;
  #telling: Promise<void> | undefined;
  #releasing: Promise<void> | undefined;
  #released = new AbortController();
  #confirmedAt = Number.NEGATIVE_INFINITY;
  /** What the ones before have left unsettled. */
  #inherited: number | undefined;
  #mayHaveSent = false;
  /** The cell knows that. */
  #isTold = false;

  constructor(context: Context, options: Options) {
    const { doing } = options;
    this.#context = context;
    this.#options = options;
    this.#cell = openTurnCell(context, options);
    this.#self = { id: randomUUID(), owner: context.owner, doing, since: 0 };
  }

  /** Call it before a list. If nobody had the turn between the two calls, the list still counts when it is taken. */
  async look(): Promise<void> {
    const read = async () => this.#cell.read();
    const { value, version, isOutdated } = await this.#wait(this.#context.signal, read);
    const isSettled = !isOutdated && value?.unsettledAt === undefined;
    this.#lookedAt = isSettled ? version : undefined;
  }

  /** Waits until no other process creates by name at the service, unless this one has the turn. */
  async take(signal = this.#context.signal): Promise<void> {
    this.#throwIfLost();
    if (this.#isHeld) return;
    this.#taking ??= this.#wait(signal, () => this.#tryToTake()).finally(() => {
      this.#taking = undefined;
    });
    await this.#taking;
  }

  async #tryToTake(): Promise<Obstacle | undefined> {
    const { uptime } = this.#context;
    const askedAt = uptime();
    const found = await change(this.#cell, (seen) => this.#decide(seen));
    if (found instanceof Obstacle) return found;
    const { holder, unsettledAt } = found.value ?? {};
    const isOurs = holder?.id === this.#self.id && holder.hasEnded;
    if (!isOurs) this.hasNews = found.isOutdated || found.version !== this.#lookedAt;
    if (unsettledAt !== undefined) {
      const ageMs = measureAge(unsettledAt, found.now, this.#watched.silentMs);
      this.predecessorSeenAt = uptime() - ageMs;
    }
    this.#inherited = unsettledAt;
    this.#isHeld = true;
    this.#confirmedAt = askedAt;
    this.#released = new AbortController();
    this.#beat(this.#released.signal).catch(() => {});
    return undefined;
  }

  /** Takes the turn if nobody has it, or if its holder can no longer send a create. Returns what was there. */
  #decide(
    seen: Stored<TurnValue>,
  ): readonly [next: TurnValue | undefined, found: Obstacle | Stored<TurnValue>] {
    const { value: { holder, unsettledAt } = {}, version, now, isOutdated } = seen;
    const silentMs = this.#watch(version);
    if (isOutdated && silentMs < maxPutBackMs) {
      const why = 'the shared store does not know yet whose turn it is';
      return [undefined, waitForOthers({ reason: 'claimed', why, next: 'creating' }, undefined)];
    }
    // It is ours also if the reply to an earlier try was lost.
    const isOurs = isOutdated || holder?.id === this.#self.id;
    if (holder && !isOurs && this.#isLiving(holder, silentMs)) {
      return [undefined, waitForHolder(holder)];
    }
    return [createValue({ ...this.#self, since: now }, unsettledAt), seen];
  }

  #isLiving({ owner, hasEnded }: Holder, silentMs: number): boolean {
    // Of machines that share a store, two may have one name; `born` tells them apart.
    const isSeen = !this.#cell.store || owner.born !== undefined;
    const isGone = isSeen && this.#context.isRunning(owner) === false;
    return !hasEnded && !isGone && silentMs < maxSilenceMs;
  }

  /** Returns for how long we have seen no change. */
  #watch(version: string): number {
    const lookedAt = this.#context.uptime();
    const last = this.#watched;
    const sinceLastMs = Math.min(maxLookMs, lookedAt - last.lookedAt);
    const silentMs = version === last.version ? last.silentMs + sinceLastMs : 0;
    this.#watched = { version, lookedAt, silentMs };
    return silentMs;
  }

  async #beat(released: AbortSignal): Promise<void> {
    for (;;) {
      await this.#context.sleep(beatMs, released);
      // After a failure, the next create renews it.
      await this.#renew().catch(() => {});
    }
  }

  /** A place that has lost its values gets this one again. */
  async #renew(): Promise<void> {
    const askedAt = this.#context.uptime();
    const isTaken = await change(this.#cell, ({ value: { holder } = {}, now, isOutdated }) => {
      const isOurs = isOutdated || !holder || (holder.id === this.#self.id && !holder.hasEnded);
      const isTaken = !isOurs;
      if (!this.#isHeld || isTaken) return [undefined, isTaken];
      const unsettledAt = this.#mayHaveSent ? now : this.#inherited;
      return [createValue({ ...this.#self, since: holder?.since ?? now }, unsettledAt), false];
    });
    if (!this.#isHeld) return;
    if (isTaken) this.#lose();
    else this.#confirmedAt = askedAt;
  }

  #lose(): void {
    this.#isLost = true;
    this.#isHeld = false;
    this.#released.abort();
  }

  #throwIfLost(): void {
    if (!this.#isLost) return;
    throw new Failure('output', 'another petstore process has taken the turn to create', {
      consequence:
        'This run was suspended, or did not reach the shared store, for more than half a minute. It sends nothing more.',
      hint: 'Run the same command again: it waits for the other process.',
    });
  }

  /**
   * Sends a create that calls `confirm` at its last moment. If the turn was given back it takes it again; while a store is away it waits.
   */
  async send<Result>(create: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    for (;;) {
      try {
        return await create();
      } catch (error) {
        if (error !== notConfirmed) throw error;
      }
      if (this.#isHeld) await this.#wait(signal, () => this.#renew());
      else await this.take(signal);
    }
  }

  /** Rejects unless it has just been confirmed that the turn is ours, and that a create may be under way. */
  async confirm(): Promise<void> {
    this.#throwIfLost();
    if (!this.#isHeld) throw notConfirmed;
    if (this.#isTold && !this.#isOld()) return;
    this.#mayHaveSent = true;
    this.#telling ??= this.#renew().finally(() => {
      this.#telling = undefined;
    });
    await this.#telling.catch(() => {
      throw notConfirmed;
    });
    this.#throwIfLost();
    if (!this.#isHeld || this.#isOld()) throw notConfirmed;
    this.#isTold = true;
  }

  #isOld(): boolean {
    return this.#context.uptime() - this.#confirmedAt > maxBeatAgeMs;
  }

  /** Repeats a step until nothing is in its way. */
  #wait<Result>(signal: AbortSignal, step: () => Promise<Result | Obstacle>): Promise<Result> {
    const { explain } = this.#cell;
    const tryStep = () =>
      step().catch((error: unknown) => waitWhileAway(explain(error), 'creating'));
    const { maxWaitMs, report } = this.#options;
    const until = this.#context.uptime() + maxWaitMs;
    return waitFor(this.#context, { report, signal, until }, tryStep).catch((error) => {
      throw asUnsent(error);
    });
  }

  /** Call it when a list has shown what became of all that was sent, and what others have created. */
  async afterList(): Promise<void> {
    this.hasNews = false;
    this.predecessorSeenAt = undefined;
    await this.rest();
  }

  /** Call it when each create that was sent has had its response. Never throws: the next beat says it, too. */
  async rest(): Promise<void> {
    if (!this.#mayHaveSent && this.#inherited === undefined) return;
    this.#isTold = false;
    this.#mayHaveSent = false;
    this.#inherited = undefined;
    await this.#renew().catch(() => {});
  }

  /** Never throws. If anything that was sent is unsettled, the next process waits. */
  async release(isUnsettled: boolean): Promise<void> {
    if (!this.#isHeld) return this.#releasing;
    const left = isUnsettled && this.#mayHaveSent;
    this.#isHeld = false;
    this.#isTold = false;
    this.#mayHaveSent = false;
    this.#released.abort();
    this.#releasing = change(this.#cell, ({ value, now }) => {
      // By now it may have been taken again.
      if (this.#isHeld || value?.holder?.id !== this.#self.id) return [undefined, undefined];
      const unsettledAt = left ? now : this.#inherited;
      return [createValue({ ...value.holder, hasEnded: true }, unsettledAt), undefined];
    }).catch(() => {});
    await this.#releasing;
  }
}

function asUnsent(error: unknown): unknown {
  if (error instanceof Interruption) return error.with(nothingSent);
  if (!(error instanceof Failure) || error.kind !== 'output') return error;
  return error.with({ ...nothingSent, hint: spaceHint, ...error.details, outcome: 'not_sent' });
}

function createValue(holder: Holder, unsettledAt: number | undefined): TurnValue {
  return { v: 2, holder, unsettledAt };
}

/** Only the time that we have watched counts if a clock was set. */
function measureAge(moment: number, now: number, watchedMs: number): number {
  const ageMs = now - moment;
  return ageMs >= 0 && ageMs < maxUnusedMs ? ageMs : watchedMs;
}
