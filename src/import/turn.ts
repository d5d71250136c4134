import { randomUUID } from 'node:crypto';
import type { Context } from '../context.ts';
import { Interruption, nothingSent } from '../errors.ts';
import type { Report } from '../events.ts';
import type { RateLimitHooks } from '../request/exchange.ts';
import { Obstacle, waitFor, waitWhileAway } from '../request/wait.ts';
import { change } from '../store/cell.ts';
import type { Stored } from '../store/store-cell.ts';
import { type FindRecent, RecentCreates } from './recent-creates.ts';
import { settleAfterKill } from './settle.ts';
import {
  beatMs,
  createWatch,
  type Holder,
  lostFailure,
  maxBeatAgeMs,
  measureAge,
  openTurnCell,
  type TurnAddress,
  type TurnCell,
  type TurnValue,
} from './turn-cell.ts';

export type TurnOptions = TurnAddress & {
  readonly doing: Holder['doing'];
  readonly maxWaitMs: number;
  readonly settleAfterKillMs: number;
  readonly report: Report;
  readonly hashName: (name: string) => string;
  /** Returns true if it is known what became of each create that was sent, after a power cut too. */
  readonly isSettled: () => boolean;
};

/** A state of docs/internals/import.md. */
type State = Free | Held | { readonly is: 'lost' };
type Free = {
  readonly is: 'free';
  /** The version before a list that was read without the turn, if nothing was under way then. */
  readonly listedAt?: string | undefined;
  /** The turn was ours, and is being given back. */
  readonly returning?: Promise<void>;
};
type Held = {
  readonly is: 'held';
  /** What others have left unsettled: when a create last left, by the clock of the cell and by our uptime. */
  inherited?: { readonly unsettledAt: number; readonly seenAt: number } | undefined;
  /** When the cell was last told that creates of ours may be under way, by our uptime. Undefined if none was sent. */
  toldAt?: number | undefined;
  readonly beat: AbortController;
  readonly findRecent: FindRecent;
};

const minWaitMs = 2_000;
/** The same after a list, before a row was sent by it. It is more than the window of a minute: at a limit of one, all would only list. */
const minUnusedWaitMs = 120_000;
/** Older lists are fetched again before more is sent: another client may have created it. */
const maxListAgeMs = 3_600_000;

/** Rejects a create at its last moment: nothing was sent. */
export class Withheld extends Error {}
const notConfirmed = new Withheld('the turn is not confirmed');
/** Whoever meets it lists again. */
export const listIsOld = new Withheld('others may have created something since the list');

/** The turn of this process to create by name. It may be given back, and taken again. */
export class Turn {
  readonly #context: Context;
  readonly #options: TurnOptions;
  readonly #cell: TurnCell;
  readonly #self: Holder;
  readonly #watch: ReturnType<typeof createWatch>;
  #state: State = { is: 'free' };
  /** Our last list, as long as nobody else has had the turn since. */
  #list: { readonly readAt: number; wasUsed: boolean } | undefined;
  readonly #created: RecentCreates;
  readonly #inFlight = new Set<symbol>();
  #taking: Promise<Held> | undefined;
  #telling: Promise<void> | undefined;

  constructor(context: Context, options: TurnOptions) {
    const { owner } = context;
    this.#context = context;
    this.#options = options;
    this.#cell = openTurnCell(context, options);
    this.#self = { id: randomUUID(), owner, doing: options.doing, since: 0 };
    this.#watch = createWatch(context, this.#cell);
    this.#created = new RecentCreates(context, options.hashName);
  }

  /** Does some work, and gives the turn back at its end. If anything is unsettled then, the next process waits. */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } finally {
      await this.giveBack();
    }
  }

  /** Lists without the turn, so that nobody is waited for. A create may be sent by this list unless somebody had the turn since. */
  async look<List>(fetch: (findRecent: FindRecent) => Promise<List>): Promise<List> {
    const { signal, uptime } = this.#context;
    const read = async () => this.#cell.read();
    const { value, version, now, isOutdated } = await this.#wait(signal, read);
    const list = await fetch(this.#created.findIn(value, now));
    const isSettled = !isOutdated && value?.unsettledAt === undefined;
    this.#state = { is: 'free', listedAt: isSettled ? version : undefined };
    this.#list = { readAt: uptime(), wasUsed: false };
    return list;
  }

  /** Takes the turn, waits until what others left is settled, and lists. `fetch` is told if others may have created something since. */
  async list<List>(
    fetch: (findRecent: FindRecent, hasNews: boolean) => Promise<List>,
  ): Promise<List> {
    const { signal, uptime } = this.#context;
    // The list may have to wait for the limit of another day.
    await this.#tellIfSettled();
    const held = await this.#take(signal);
    const { report, settleAfterKillMs: ms } = this.#options;
    if (held.inherited) await settleAfterKill(this.#context, report, ms, held.inherited.seenAt);
    const list = await fetch(held.findRecent, this.#list === undefined);
    this.#list = { readAt: uptime(), wasUsed: false };
    await this.#tellIfSettled();
    return list;
  }

  /** Notes what was created, for machines that have the turn later: they share no ledger. */
  noteCreated(name: string, id: string): void {
    if (this.#cell.store) this.#created.note(name, id);
  }

  /** Sends a create, again if the turn has to be confirmed or taken first. `create` must note its outcome, and let a Withheld pass. */
  async send<Result>(
    create: (hooks: RateLimitHooks) => Promise<Result>,
    signal: AbortSignal,
  ): Promise<Result> {
    const id = Symbol('create');
    const beforeSending = async () => {
      await this.#confirm();
      this.#inFlight.add(id);
    };
    const onWait = (waitMs: number) => {
      // It was not sent yet, or refused with a 429.
      this.#inFlight.delete(id);
      this.#giveWay(waitMs);
    };
    for (;;) {
      try {
        return await create({ signal, beforeSending, onWait });
      } catch (error) {
        if (error !== notConfirmed) throw error;
      } finally {
        this.#inFlight.delete(id);
      }
      if (this.#state.is === 'held') await this.#wait(signal, () => this.#renew());
      else await this.#take(signal);
    }
  }

  /** Lets others create, until the next list or create. Never throws. */
  async giveBack(): Promise<void> {
    const state = this.#state;
    if (state.is === 'free') return state.returning;
    if (state.is === 'lost') return;
    const isUnsettled = state.toldAt !== undefined && !this.#isSettled();
    state.beat.abort();
    const returning = change(this.#cell, (seen) => {
      // By now it may have been taken again.
      const { holder } = seen.value ?? {};
      if (this.#state.is === 'held' || holder?.id !== this.#self.id) return [undefined, undefined];
      const unsettledAt = isUnsettled ? seen.now : state.inherited?.unsettledAt;
      return [this.#makeValue(seen, { ...holder, hasEnded: true }, unsettledAt), undefined];
    }).catch(() => {});
    this.#state = { is: 'free', returning };
    await returning;
  }

  #giveWay(waitMs: number): void {
    const minMs = this.#list?.wasUsed ? minWaitMs : minUnusedWaitMs;
    if (this.#state.is === 'held' && waitMs > minMs && this.#isSettled()) void this.giveBack();
  }

  #isSettled(): boolean {
    return this.#inFlight.size === 0 && this.#options.isSettled();
  }

  /** Waits until no other process creates by name at the service, unless this one has the turn. */
  async #take(signal: AbortSignal): Promise<Held> {
    this.#throwIfLost();
    if (this.#state.is === 'held') return this.#state;
    this.#taking ??= this.#wait(signal, () => this.#tryToTake()).finally(() => {
      this.#taking = undefined;
    });
    return this.#taking;
  }

  async #tryToTake(): Promise<Held | Obstacle> {
    const { uptime } = this.#context;
    type Taken = Stored<TurnValue> & { readonly silentMs: number };
    const found = await change<TurnValue, Stored<TurnValue>, Obstacle | Taken>(
      this.#cell,
      (seen) => {
        const silentMs = this.#watch(seen, this.#self.id);
        if (silentMs instanceof Obstacle) return [undefined, silentMs];
        const self = { ...this.#self, since: seen.now };
        const next = this.#makeValue(seen, self, seen.value?.unsettledAt);
        return [next, { ...seen, silentMs }];
      },
    );
    if (found instanceof Obstacle) return found;
    const { value, version, now, isOutdated, silentMs } = found;
    const { holder, unsettledAt } = value ?? {};
    const listedAt = this.#state.is === 'free' ? this.#state.listedAt : undefined;
    const wasOurs = holder?.id === this.#self.id && holder.hasEnded;
    if (isOutdated || !(wasOurs || version === listedAt)) this.#list = undefined;
    const findRecent = this.#created.findIn(value, now);
    const held: Held = { is: 'held', beat: new AbortController(), findRecent };
    if (unsettledAt !== undefined) {
      held.inherited = { unsettledAt, seenAt: uptime() - measureAge(unsettledAt, now, silentMs) };
    }
    this.#state = held;
    this.#beat(held).catch(() => {});
    return held;
  }

  async #beat({ beat }: Held): Promise<void> {
    for (;;) {
      await this.#context.sleep(beatMs, beat.signal);
      // After a failure, the next create renews it.
      await this.#renew().catch(() => {});
    }
  }

  /** A place that has lost its values gets this one again. */
  async #renew(): Promise<void> {
    const held = this.#state;
    if (held.is !== 'held') return;
    const askedAt = this.#context.uptime();
    const found = await change(this.#cell, (seen) => {
      const { value: { holder } = {}, now, isOutdated } = seen;
      const isOurs = isOutdated || !holder || (holder.id === this.#self.id && !holder.hasEnded);
      if (this.#state !== held) return [undefined, 'given back'];
      if (!isOurs) return [undefined, 'taken'];
      const isTold = held.toldAt !== undefined;
      const unsettledAt = isTold ? now : held.inherited?.unsettledAt;
      const self = { ...this.#self, since: holder?.since ?? now };
      return [this.#makeValue(seen, self, unsettledAt), isTold ? 'told' : 'renewed'];
    });
    if (this.#state !== held) return;
    if (found === 'told' && held.toldAt !== undefined) held.toldAt = askedAt;
    if (found !== 'taken') return;
    held.beat.abort();
    this.#state = { is: 'lost' };
  }

  #makeValue({ value, now }: Stored<TurnValue>, holder: Holder, unsettledAt?: number): TurnValue {
    return { v: 2, holder, unsettledAt, created: this.#created.addOurs(value, now) };
  }

  #throwIfLost(): void {
    if (this.#state.is === 'lost') throw lostFailure();
  }

  /** Rejects unless it has just been confirmed that the turn is ours, and that a create may be under way. */
  async #confirm(): Promise<void> {
    this.#throwIfLost();
    const held = this.#state;
    if (held.is !== 'held') throw notConfirmed;
    const now = this.#context.uptime();
    const list = this.#list;
    if (!list || (list.wasUsed && now - list.readAt > maxListAgeMs)) throw listIsOld;
    if (!this.#isTold(held)) {
      held.toldAt ??= Number.NEGATIVE_INFINITY;
      this.#telling ??= this.#renew().finally(() => {
        this.#telling = undefined;
      });
      await this.#telling.catch(() => {
        throw notConfirmed;
      });
      this.#throwIfLost();
      if (this.#state !== held || !this.#isTold(held)) throw notConfirmed;
    }
    list.wasUsed = true;
  }

  #isTold({ toldAt = Number.NEGATIVE_INFINITY }: Held): boolean {
    return this.#context.uptime() - toldAt <= maxBeatAgeMs;
  }

  /** Tells the cell that nothing is under way, if it may say something else and a list shows it. Never throws: the next beat says it, too. */
  async #tellIfSettled(): Promise<void> {
    const held = this.#state;
    if (held.is !== 'held' || !this.#list || !this.#isSettled()) return;
    if (held.toldAt === undefined && !held.inherited) return;
    held.toldAt = undefined;
    held.inherited = undefined;
    await this.#renew().catch(() => {});
  }

  #wait<Result>(signal: AbortSignal, step: () => Promise<Result | Obstacle>): Promise<Result> {
    const { explain } = this.#cell;
    const tryStep = () =>
      step().catch((error: unknown) => waitWhileAway(explain(error), 'creating'));
    const { maxWaitMs, report } = this.#options;
    const until = this.#context.uptime() + maxWaitMs;
    return waitFor(this.#context, { report, signal, until }, tryStep).catch((error) => {
      throw error instanceof Interruption ? error.with(nothingSent) : error;
    });
  }
}
