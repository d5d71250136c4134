import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Context } from '../context.ts';
import { cannotSave, saving } from '../disk/files.ts';
import { securePrivateFolder } from '../disk/private-folder.ts';
import { removeFiles, removeStale } from '../disk/temporary.ts';
import { Failure, systemCode, unsentFailure } from '../errors.ts';
import type { Report } from '../events.ts';
import { withLock } from '../store/lock.ts';
import type { Store } from '../store/store-cell.ts';
import { isoTime } from '../time.ts';
import type { Lease } from './lease.ts';
import {
  findRivals,
  getMarkId,
  hashNames,
  hashText,
  hasSent,
  type Mark,
  type Process,
  readMarks,
  Watch,
} from './marks.ts';
import { Obstacle, waitForOthers } from './wait-for-others.ts';

export type HoldOptions = {
  readonly folder: string;
  readonly address: string;
  readonly names: readonly string[];
  readonly doing: 'creating' | 'importing';
  readonly maxWaitMs: number;
  readonly report: Report;
  readonly store?: Store | undefined;
};

const pollMs = 75;
export const beatMs = 5_000;
/** A create leaves only within this time of a touch. */
export const maxBeatAgeMs = 10_000;
/** A mark that is older than its process by more than this was copied by something that keeps no times. */
const maxClockErrorMs = 600_000;

export async function holdNames(context: Context, options: HoldOptions): Promise<Hold> {
  const { signal } = context;
  const watch = new Watch(context);
  let rivals: readonly Mark[] = [];
  const isBlocked = () => rivals.length > 0 && rivals.every((rival) => watch.isLiving(rival));
  return waitForOthers(context, options, pollMs, signal, async () => {
    while (!isBlocked()) {
      const found = await tryHold(context, options, watch);
      if (found instanceof Hold) return found;
      rivals = found;
    }
    return createObstacle(rivals as [Mark]);
  });
}

function createObstacle([{ file, process }]: readonly [Mark]): Obstacle {
  const rival = process ? `process ${process.pid} on ${process.host}` : 'another process';
  const message = process
    ? `${rival} has been ${process.doing} the same names since ${isoTime(process.since)}`
    : `another process may be using the same names: its mark ${file} cannot be read`;
  const why = `${rival} is ${process?.doing ?? 'using'} the same names`;
  const failure = unsentFailure('output', message, laterHint);
  return new Obstacle(why, 'waiting for it to finish', failure, process?.pid);
}

export const laterHint =
  'Run the same command again when it has finished, or with a longer --max-wait.';

/** The names, as long as this process touches its mark. */
export class Hold {
  /** When processes were last seen, by our uptime, that may have sent creates which no list has shown. */
  readonly predecessors: number[];
  lease: Lease | undefined;
  readonly #context: Context;
  readonly #rivals: readonly Mark[];
  readonly #released = new AbortController();
  #file: string;
  #touchedAt: number;

  constructor(context: Context, file: string, rivals: readonly Mark[]) {
    this.#context = context;
    this.#file = file;
    this.#rivals = rivals;
    this.predecessors = rivals.map((rival) => findLastSeen(context, rival));
    this.#touchedAt = context.uptime();
    this.#beat().catch(() => {});
  }

  async #beat(): Promise<void> {
    for (;;) {
      await this.#context.sleep(beatMs, this.#released.signal);
      try {
        this.#touch();
      } catch {
        // The next create fails, or the next touch succeeds.
      }
    }
  }

  #touch(): void {
    const { stateFiles, now, uptime } = this.#context;
    const at = uptime();
    this.#step(() => stateFiles.touch(this.#file, now()));
    this.#touchedAt = at;
  }

  /** Call it before each create leaves. The names outlast a power cut then: the request may be carried out after it. */
  beforeSending(): void {
    this.check();
    this.lease?.check();
    if (!this.#file.endsWith('.sent')) this.#rename('.sent');
  }

  /** Sends a create that calls `beforeSending`. */
  send<Result>(create: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    return this.lease ? this.lease.send(create, signal) : create();
  }

  /** Call it when each create that was sent has had its response. */
  rest(): void {
    if (this.#file.endsWith('.sent')) this.#rename('');
  }

  /** Call it when a list has shown what became of all that was sent. */
  afterList(): void {
    this.rest();
    this.lease?.afterList();
  }

  /** Throws if another process has taken the names, as it may when this one was suspended. */
  check(): void {
    const ageMs = this.#context.uptime() - this.#touchedAt;
    if (ageMs > maxBeatAgeMs) this.#touch();
  }

  #rename(ending: string): void {
    const next = join(this.#file, '..', `${getMarkId(this.#file)}${ending}`);
    this.#step(() => this.#context.stateFiles.rename(this.#file, next));
    this.#file = next;
  }

  #step(step: () => void): void {
    try {
      step();
    } catch (error) {
      if (systemCode(error) !== 'ENOENT') throw cannotSave(this.#file, error);
      // From now on each check fails at its touch.
      this.#touchedAt = Number.NEGATIVE_INFINITY;
      throw takenOver();
    }
  }

  /** Forgets the predecessors. Call it when their requests have been carried out or dropped, and a list has been received since. */
  forgetPredecessors(): void {
    for (const { file } of this.#rivals) this.#context.stateFiles.remove(file);
    this.afterList();
  }

  /** Never throws. The mark of what is unsettled stays if anything was sent since the last list: the next process has to wait. */
  async release(isUnsettled: boolean): Promise<void> {
    const mustSettle = isUnsettled && this.#file.endsWith('.sent');
    await this.lease?.release(mustSettle);
    this.#released.abort();
    try {
      if (mustSettle) this.#rename('.ended');
      else this.#context.stateFiles.remove(this.#file);
    } catch {
      // The next process finds the mark of a dead one, and waits.
    }
  }
}

/** Takes the names and returns the hold, or the marks of those who live. None are returned if something changed meanwhile. */
async function tryHold(
  context: Context,
  options: HoldOptions,
  watch: Watch,
): Promise<Hold | readonly Mark[]> {
  const { stateFiles, owner, now, uid } = context;
  const { folder, address, doing, maxWaitMs } = options;
  saving(folder, () => securePrivateFolder(folder, uid));
  const scope = hashText(address);
  const keys = hashNames(options.names);
  const lock = join(folder, `${scope}.lock`);
  const work = async (isLocked: () => Promise<boolean>) => {
    const file = join(folder, `${scope}.${randomUUID()}`);
    try {
      removeStale(folder, now());
      const marks = readMarks(context, folder, scope);
      const rivals = findRivals(marks, new Set(keys));
      const others = marks.filter((mark) => !rivals.includes(mark));
      for (const mark of others) if (isSpent(context, mark)) stateFiles.remove(mark.file);
      const living = rivals.filter((rival) => watch.isLiving(rival));
      if (living.length > 0) return living;
      const taken = rivals.flatMap((rival) => takeOver(context, rival));
      const process: Process = { ...owner, v: 2, since: now(), doing };
      stateFiles.write(file, [JSON.stringify(process), ...keys].join('\n'));
      // Its age is told by the clock of the touches that follow.
      stateFiles.touch(file, now());
      // Who was suspended for long under the lock has lost it: another one may not have seen the mark.
      if (await isLocked()) return new Hold(context, file, taken);
      stateFiles.remove(file);
      return [];
    } catch (error) {
      removeFiles([file]);
      // A mark is gone: its process ended, or sends now.
      if (systemCode(error) === 'ENOENT') return [];
      throw cannotSave(file, error);
    }
  };
  return withLock(context, lock, work, maxWaitMs);
}

/** Renames the mark of a dead process, which finds it gone if it was only suspended. Returns it if anything was sent. */
function takeOver({ stateFiles }: Context, mark: Mark): Mark[] {
  const file = join(mark.file, '..', `${getMarkId(mark.file)}.ended`);
  if (file !== mark.file) stateFiles.rename(mark.file, file);
  if (hasSent(mark)) return [{ ...mark, file }];
  stateFiles.remove(file);
  return [];
}

/** Returns true for the mark of a killed process that has sent nothing. */
function isSpent(context: Context, mark: Mark): boolean {
  return !hasSent(mark) && !!mark.process && context.isRunning(mark.process) === false;
}

function findLastSeen(context: Context, mark: Mark): number {
  const { stateFiles, now, uptime } = context;
  const { since = 0 } = mark.process ?? {};
  const touchedAt = stateFiles.touchedAt(mark.file) ?? Number.POSITIVE_INFINITY;
  const isTrusted = touchedAt > since - maxClockErrorMs && mark.process !== undefined;
  const silenceMs = isTrusted ? Math.max(0, now() - touchedAt) : 0;
  return uptime() - silenceMs;
}

function takenOver(): Failure {
  return new Failure(
    'output',
    'another petstore process has taken over these names, or their state was deleted',
    {
      consequence:
        'This run was suspended for more than half a minute, or lost its files. It sends nothing more.',
      hint: 'Run the same command again: it waits for the other process.',
    },
  );
}
