import { hash, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Context } from '../context.ts';
import { cannotSave, saving } from '../disk/files.ts';
import { withLock } from '../disk/lock.ts';
import { isOwner, type Owner } from '../disk/owner.ts';
import { securePrivateFolder } from '../disk/private-folder.ts';
import { sweep } from '../disk/temporary.ts';
import {
  type Failure,
  Interruption,
  interruptedFailure,
  nothingSent,
  unsentFailure,
} from '../errors.ts';
import type { Report } from '../events.ts';
import { commandOn } from '../text/shell.ts';
import { isoTime } from '../time.ts';
import { lookAlikeKey } from './plan.ts';

/** Names at one service that only this process may create until it releases them. */
export type Hold = {
  /** One for each process that ended without releasing one of these names, and its journal if it has one. */
  readonly left: readonly { readonly journal?: string | undefined }[];
  /** Forgets `left`. Call it when those requests have been carried out or dropped, and a list has been received since. */
  readonly settled: () => void;
  /** With `keep` the mark stays, so that the next process knows that it has to wait. Never throws. */
  readonly release: (keep: boolean) => void;
};

type Options = {
  readonly folder: string;
  readonly address: string;
  readonly names: readonly string[];
  /** Path of an import's journal, and of its file. Only one process at a time can hold either. */
  readonly journal?: string | undefined;
  readonly path?: string | undefined;
  readonly doing: 'creating' | 'importing';
  /** The longest wait for other processes, in ms. */
  readonly maxWaitMs: number;
  readonly report: Report;
};

/** The first line of a file that lists keys of names. */
type Mark = Owner &
  Pick<Options, 'doing' | 'journal'> & {
    /** In ms since 1970. */
    readonly since: number;
    /** The process has ended and left the mark on purpose. Another machine could not see that. */
    readonly isEnded?: true;
  };

/** The mark of a process that has one of the names, and its file. */
type Rival = { readonly mark: Mark; readonly file: string };

const pollMs = 50;
/** Shorter waits are not shown. */
const minShownMs = 2_000;
const maxFirstLineBytes = 4_096;
/** 100,000 names take 1.7 MB. */
const maxMarkBytes = 4 * 1024 * 1024;
/** Counted from the start of its process. The longest import, 100,000 rows on the plan Free, runs for 100 days. */
const maxDeadAgeMs = 120 * 86_400_000;

/**
 * Takes all of these names, or waits for the living processes that have one of them. Throws Failure (output) if that takes too
 * long or the disk refuses the mark, and Failure (interrupted).
 */
export async function holdNames(context: Context, options: Options): Promise<Hold> {
  const { uptime, sleep, random, signal } = context;
  const { maxWaitMs, report } = options;
  const start = uptime();
  const by = Symbol('names');
  /** The list may not show yet what these have created. */
  const creates: Mark[] = [];
  let shown: Rival | undefined;
  try {
    for (;;) {
      const held = await tryHold(context, options);
      if ('release' in held) return { ...held, left: [...held.left, ...creates] };
      if (held.mark.doing === 'creating') creates.push(held.mark);
      while (isHeld(context, held)) {
        const waitedMs = uptime() - start;
        if (waitedMs >= maxWaitMs) throw busy(held);
        if (waitedMs >= minShownMs) {
          shown = held;
          show(held, maxWaitMs - waitedMs);
        }
        await sleep(Math.min(pollMs * (1 + random()), maxWaitMs - waitedMs), signal);
      }
    }
  } catch (error) {
    throw error instanceof Interruption ? interruptedFailure(signal, nothingSent) : error;
  } finally {
    if (shown) show(shown, 0);
  }

  function show({ mark: { pid, doing } }: Rival, waitMs: number): void {
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

/** Looks at the marks of others and writes ours in one step. Returns a living rival if there is one. */
async function tryHold(context: Context, options: Options): Promise<Hold | Rival> {
  const { folder, address, doing, journal } = options;
  saving(folder, () => securePrivateFolder(folder, context.uid));
  const scope = hashOf(address);
  const keys = keysOf(options);
  return withLock(context, join(folder, `${scope}.lock`), () => {
    const file = join(folder, `${scope}.${randomUUID()}`);
    try {
      const rivals = findRivals(context, folder, scope, new Set(keys));
      const living = rivals.find(({ mark }) => isAlive(context, mark));
      if (living) return living;
      const mark: Mark = { ...context.owner, since: context.now(), doing, journal };
      // It outlives a power cut as well: the service may still carry out what was sent before.
      writeMark(context, file, mark, keys);
      return createHold(context, { mark, file }, keys, rivals);
    } catch (error) {
      sweep([file]);
      throw cannotSave(file, error);
    }
  });
}

function writeMark(context: Context, file: string, mark: Mark, keys: readonly string[]): void {
  context.stateFiles.write(file, [JSON.stringify(mark), ...keys].join('\n'));
}

/** Names that a service may take for the same one have the same key. */
function keysOf({ names, journal, path }: Options): string[] {
  const keys = new Set(names.map((name) => hashOf(`name ${lookAlikeKey(name)}`)));
  // With --allow-duplicates names do not matter, but a file is one import at a time, also while it changes.
  if (journal !== undefined) keys.add(hashOf(`journal ${journal}`));
  if (path !== undefined) keys.add(hashOf(`file ${path}`));
  return [...keys];
}

function hashOf(text: string): string {
  return hash('sha256', text, 'hex').slice(0, 16);
}

/** Finds the marks with one of our keys, of living processes and of dead ones. */
function findRivals(
  context: Context,
  folder: string,
  scope: string,
  keys: ReadonlySet<string>,
): Rival[] {
  const { stateFiles } = context;
  const form = /^[0-9a-f]+\.[0-9a-f-]{36}$/;
  return stateFiles.list(folder).flatMap((name): Rival[] => {
    if (!name.startsWith(`${scope}.`) || !form.test(name)) return [];
    const file = join(folder, name);
    const [first = '', ...others] =
      stateFiles.read(file, maxMarkBytes)?.toString().split('\n') ?? [];
    const mark = parseMark(first);
    if (!mark) return [];
    const isOld = context.now() - mark.since > maxDeadAgeMs;
    if (isOld && !isAlive(context, mark)) stateFiles.remove(file);
    else if (others.some((key) => keys.has(key))) return [{ mark, file }];
    return [];
  });
}

/** Returns undefined if the text is torn. */
function parseMark(text: string): Mark | undefined {
  try {
    const mark: unknown = JSON.parse(text);
    return isOwner(mark) && Number.isFinite((mark as Mark).since) ? (mark as Mark) : undefined;
  } catch {
    return undefined;
  }
}

function isAlive({ isRunning }: Context, mark: Mark): boolean {
  return mark.isEnded !== true && isRunning(mark);
}

function isHeld(context: Context, { file }: Rival): boolean {
  const [first = ''] =
    context.stateFiles.read(file, maxFirstLineBytes)?.toString().split('\n', 1) ?? [];
  const mark = parseMark(first);
  return mark !== undefined && isAlive(context, mark);
}

function createHold(
  context: Context,
  { mark, file }: Rival,
  keys: readonly string[],
  rivals: readonly Rival[],
): Hold {
  const { stateFiles } = context;
  return {
    left: rivals.map(({ mark }) => mark),
    settled() {
      for (const rival of rivals) stateFiles.remove(rival.file);
    },
    release(keep) {
      try {
        if (keep) writeMark(context, file, { ...mark, isEnded: true }, keys);
        else stateFiles.remove(file);
      } catch {
        // The next process of this machine finds the mark of a dead one, and waits.
      }
    },
  };
}

function busy({ mark: { pid, host, since, doing }, file }: Rival): Failure {
  return unsentFailure(
    'output',
    `process ${pid} on ${host} has been ${doing} the same names since ${isoTime(since)}`,
    `Run the same command again when it has finished, or with a longer --max-wait. If that process no longer exists (another machine, another container): ${commandOn('rm', file)}`,
  );
}
