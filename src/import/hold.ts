import { hash, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Context } from '../context.ts';
import { cannotSave, saving } from '../disk/files.ts';
import { withLock } from '../disk/lock.ts';
import { isOwner, type Owner } from '../disk/owner.ts';
import { securePrivateFolder } from '../disk/private-folder.ts';
import type { StateFiles } from '../disk/state-files.ts';
import { removeFiles } from '../disk/temporary.ts';
import { type Failure, Interruption, nothingSent, unsentFailure } from '../errors.ts';
import type { Report } from '../events.ts';
import { commandOn } from '../text/shell.ts';
import { isoTime } from '../time.ts';
import { lookAlikeKey } from './plan.ts';

type Options = {
  readonly folder: string;
  readonly address: string;
  readonly names: readonly string[];
  /** Path of an import's journal. */
  readonly journal?: string | undefined;
  readonly doing: 'creating' | 'importing';
  readonly maxWaitMs: number;
  readonly report: Report;
};

/** A file whose first line says which process has the names. */
type Mark = {
  readonly file: string;
  readonly process: Process;
  readonly keys: readonly string[];
};

type Process = Owner &
  Pick<Options, 'doing' | 'journal'> & {
    readonly since: number;
    /** It has ended and left the mark on purpose. Another machine could not see that. */
    readonly isEnded?: true;
  };

const pollMs = 50;
const minShownMs = 2_000;
const maxMarkBytes = 4 * 1024 * 1024;

/** Takes all of these names, or waits for the living processes that have one of them. */
export async function holdNames(context: Context, options: Options): Promise<Hold> {
  const { uptime, sleep, random, signal } = context;
  const { maxWaitMs, report } = options;
  const start = uptime();
  const by = Symbol('names');
  /** The list may not show yet what these have created. */
  const creates: Process[] = [];
  let shown: Process | undefined;
  try {
    for (;;) {
      const held = await tryHold(context, options);
      if (held instanceof Hold) {
        held.predecessors.push(...creates);
        return held;
      }
      if (held.process.doing === 'creating') creates.push(held.process);
      while (isHeld(context, held.file)) {
        const waitedMs = uptime() - start;
        if (waitedMs >= maxWaitMs) throw busy(held);
        if (waitedMs >= minShownMs) {
          shown = held.process;
          show(shown, maxWaitMs - waitedMs);
        }
        await sleep(Math.min(pollMs * (1 + random()), maxWaitMs - waitedMs), signal);
      }
    }
  } catch (error) {
    throw error instanceof Interruption ? error.with(nothingSent) : error;
  } finally {
    if (shown) show(shown, 0);
  }

  function show({ pid, doing }: Process, waitMs: number): void {
    const hasEnd = Number.isFinite(waitMs);
    report({
      event: 'wait',
      by,
      reason: 'claimed',
      why: `process ${pid} is ${doing} the same names`,
      next: hasEnd ? 'giving up' : 'waiting for it to finish',
      resetAt: hasEnd ? context.now() + waitMs : undefined,
      waitMs,
      pid,
    });
  }
}

export class Hold {
  readonly predecessors: Process[];

  readonly #stateFiles: StateFiles;
  readonly #own: Mark;
  readonly #rivals: readonly Mark[];

  constructor(stateFiles: StateFiles, own: Mark, rivals: readonly Mark[]) {
    this.#stateFiles = stateFiles;
    this.#own = own;
    this.#rivals = rivals;
    this.predecessors = rivals.map((rival) => rival.process);
  }

  /** Forgets the predecessors. Call it when their requests have been carried out or dropped, and a list has been received since. */
  forgetPredecessors(): void {
    for (const { file } of this.#rivals) this.#stateFiles.remove(file);
  }

  /** Never throws. With `keep` the mark stays, so that the next process knows that it has to wait. */
  release(keep: boolean): void {
    const own = this.#own;
    try {
      if (keep) writeMark(this.#stateFiles, { ...own, process: { ...own.process, isEnded: true } });
      else this.#stateFiles.remove(own.file);
    } catch {
      // The next process of this machine finds the mark of a dead one, and waits.
    }
  }
}

/** Reads the marks of others and writes ours in one step. Returns the mark of a living process if there is one. */
async function tryHold(context: Context, options: Options): Promise<Hold | Mark> {
  const { stateFiles, owner, now, uid } = context;
  const { folder, address, doing, journal } = options;
  saving(folder, () => securePrivateFolder(folder, uid));
  const scope = hashOf(address);
  const keys = keysOf(options);
  return withLock(context, join(folder, `${scope}.lock`), () => {
    const file = join(folder, `${scope}.${randomUUID()}`);
    try {
      const rivals = findRivals(stateFiles, folder, scope, new Set(keys));
      const living = rivals.find((rival) => isAlive(context, rival));
      if (living) return living;
      const own = { file, process: { ...owner, since: now(), doing, journal }, keys };
      // It outlives a power cut as well: the service may still carry out what was sent before.
      writeMark(stateFiles, own);
      return new Hold(stateFiles, own, rivals);
    } catch (error) {
      removeFiles([file]);
      throw cannotSave(file, error);
    }
  });
}

/** Names that a service may take for the same one have the same key. */
function keysOf({ names }: Options): string[] {
  return [...new Set(names.map((name) => hashOf(`name ${lookAlikeKey(name)}`)))];
}

function hashOf(text: string): string {
  return hash('sha256', text, 'hex').slice(0, 16);
}

function findRivals(
  stateFiles: StateFiles,
  folder: string,
  scope: string,
  keys: ReadonlySet<string>,
): Mark[] {
  const form = new RegExp(`^${scope}\\.[0-9a-f-]{36}$`);
  return stateFiles.list(folder).flatMap((name) => {
    const mark = form.test(name) ? readMark(stateFiles, join(folder, name)) : undefined;
    return mark?.keys.some((key) => keys.has(key)) ? [mark] : [];
  });
}

function writeMark(stateFiles: StateFiles, { file, process, keys }: Mark): void {
  stateFiles.write(file, [JSON.stringify(process), ...keys].join('\n'));
}

function readMark(stateFiles: StateFiles, file: string): Mark | undefined {
  const [first = '', ...keys] = stateFiles.read(file, maxMarkBytes)?.toString().split('\n') ?? [];
  try {
    const process = JSON.parse(first) as Process;
    return isOwner(process) && Number.isFinite(process.since) ? { file, process, keys } : undefined;
  } catch {
    return undefined;
  }
}

function isHeld(context: Context, file: string): boolean {
  const mark = readMark(context.stateFiles, file);
  return mark !== undefined && isAlive(context, mark);
}

function isAlive({ isRunning }: Context, { process }: Mark): boolean {
  return process.isEnded !== true && isRunning(process);
}

function busy({ file, process: { pid, host, since, doing } }: Mark): Failure {
  return unsentFailure(
    'output',
    `process ${pid} on ${host} has been ${doing} the same names since ${isoTime(since)}`,
    `Run the same command again when it has finished, or with a longer --max-wait. If that process no longer exists (another machine, another container): ${commandOn('rm', file)}`,
  );
}
