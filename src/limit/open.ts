import { join } from 'node:path';
import type { Context } from '../context.ts';
import { FileFault } from '../disk/open-file.ts';
import { checkFolder, ownFolder } from '../disk/private-folder.ts';
import { removeStale } from '../disk/temporary.ts';
import { asFailure, isPassing, nothingSent, systemCode, unsentFailure } from '../errors.ts';
import { type Cell, orInMemory } from '../store/cell.ts';
import { fileCell } from '../store/file-cell.ts';
import { type Store, type Stored, storeCell, storeFailure } from '../store/store-cell.ts';
import { type Limit, openLimit } from './limit.ts';
import { isPlausible, type Snapshot } from './state.ts';

/** Opens a limit in the state folder, or in memory if that cannot be written. */
export function openOwnLimit(
  context: Context,
  stateFolder: string | undefined,
  name: string,
  onNotice: (notice: string) => void,
): Limit {
  const onFailure = (error: unknown) => {
    // Others can change the folder, or it cannot be used just now: there may be a wait.
    const isFolder = systemCode(error) === undefined && stateFolder !== undefined;
    if (isFolder || isPassing(error)) throw error;
    onNotice(describeLoss(error, stateFolder));
  };
  const cell = orInMemory(openCell(stateFolder, name, context, onNotice), onFailure);
  const readClocks = () => ({ wall: context.now(), uptime: context.uptime(), boot: context.boot });
  return openLimit(cell, readClocks, context.yieldToIo, explain);
}

function explain(error: unknown): unknown {
  const known = asFailure(error)?.with(nothingSent);
  const code = systemCode(error);
  if (known || code === undefined) return known ?? error;
  return unsentFailure('output', `cannot read the rate limit (${code})`, 'Run the command again.');
}

function openCell(
  folder: string | undefined,
  name: string,
  context: Context,
  onNotice: (notice: string) => void,
): Cell<Snapshot> {
  const limits = join(folder ?? '', 'limits');
  const path = join(limits, name);
  const options = { isValid: isPlausible, onDamage: () => onNotice(describeDamage(limits)) };
  // As long as there is no value, other users may make the folder. To look each time makes a wait among 20 busy processes take
  // up to twice as long.
  const check = () => {
    if (folder === undefined) throw new FileFault('no home folder', ownFolder);
    checkFolder(limits, context.uid);
    removeStale(path, context.now());
  };
  return fileCell<Snapshot>(path, { ...options, check });
}

function describeDamage(folder: string): string {
  return `the newest record of the rate limit in ${folder} is damaged; the one before it counts, or else one request goes first`;
}

function describeLoss(error: unknown, folder = 'the state folder'): string {
  const fault = error instanceof FileFault ? error : undefined;
  const why = fault?.message ?? `cannot use ${folder} (${systemCode(error) ?? 'unknown error'})`;
  return `${why}; the rate limit is not shared with other petstore processes. ${ownFolder}`;
}

/** Opens a limit that machines share through a store. While that is away, nobody knows who was told to wait: each change fails. */
export function openStoreLimit(store: Store, name: string, context: Context): Limit {
  const cell = storeCell(store.engine, `petstore:lim:${name}`, parse, context);
  const read = async () => {
    const seen = await cell.read();
    return seen.value && seen.isOutdated ? { ...seen, value: onlyOne(seen.value) } : seen;
  };
  const explain = (error: unknown) => storeFailure(store.name, error);
  const readClocks = ({ now }: Stored<Snapshot>) => ({ wall: now, uptime: now, boot: 'server' });
  return openLimit({ ...cell, read }, readClocks, context.yieldToIo, explain);
}

/** Returns undefined for a damaged value: then one request goes first. */
function parse(json: string): Snapshot | undefined {
  try {
    const value = JSON.parse(json);
    return isPlausible(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A store that was started anew may have lost a wait. One request then finds it. */
function onlyOne({ state, stamp }: Snapshot): Snapshot {
  return { state: { ...state, together: 1 }, stamp };
}
