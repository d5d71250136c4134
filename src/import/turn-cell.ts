import { hash } from 'node:crypto';
import { join } from 'node:path';
import * as z from 'zod/mini';
import type { Context } from '../context.ts';
import { cannotSave, saving } from '../disk/files.ts';
import { securePrivateFolder } from '../disk/private-folder.ts';
import { removeStale } from '../disk/temporary.ts';
import { Failure, nothingSent, unsentFailure } from '../errors.ts';
import { type Obstacle, waitForOthers } from '../request/wait.ts';
import type { Cell } from '../store/cell.ts';
import { type Store, type Stored, storeCell, storeFailure } from '../store/store-cell.ts';
import { commandOn } from '../text/shell.ts';
import { isoTime } from '../time.ts';

/** A later date of JavaScript does not exist. */
const momentSchema = z.number().check(z.minimum(0), z.maximum(8.64e15));
const holderSchema = z.object({
  id: z.string(),
  // Zero and less would name groups of processes.
  owner: z.object({
    pid: z.int().check(z.positive()),
    host: z.string(),
    born: z.optional(z.string()),
  }),
  doing: z.enum(['creating', 'importing']),
  since: momentSchema,
  hasEnded: z.optional(z.literal(true)),
});
const createdSchema = z.object({
  /** A hash of account and name. */
  key: z.string(),
  id: z.string(),
  at: momentSchema,
});
/** Whose turn it is to create by name at one service. Each beat of the holder is a new version. */
const turnSchema = z.object({
  v: z.literal(2),
  holder: z.optional(holderSchema),
  /** When a create may last have left that no list has shown, by the clock of the cell. */
  unsettledAt: z.optional(momentSchema),
  /** In a store, what was created within a minute: a list may lack it, and machines share no ledger. */
  created: z.optional(z.array(createdSchema)),
});
export type Holder = z.infer<typeof holderSchema>;
export type TurnValue = z.infer<typeof turnSchema>;

/** The place of a turn: a folder that processes share, or a store that machines share. */
export type TurnCell = Cell<TurnValue, Stored<TurnValue>> & {
  readonly explain: (error: unknown) => Failure;
  readonly store: Store | undefined;
};

export type TurnAddress = {
  readonly folder: string;
  readonly address: string;
  readonly store?: Store | undefined;
};

export const beatMs = 5_000;
/** A create leaves only within this time of a beat that was confirmed. */
export const maxBeatAgeMs = 10_000;
/** Who does not beat for this time is taken for dead. The failure of a lost turn says half a minute. */
const maxSilenceMs = 30_000;
/** A machine that slept has watched nobody meanwhile. */
const maxLookMs = 2_000;
/** Within this time the holder puts itself back into a store that has lost it: by then it sends nothing that was not confirmed. */
const maxPutBackMs = maxBeatAgeMs + 2_000;
const maxUnusedMs = 30 * 86_400_000;
const spaceHint =
  'Free some disk space or set another folder (PETSTORE_STATE_DIR), then run the same command again.';
const laterHint = 'Run the same command again when it has finished, or with a longer --max-wait.';

export function openTurnCell(context: Context, { folder, address, store }: TurnAddress): TurnCell {
  const name = hash('sha256', `petstore turn 2\0${address}`, 'hex').slice(0, 32);
  return store
    ? openInStore(context, store, `petstore:turn:${name}`)
    : openOnDisk(context, join(folder, 'turns'), name);
}

function openInStore(context: Context, store: Store, key: string): TurnCell {
  const parse = (json: string): TurnValue => {
    try {
      return turnSchema.parse(JSON.parse(json));
    } catch {
      throw unreadable(`the shared store ${store.name}`, key, 'delete this key there.');
    }
  };
  const explain = (error: unknown) => storeFailure(store.name, error);
  return { ...storeCell(store.engine, key, parse, context), explain, store };
}

function openOnDisk(context: Context, folder: string, name: string): TurnCell {
  const { now, uid } = context;
  const path = join(folder, name);
  const { read, replace } = context.fileCell<TurnValue>(path, {
    isSynced: true,
    isValid: (value) => turnSchema.safeParse(value).success,
    onDamage() {
      throw unreadable(folder, name, `delete it. Run: ${commandOn('rm -r', path)}`);
    },
    check() {
      saving(folder, () => securePrivateFolder(folder, uid));
      removeStale(path, now());
    },
  });
  return {
    read: async () => ({ ...(await read()), now: now(), isOutdated: false }),
    replace,
    explain(error) {
      const failure = cannotSave(path, error);
      return failure.with({ ...nothingSent, hint: spaceHint, ...failure.details });
    },
    store: undefined,
  };
}

function unreadable(place: string, name: string, fix: string): Failure {
  return unsentFailure(
    'output',
    `${place} has a value that this version of petstore cannot read (${name})`,
    `If no petstore is creating anything, ${fix}`,
  );
}

/** Returns what says why a process may not take the turn, or else for how long we have watched it not change. */
export function createWatch({ uptime, isRunning }: Context, { store }: TurnCell) {
  let last: { readonly version?: string; lookedAt: number; silentMs: number } = {
    lookedAt: 0,
    silentMs: 0,
  };
  return (seen: Stored<TurnValue>, id: string): Obstacle | number => {
    const { value: { holder, unsettledAt } = {}, version, isOutdated } = seen;
    const lookedAt = uptime();
    const sinceLastMs = Math.min(maxLookMs, lookedAt - last.lookedAt);
    const silentMs = version === last.version ? last.silentMs + sinceLastMs : 0;
    last = { version, lookedAt, silentMs };
    if (isOutdated) {
      const why = 'the shared store does not know yet whose turn it is';
      const wait = waitForOthers({ reason: 'claimed', why, next: 'creating' }, undefined);
      return silentMs < maxPutBackMs ? wait : silentMs;
    }
    // It is ours also if the reply to an earlier try was lost.
    if (!holder || holder.hasEnded || holder.id === id || silentMs >= maxSilenceMs) return silentMs;
    // Of machines that share a store, two may have one name; `born` tells them apart.
    const isSeen = !store || holder.owner.born !== undefined;
    if (isSeen && isRunning(holder.owner) === false) return silentMs;
    const words = { why: describeHolder(holder, unsettledAt), next: 'waiting for it to finish' };
    return waitForOthers({ reason: 'claimed', ...words, pid: holder.owner.pid }, laterHint);
  };
}

export function describeHolder(
  { owner: { pid, host }, doing, since }: Holder,
  unsettledAt = since,
): string {
  // It keeps what an earlier process has left, until that is settled.
  const isSettling = unsettledAt < since;
  const does = isSettling
    ? 'is waiting for what a killed run may have sent'
    : `has been ${doing} since ${isoTime(since)}`;
  return `process ${pid} on ${host} ${does}`;
}

export function lostFailure(): Failure {
  return new Failure('output', 'another petstore process has taken the turn to create', {
    consequence:
      'This run was suspended, or did not reach the shared store, for more than half a minute. It sends nothing more.',
    hint: 'Run the same command again: it waits for the other process.',
  });
}

/** Returns how long ago a moment of the cell was. Only the time that we have watched counts if a clock was set. */
export function measureAge(moment: number, now: number, watchedMs: number): number {
  const ageMs = now - moment;
  return ageMs >= 0 && ageMs < maxUnusedMs ? ageMs : watchedMs;
}
