import { setMaxListeners } from 'node:events';
import type { Client } from '../../src/api/client.ts';
import type { RateLimitHooks } from '../../src/api/exchange.ts';
import type { Category, NewCategory } from '../../src/api/resources.ts';
import type { Context } from '../../src/context.ts';
import type { StateFiles } from '../../src/disk/state-files.ts';
import { Failure, Interruption } from '../../src/errors.ts';
import { withFate } from '../../src/import/plan.ts';
import type { Item } from '../../src/import/rows.ts';
import { runImport } from '../../src/import/run.ts';
import { ExactNumber } from '../../src/json/json.ts';
import { below, createRandom, pick, type Random } from './random.ts';

export type Row = Pick<Item, 'line' | 'name'> & { readonly description?: string };
export type ImportFile = { readonly sha256: string; readonly rows: readonly Row[] };

/** When things happen to a process, counted in steps of its disk and its network. */
export type Fate = {
  readonly killAt?: number;
  /** The kill takes what was not synced, of all files. */
  readonly isPowerCut?: boolean;
  readonly interruptAt?: number;
  /** The disk is full from a step on, for some steps. */
  readonly fullAt?: number;
  readonly fullFor?: number;
};

/** In virtual ms. A cut-off create is carried out within `lateMs` or dropped, and the list shows it `lagMs` later. */
const settleMs = 100;
const lateMs = 60;
const lagMs = 30;
const windowMs = 150;

const idleLine = '{"state":"idle"}\n';

/** A service, a disk and the processes of one machine, in virtual time. */
export class ImportWorld {
  readonly clock = new VirtualClock();
  readonly random: Random;
  readonly files = new Map<string, { text: string; syncedLength: number; touchedAt: number }>();
  readonly alive = new Set<number>();
  readonly counts = { runs: 0, kills: 0, killedIdle: 0, resumedAtOnce: 0, waits: 0, faults: 0 };
  readonly limit: { perWindow: number; left: number; resetAt: number; queued: number };
  readonly faultRate: number;
  /** Only the first of a queue may know that it waits for the limit. */
  readonly isOnlyHeadTold: boolean;
  readonly #categories: { readonly category: Category; readonly createdAt: number }[] = [];

  constructor(
    seed: number,
    /** A real folder, for locks. */
    readonly folder: string,
  ) {
    this.random = createRandom(seed);
    this.faultRate = pick([0, 0.08, 0.3], this.random);
    this.limit = { perWindow: 1 + below(6, this.random), left: 0, resetAt: 0, queued: 0 };
    this.isOnlyHeadTold = this.random() < 0.5;
  }

  /** Runs processes on one file at the same time, and resolves with how each ended: "done", "left", "killed" or its error. */
  async importFile(file: ImportFile, fates: readonly Fate[]): Promise<string[]> {
    const ends = Promise.all(fates.map((fate) => new ImportProcess(this, file, fate).run()));
    await this.clock.passUntil(ends);
    return ends;
  }

  commit(body: NewCategory, createdAt = this.clock.now): Category {
    const id = new ExactNumber(String(this.#categories.length + 1));
    const category = { id, ...body } as Category;
    this.#categories.push({ category, createdAt });
    return category;
  }

  /** Carries out a create some time after its connection was cut. */
  commitLate(body: NewCategory): void {
    void this.clock.wait(this.random() * lateMs).then(() => this.commit(body));
  }

  listed(): Category[] {
    const shown = this.#categories.filter(({ createdAt }) => createdAt <= this.clock.now - lagMs);
    return shown.map(({ category }) => category);
  }

  /** Returns all categories when everything that was sent has been carried out or dropped. */
  async settled(): Promise<Category[]> {
    await this.clock.passUntil(this.clock.wait(5 * settleMs));
    return this.listed();
  }

  /** Of what was not synced a part stays, with or without garbage behind it. */
  cutPower(): void {
    for (const file of this.files.values()) {
      const unsynced = file.text.length - file.syncedLength;
      if (unsynced === 0) continue;
      const kept = file.text.slice(0, file.syncedLength + below(unsynced + 1, this.random));
      file.text = kept + pick(['\0\0\0\n', '{"row":1', '{}\n', 'x\n', ''], this.random);
      file.syncedLength = file.text.length;
    }
  }

  isIdle({ sha256 }: ImportFile): boolean {
    return [...this.files.values()].some(
      ({ text }) => text.includes(`"${sha256}"`) && text.endsWith(idleLine),
    );
  }
}

let lastPid = 0;

/** One run of an import, which may be killed between any two steps. */
class ImportProcess {
  readonly #pid: number;
  readonly #interrupt = new AbortController();
  #steps = 0;
  #isDead = false;
  #hasSettled = false;
  #announceDeath = (_: 'killed') => {};

  constructor(
    readonly world: ImportWorld,
    readonly file: ImportFile,
    readonly fate: Fate,
  ) {
    lastPid += 1;
    this.#pid = lastPid;
    setMaxListeners(0, this.#interrupt.signal);
  }

  async run(): Promise<string> {
    const { world, file } = this;
    const wasIdle = world.isIdle(file);
    world.counts.runs += 1;
    world.alive.add(this.#pid);
    const death = new Promise<'killed'>((resolve) => {
      this.#announceDeath = resolve;
    });
    const end = await Promise.race([this.#import().catch(describeError), death]);
    world.alive.delete(this.#pid);
    if (wasIdle && !this.#hasSettled) world.counts.resumedAtOnce += 1;
    return end;
  }

  async #import(): Promise<string> {
    const { world, file } = this;
    const items = file.rows.map((row, index): Item => ({ ...row, index, fate: 'create' }));
    const { stop, isPlanned } = await runImport({
      ...file,
      items,
      address: 'service',
      stateFolder: world.folder,
      settleMs,
      settleAfterKillMs: settleMs,
      maxWaitMs: Number.POSITIVE_INFINITY,
      context: this.#context() as Context,
      client: this.#client() as Client,
      report: () => {},
      confirm: async () => {},
      onRowDone: () => {},
    });
    if (stop?.kind === 'failed') throw stop.error;
    return stop || (isPlanned && withFate(items, 'create').length > 0) ? 'left' : 'done';
  }

  /** Counts what the process does. From its death on, nothing of it has an effect. */
  #step(): boolean {
    if (!this.#isDead && this.#steps === this.fate.killAt) this.#die();
    if (this.#steps === this.fate.interruptAt) this.#interrupt.abort(new Interruption(130));
    this.#steps += 1;
    return this.#isDead;
  }

  #die(): void {
    const { world, file, fate } = this;
    this.#isDead = true;
    world.counts.kills += 1;
    if (world.isIdle(file)) world.counts.killedIdle += 1;
    world.alive.delete(this.#pid);
    if (fate.isPowerCut) world.cutPower();
    this.#announceDeath('killed');
  }

  /** Never resolves for a dead process. */
  async #unlessDead<Value>(value: Value): Promise<Value> {
    return this.#isDead ? new Promise<never>(() => {}) : value;
  }

  #context(): Partial<Context> {
    const { world } = this;
    const { clock, alive, random } = world;
    return {
      stateFiles: this.#disk(),
      owner: { pid: this.#pid, host: 'here' },
      isRunning: ({ pid }) => alive.has(pid),
      now: () => clock.now,
      uptime: () => clock.now,
      random,
      uid: process.getuid?.(),
      signal: this.#interrupt.signal,
      sleep: async (ms, signal) => {
        if (ms === settleMs) this.#hasSettled = true;
        this.#step();
        await Promise.race([clock.wait(ms), aborted(signal)]);
        await this.#unlessDead(undefined);
        signal.throwIfAborted();
      },
    };
  }

  #disk(): StateFiles {
    const { files, random, clock } = this.world;
    const found = (path: string) => {
      const file = files.get(path);
      if (!file) throw Object.assign(new Error('no file'), { code: 'ENOENT' });
      return file;
    };
    return {
      list: (folder) => [...files.keys()].map((path) => path.slice(folder.length + 1)),
      read: (path) => {
        const file = files.get(path);
        return file && Buffer.from(file.text);
      },
      write: (path, text) => {
        if (this.#step()) return;
        if (this.#isFull()) throw new Failure('output', 'the disk is full');
        files.set(path, { text, syncedLength: text.length, touchedAt: clock.now });
        this.#step();
      },
      append: (path, text) => {
        if (this.#step()) return;
        const file = found(path);
        const isFull = this.#isFull();
        file.text += isFull ? text.slice(0, below(text.length, random)) : text;
        this.#step();
        if (isFull) throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
      },
      sync: (path) => {
        if (this.#step()) return;
        const file = files.get(path);
        if (file) file.syncedLength = file.text.length;
        this.#step();
      },
      rename: (from, to) => {
        if (this.#step()) return;
        files.set(to, found(from));
        files.delete(from);
        this.#step();
      },
      touch: (path, at) => {
        if (this.#step()) return;
        found(path).touchedAt = at;
        this.#step();
      },
      touchedAt: (path) => files.get(path)?.touchedAt,
      remove: (path) => {
        if (this.#step()) return;
        files.delete(path);
        this.#step();
      },
    };
  }

  #isFull(): boolean {
    const { fullAt = Number.POSITIVE_INFINITY, fullFor = 0 } = this.fate;
    return this.#steps >= fullAt && this.#steps < fullAt + fullFor;
  }

  #client() {
    return {
      listCategories: async () => {
        const categories = await this.#list();
        return (async function* () {
          yield categories;
        })();
      },
      call: async (_endpoint: unknown, { body }: { body: NewCategory }, hooks: RateLimitHooks) => {
        for (;;) {
          await this.#permit(hooks);
          hooks.beforeSending?.();
          // The permit may be withdrawn at the last moment.
          const created = this.world.random() < 0.05 ? undefined : await this.#create(body);
          if (created) return created;
        }
      },
    } as unknown as Client;
  }

  async #list(): Promise<Category[]> {
    const { world } = this;
    if (this.#step()) return this.#unlessDead([]);
    await world.clock.wait(1 + world.random() * 3);
    await this.#unlessDead(undefined);
    if (world.random() < world.faultRate / 3) {
      world.counts.faults += 1;
      throw new Failure('network', 'the list broke off');
    }
    const categories = world.listed();
    this.#step();
    return this.#unlessDead(categories);
  }

  /** Waits for the limit of the service, `perWindow` creates in each window. */
  async #permit({ signal, onWait }: RateLimitHooks): Promise<void> {
    const { limit, clock, counts, isOnlyHeadTold } = this.world;
    await this.#unlessDead(undefined);
    const isHead = limit.queued === 0;
    limit.queued += 1;
    try {
      for (;;) {
        if (signal?.aborted) throw new Failure('interrupted', 'interrupted');
        if (clock.now >= limit.resetAt) {
          limit.resetAt = clock.now + windowMs;
          limit.left = limit.perWindow;
        }
        if (limit.left > 0) break;
        counts.waits += 1;
        if (isHead || !isOnlyHeadTold) onWait?.();
        this.#step();
        await Promise.race([clock.wait(limit.resetAt - clock.now), aborted(signal as AbortSignal)]);
        await this.#unlessDead(undefined);
      }
      limit.left -= 1;
    } finally {
      limit.queued -= 1;
    }
  }

  /** Returns undefined after a 429. A dead process may have sent its request whole. */
  async #create(body: NewCategory): Promise<Category | undefined> {
    const { world } = this;
    const { clock, random, faultRate } = world;
    if (this.#step()) return this.#unlessDead(undefined);
    await clock.wait(random() * 2);
    const fault =
      random() < faultRate ? pick(['after', 'late', 'before', '503', '429'], random) : 'none';
    if (fault !== 'none') world.counts.faults += 1;
    let created: Category | undefined;
    if (fault === 'after') world.commit(body);
    else if (fault === 'late' || (this.#isDead && random() < 0.7)) world.commitLate(body);
    else if (fault === 'none' && !this.#isDead) created = world.commit(body);
    await clock.wait(random() * 2);
    this.#step();
    await this.#unlessDead(undefined);
    if (fault === '429') return undefined;
    if (!created) throw new Failure('outcome_unknown', 'connection reset', { outcome: 'unknown' });
    return created;
  }
}

class VirtualClock {
  now = 0;
  #waits: { readonly at: number; readonly resolve: () => void }[] = [];

  wait(ms: number): Promise<void> {
    return new Promise((resolve) => this.#waits.push({ at: this.now + ms, resolve }));
  }

  /** Lets time pass, from one wait to the next. */
  async passUntil(promise: Promise<unknown>): Promise<void> {
    let isOver = false;
    const end = promise.finally(() => {
      isOver = true;
    });
    for (let n = 0; n < 200_000; n += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      if (isOver) return void (await end);
      this.#waits.sort((a, b) => a.at - b.at);
      const next = this.#waits.shift();
      if (!next) throw new Error('nothing is left to wait for');
      this.now = Math.max(this.now, next.at);
      next.resolve();
    }
    throw new Error('endless');
  }
}

function describeError(error: unknown): string {
  if (error instanceof Failure) return error.kind;
  if (error instanceof Interruption) return 'interrupted';
  return `bug: ${(error as Error).stack}`;
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
}
