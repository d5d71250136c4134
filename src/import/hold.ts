import { hash, randomUUID } from 'node:crypto';
import { existsSync, readdirSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import type { Context } from '../context.ts';
import { cannotSave, saving } from '../disk/files.ts';
import { syncFolder } from '../disk/folders.ts';
import { withLock } from '../disk/lock.ts';
import { type Mark, parseMark } from '../disk/mark.ts';
import { holdMark, isAlive, removeMark } from '../disk/mark-file.ts';
import { writeNew } from '../disk/new-file.ts';
import { readOwn } from '../disk/open-file.ts';
import { securePrivateFolder } from '../disk/private-folder.ts';
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
import { lookAlikeKey } from './make-plan.ts';

/** Names at one service that only this process may create until it releases them. */
export type Hold = {
  /**
   * One for each process that ended without releasing one of these names, and its journal if it has one. Also one for each
   * create that we waited for: the list may not show yet what it created.
   */
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
  /** Identifies the journal of an import. Only one process at a time can hold it. */
  readonly journal?: string;
  readonly doing: 'creating' | 'importing';
  /** The longest wait for other processes, in ms. */
  readonly maxWaitMs: number;
  readonly report: Report;
};

type HoldMark = Mark & Pick<Options, 'doing'> & { readonly journal?: string | undefined };

/** The mark of a process that has one of the names, and its file. */
type Rival = { readonly mark: HoldMark; readonly file: string };

const pollMs = 50;
/** Shorter waits are not shown. */
const minShownMs = 2_000;
/** 100,000 names take 1.7 MB. */
const maxMarkBytes = 4 * 1024 * 1024;
const dayMs = 86_400_000;
/** The clock of a network drive may differ from ours by so much. */
const maxClockSkewMs = 60_000;

/**
 * Takes all of these names, or waits for the living processes that have one of them. Throws Failure (output) if that takes too
 * long or the disk refuses the mark, and Failure (interrupted).
 */
export async function holdNames(context: Context, options: Options): Promise<Hold> {
  const { uptime, sleep, random, signal } = context;
  const { maxWaitMs, report } = options;
  const start = uptime();
  const by = Symbol('names');
  const creates: HoldMark[] = [];
  let shown: Rival | undefined;
  try {
    for (;;) {
      const held = await tryHold(context, options);
      if ('release' in held) return { ...held, left: [...held.left, ...creates] };
      if (held.mark.doing === 'creating') creates.push(held.mark);
      while (existsSync(held.file) && isAlive(context, held.mark, held.file)) {
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
      const living = rivals.find(({ mark, file }) => isAlive(context, mark, file));
      if (living) return living;
      const mark: HoldMark = { ...context.owner, since: context.now(), doing, journal };
      // It outlives a power cut as well: the service may still carry out what was sent before.
      writeNew(file, Buffer.from([JSON.stringify(mark), ...keys].join('\n')));
      syncFolder(folder);
      return createHold(file, rivals);
    } catch (error) {
      removeMark(file);
      throw cannotSave(file, error);
    }
  });
}

/** Names that a service may take for the same one have the same key. */
function keysOf({ names, journal }: Options): string[] {
  const keys = new Set(names.map((name) => hashOf(`name ${lookAlikeKey(name)}`)));
  // With --allow-duplicates names do not matter, but a file is one import at a time.
  if (journal !== undefined) keys.add(hashOf(`journal ${journal}`));
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
  const rivals: Rival[] = [];
  const form = /^[0-9a-f]+\.[0-9a-f-]{36}$/;
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(`${scope}.`) || !form.test(name)) continue;
    const file = join(folder, name);
    const [first = '', ...others] = readOwn(file, maxMarkBytes)?.toString().split('\n') ?? [];
    const mark = parseMark(first) as HoldMark | undefined;
    // If it is torn, its writer ended before it sent anything.
    if (!mark || isStale(context, { mark, file })) removeMark(file);
    else if (others.some((key) => keys.has(key))) rivals.push({ mark, file });
  }
  return rivals;
}

/** Returns true for a mark whose process was seen dead a day ago. The file's time is set when that is seen first. */
function isStale(context: Context, { mark, file }: Rival): boolean {
  if (isAlive(context, mark, file)) return false;
  try {
    const { mtimeMs } = statSync(file);
    // An import may have run for days: how old its mark is says nothing of its last request.
    const wasSeen = mtimeMs > mark.since + maxClockSkewMs;
    if (!wasSeen) utimesSync(file, context.now() / 1_000, context.now() / 1_000);
    return wasSeen && context.now() - mtimeMs > dayMs;
  } catch {
    // Just removed by a process that has settled it.
    return false;
  }
}

function createHold(file: string, rivals: readonly Rival[]): Hold {
  return {
    ...holdMark(file),
    left: rivals.map(({ mark }) => mark),
    settled() {
      for (const rival of rivals) removeMark(rival.file);
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
