import { hash } from 'node:crypto';
import { join } from 'node:path';
import * as z from 'zod/mini';
import type { Context, Owner } from '../context.ts';
import { cannotSave, saving } from '../disk/files.ts';
import { securePrivateFolder } from '../disk/private-folder.ts';
import { removeStale } from '../disk/temporary.ts';
import { type Failure, unsentFailure } from '../errors.ts';
import { type Obstacle, waitForOthers } from '../request/wait.ts';
import type { Cell } from '../store/cell.ts';
import { isOwner } from '../store/owner.ts';
import { type Store, type Stored, storeCell, storeFailure } from '../store/store-cell.ts';
import { commandOn } from '../text/shell.ts';
import { isoTime } from '../time.ts';

/** A later date of JavaScript does not exist. */
const momentSchema = z.number().check(z.minimum(0), z.maximum(8.64e15));
const holderSchema = z.object({
  id: z.string(),
  owner: z.custom<Owner>(isOwner),
  doing: z.enum(['creating', 'importing']),
  since: momentSchema,
  hasEnded: z.optional(z.literal(true)),
});
/** Whose turn it is to create by name at one service. Each beat of the holder is a new version. */
const turnSchema = z.object({
  v: z.literal(2),
  holder: z.optional(holderSchema),
  /** When a create may last have left that no list has shown, by the clock of the cell. */
  unsettledAt: z.optional(momentSchema),
});
export type Holder = z.infer<typeof holderSchema>;
export type TurnValue = z.infer<typeof turnSchema>;

/** The place of a turn: a folder that processes share, or a store that machines share. */
export type TurnCell = Cell<TurnValue, Stored<TurnValue>> & {
  /** Returns what to say if it cannot be read or written. */
  readonly explain: (error: unknown) => Failure;
  readonly store: Store | undefined;
};

export type TurnAddress = {
  /** The state folder. */
  readonly folder: string;
  readonly address: string;
  readonly store?: Store | undefined;
};

export const maxUnusedMs = 30 * 86_400_000;
const laterHint = 'Run the same command again when it has finished, or with a longer --max-wait.';

/** Opens the turn of a service in the store that is set, else on disk. */
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
      throw unreadable(`the shared store ${store.name}`, key, `redis-cli DEL ${key}`);
    }
  };
  const form = { parse, lifetimeS: () => maxUnusedMs / 1_000 };
  const explain = (error: unknown) => storeFailure(store.name, error);
  return { ...storeCell(store.engine, key, form, context), explain, store };
}

function openOnDisk(context: Context, folder: string, name: string): TurnCell {
  const { now, uid } = context;
  const path = join(folder, name);
  const { read, replace } = context.fileCell<TurnValue>(path, {
    isSynced: true,
    isValid: (value) => turnSchema.safeParse(value).success,
    onDamage() {
      throw unreadable(folder, name, commandOn('rm -r', path));
    },
    check() {
      saving(folder, () => securePrivateFolder(folder, uid));
      removeStale(path, now());
    },
  });
  return {
    read: async () => ({ ...(await read()), now: now(), isOutdated: false }),
    replace,
    explain: (error) => cannotSave(path, error),
    store: undefined,
  };
}

function unreadable(place: string, name: string, command: string): Failure {
  return unsentFailure(
    'output',
    `${place} has a value that this version of petstore cannot read (${name})`,
    `If no petstore is creating anything, delete it. Run: ${command}`,
  );
}

export function waitForHolder({ owner: { pid, host }, doing, since }: Holder): Obstacle {
  const why = `process ${pid} on ${host} has been ${doing} since ${isoTime(since)}`;
  const next = 'waiting for it to finish';
  return waitForOthers({ reason: 'claimed', why, next, pid }, laterHint);
}
