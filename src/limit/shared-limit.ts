import * as z from 'zod/mini';
import type { Context } from '../context.ts';
import { type Store, storeCell, storeFailure } from '../store/store-cell.ts';
import { type Limit, openLimit } from './limit.ts';
import { isPlausible, type Snapshot } from './state.ts';
import { snapshotSchema } from './state-schema.ts';

const minLifetimeS = 25 * 3_600;

/** Opens a limit that machines share through a store. While that is away, nobody knows who was told to wait: each change fails. */
export function openStoreLimit(store: Store, name: string, context: Context): Limit {
  const cell = storeCell(store.engine, `petstore:lim:${name}`, { parse, lifetimeS }, context);
  const read = async () => {
    const seen = await cell.read();
    return seen.value && seen.isOutdated ? { ...seen, value: onlyOne(seen.value) } : seen;
  };
  const readClocks = ({ now }: { readonly now: number }) => {
    return { wall: now, uptime: now, boot: 'server' };
  };
  const explain = (error: unknown) => storeFailure(store.name, error);
  const limit = openLimit({ ...cell, read }, readClocks, context.yieldToIo, explain);
  return { ...limit, isRemote: true };
}

const schema = snapshotSchema.check(z.refine(isPlausible));

/** Returns undefined for a damaged value: then one request goes first. */
function parse(json: string): Snapshot | undefined {
  try {
    return schema.parse(JSON.parse(json));
  } catch {
    return undefined;
  }
}

function lifetimeS({ state, stamp }: Snapshot): number {
  const waitS = Math.ceil(Math.max(0, (state.block?.until ?? 0) - stamp.at) / 1_000);
  return minLifetimeS + waitS;
}

/** A store that was started anew may have lost a wait. One request then finds it. */
function onlyOne({ state, stamp }: Snapshot): Snapshot {
  return { state: { ...state, together: 1 }, stamp };
}
