import { hash, randomUUID } from 'node:crypto';
import * as z from 'zod/mini';
import type { Context } from '../context.ts';
import { Failure, Interruption, nothingSent, unsentFailure } from '../errors.ts';
import { type Cell, change } from '../store/cell.ts';
import { type Store, type Stored, storeCell } from '../store/store-cell.ts';
import { describeStoreError, isRefusal } from '../store/store-error.ts';
import { isoTime } from '../time.ts';
import { beatMs, type Hold, type HoldOptions, holdNames, laterHint, maxBeatAgeMs } from './hold.ts';
import { maxSilenceMs } from './marks.ts';
import { Obstacle, waitForOthers } from './wait-for-others.ts';

type Options = Omit<HoldOptions, 'store'> & { readonly store: Store };

/** A later date of JavaScript does not exist. */
const momentSchema = z.number().check(z.minimum(0), z.maximum(8.64e15));
const holderSchema = z.object({
  id: z.string(),
  pid: z.number(),
  host: z.string(),
  doing: z.enum(['creating', 'importing']),
  since: momentSchema,
  /** Its requests, or those of the one before, may still be carried out. */
  isUnsettled: z.boolean(),
  hasEnded: z.optional(z.literal(true)),
});
/** Whose turn it is to create by name at one service. All times are of the store's clock. */
const turnSchema = z.object({
  v: z.literal(1),
  /** Only until somebody takes the first turn. */
  bornAt: z.optional(momentSchema),
  /** When the holder was last heard of, or gave the turn back. */
  beat: momentSchema,
  holder: z.optional(holderSchema),
});
type Holder = z.infer<typeof holderSchema>;
type Turn = z.infer<typeof turnSchema>;

const lifetimeS = 30 * 86_400;
const retryMs = 1_000;
const spaceHint =
  'Free some disk space or set another folder (PETSTORE_STATE_DIR), then run the same command again.';
/** Within this time the holder puts itself back into a store that has lost it. By then it sends nothing that was not confirmed. */
const maxPutBackMs = 12_000;

/** Rejects a create at its last moment: nothing was sent. */
const notConfirmed = new Error('the store has not confirmed the turn');

/** Takes the names on this machine and then, if machines share a store, the turn among them. */
export async function takeTurn(context: Context, options: HoldOptions): Promise<Hold> {
  const { store } = options;
  let hold: Hold | undefined;
  try {
    hold = await holdNames(context, options);
    if (store) await takeLease(context, { ...options, store }, hold);
    return hold;
  } catch (error) {
    await hold?.release(false);
    throw asUnsent(error);
  }
}

function asUnsent(error: unknown): unknown {
  if (error instanceof Interruption) return error.with(nothingSent);
  if (!(error instanceof Failure) || error.kind !== 'output') return error;
  return error.with({ ...nothingSent, hint: spaceHint, ...error.details, outcome: 'not_sent' });
}

async function takeLease(context: Context, options: Options, hold: Hold): Promise<void> {
  const lease = new Lease(context, options);
  const silenceMs = await lease.take();
  hold.lease = lease;
  if (silenceMs === undefined) return;
  hold.predecessors.push(context.uptime() - silenceMs);
}

export async function describeTurn(
  context: Context,
  store: Store,
  address: string,
): Promise<string> {
  try {
    const { value: { holder } = {} } = await openCell(context, store, address).read();
    return holder && !holder.hasEnded ? describeHolder(holder) : 'nobody is creating';
  } catch (error) {
    throw toFailure(error, store);
  }
}

/** The turn of one process, as long as it renews it. */
export class Lease {
  /** False while requests of the one before may still be carried out. */
  #isSettled = true;
  #hasSent = false;
  readonly #context: Context;
  readonly #options: Options;
  readonly #cell: Cell<Turn, Stored<Turn>>;
  readonly #self: Holder;
  readonly #released = new AbortController();
  #beating: Promise<void> = Promise.resolve();
  #confirmedAt = Number.NEGATIVE_INFINITY;
  #isLost = false;
  #fault: unknown;
  #told: Promise<void> | undefined;

  constructor(context: Context, options: Options) {
    const { pid, host } = context.owner;
    this.#context = context;
    this.#options = options;
    this.#cell = openCell(context, options.store, options.address);
    this.#self = {
      ...{ id: randomUUID(), pid, host, doing: options.doing },
      ...{ since: 0, isUnsettled: false },
    };
  }

  /** Waits for the turn. Returns for how long its last holder was silent, unless that gave it back. */
  async take(): Promise<number | undefined> {
    const { uptime, signal } = this.#context;
    let watched = { version: '', since: uptime() };
    const { silenceMs } = await this.#wait(signal, async () => {
      const askedAt = uptime();
      const result = await change(this.#cell, (seen) => {
        if (seen.version !== watched.version) watched = { version: seen.version, since: uptime() };
        return decideTurn(this.#self, seen, uptime() - watched.since);
      });
      if (!(result instanceof Obstacle)) this.#confirmedAt = askedAt;
      return result;
    });
    this.#isSettled = silenceMs === undefined;
    this.#beating = this.#beat().catch(() => {});
    return silenceMs;
  }

  /** Throws unless the store has just confirmed the turn. Call it before each create leaves. */
  check(): void {
    if (this.#isLost) {
      throw new Failure('output', 'another petstore process has taken the turn to create', {
        consequence: 'This one did not reach the shared store for too long. It sends nothing more.',
        hint: 'Run the same command again: it waits for the other process.',
      });
    }
    if (this.#context.uptime() - this.#confirmedAt > maxBeatAgeMs) throw notConfirmed;
  }

  /** Sends a create that calls `check`. While the store is away it waits, and tries again. */
  async send<Result>(create: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    for (;;) {
      try {
        this.check();
        await this.#tellSent();
        this.check();
        return await create();
      } catch (error) {
        if (error !== notConfirmed) throw error;
      }
      await this.#wait(signal, () => this.#findObstacle());
    }
  }

  async #findObstacle(): Promise<Obstacle | undefined> {
    try {
      this.check();
      return undefined;
    } catch (error) {
      if (error !== notConfirmed) throw error;
    }
    if (this.#fault) throw this.#fault;
    return createStoreObstacle(
      `the shared store ${this.#options.store.name} is not reached in time`,
    );
  }

  /** Repeats a step about once a second until nothing is in its way. Nobody creates without the store. */
  #wait<Result>(signal: AbortSignal, step: () => Promise<Result | Obstacle>): Promise<Result> {
    const tryStep = () =>
      step().catch((error: unknown) => {
        const failure = toFailure(error, this.#options.store);
        if (error instanceof Failure || isRefusal(error)) throw failure;
        return createStoreObstacle(failure.message);
      });
    return waitForOthers(this.#context, this.#options, retryMs, signal, tryStep);
  }

  /** Call it when a list has shown what became of all that was sent. The store hears of it with the next beat. */
  afterList(): void {
    this.#isSettled = true;
    this.#hasSent = false;
    this.#told = undefined;
  }

  /** The store knows it before the first create after a list leaves, so that nobody settles over a run that sent nothing. */
  #tellSent(): Promise<void> {
    this.#hasSent = true;
    this.#told ??= this.#renew().catch(() => {
      this.#told = undefined;
      this.#confirmedAt = Number.NEGATIVE_INFINITY;
      throw notConfirmed;
    });
    return this.#told;
  }

  /** Never throws. Give it back only when a list has shown what became of all that was sent. */
  async release(isUnsettled: boolean): Promise<void> {
    this.#released.abort();
    await this.#beating;
    await change(this.#cell, ({ value, now }) => {
      if (value?.holder?.id !== this.#self.id) return [undefined, undefined];
      const left = { ...value.holder, isUnsettled: true, hasEnded: true as const };
      return [createTurn(now, isUnsettled || !this.#isSettled ? left : undefined), undefined];
    }).catch(() => {});
  }

  async #beat(): Promise<void> {
    while (!this.#isLost) {
      await this.#context.sleep(this.#fault ? retryMs : beatMs, this.#released.signal);
      const askedAt = this.#context.uptime();
      this.#fault = await this.#renew().then(
        () => undefined,
        (error: unknown) => error,
      );
      if (!this.#fault) this.#confirmedAt = askedAt;
    }
  }

  /** A store that has lost its values gets this one again. */
  async #renew(): Promise<void> {
    this.#isLost = await change(this.#cell, ({ value, now }) => {
      const isOurs = !value || value.bornAt !== undefined || value.holder?.id === this.#self.id;
      const isUnsettled = this.#hasSent || !this.#isSettled;
      const { since } = value?.holder ?? { since: now };
      const holder = { ...this.#self, since, isUnsettled };
      return [isOurs ? createTurn(now, holder) : undefined, !isOurs];
    });
  }
}

/** Takes the turn if nobody has it, or nobody was heard of for so long that no create of theirs can still leave. */
function decideTurn(
  self: Holder,
  { value, now }: Stored<Turn>,
  watchedMs: number,
): readonly [Turn | undefined, Obstacle | { readonly silenceMs: number | undefined }] {
  const forgotten = createStoreObstacle('the shared store does not know yet whose turn it is');
  if (!value) return [{ v: 1, bornAt: now, beat: now }, forgotten];
  const { bornAt, beat, holder } = value;
  // Only the time that we have watched counts if the store's clock was set.
  const isSane = (ageMs: number) => ageMs >= 0 && ageMs < lifetimeS * 1_000;
  const measureAge = (moment: number) => (isSane(now - moment) ? now - moment : watchedMs);
  if (bornAt !== undefined && measureAge(bornAt) < maxPutBackMs) return [undefined, forgotten];
  // The reply to an earlier try may have been lost.
  const isOurs = holder?.id === self.id;
  const silenceMs = isOurs ? 0 : measureAge(beat);
  if (holder && !holder.hasEnded && !isOurs && silenceMs < maxSilenceMs) {
    return [undefined, createObstacle(holder)];
  }
  const isUnsettled = holder?.isUnsettled ?? false;
  const next = { ...self, since: now, isUnsettled };
  return [createTurn(now, next), { silenceMs: isUnsettled ? silenceMs : undefined }];
}

function createTurn(beat: number, holder: Holder | undefined): Turn {
  return { v: 1, beat, ...(holder && { holder }) };
}

const doctorHint = 'Nobody creates by name without the store that is set. Run: petstore doctor';

function toFailure(error: unknown, { name }: Store): Failure {
  if (error instanceof Failure) return error;
  const message = `the shared store ${name} ${describeStoreError(error)}`;
  return unsentFailure('output', message, doctorHint);
}

function createStoreObstacle(why: string): Obstacle {
  return new Obstacle(why, 'creating', unsentFailure('output', why, doctorHint));
}

function createObstacle(holder: Holder): Obstacle {
  const why = describeHolder(holder);
  return new Obstacle(why, 'creating', unsentFailure('output', why, laterHint), holder.pid);
}

function describeHolder({ pid, host, doing, since }: Holder): string {
  return `process ${pid} on ${host} has been ${doing} since ${isoTime(since)}`;
}

function openCell(context: Context, { engine, name }: Store, address: string) {
  const key = `petstore:turn:${hash('sha256', `petstore turn\0${address}`, 'hex').slice(0, 32)}`;
  const parse = (json: string): Turn => {
    try {
      return turnSchema.parse(JSON.parse(json));
    } catch {
      throw unsentFailure(
        'output',
        `the shared store ${name} has a value that this version of petstore cannot read (${key})`,
        `If no petstore is creating anything, delete it. Run: redis-cli DEL ${key}`,
      );
    }
  };
  return storeCell(engine, key, { parse, lifetimeS: () => lifetimeS }, context);
}
