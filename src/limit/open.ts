import { createHmac } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import type { Context } from '../context.ts';
import { FileFault } from '../disk/open-file.ts';
import { findFolderFault, findOwnerFault, ownFolder } from '../disk/private-folder.ts';
import { stateFiles } from '../disk/state-files.ts';
import { removeStale } from '../disk/temporary.ts';
import { systemCode, unsentFailure } from '../errors.ts';
import { type Cell, memoryCell, orInMemory } from '../store/cell.ts';
import { fileCell } from '../store/file-cell.ts';
import { type Clocks, later } from './clocks.ts';
import { type Limit, openLimit } from './limit.ts';
import { isPlausible, type Snapshot } from './state.ts';

/** Returns the name of the limit of a service and key. It is the same on every machine, and contains neither. */
export function nameLimit(address: string, key: string): string {
  // The number is the version of the type `State`.
  const hmac = createHmac('sha256', key).update(`petstore limit 4\0${address}`);
  return hmac.digest('hex').slice(0, 32);
}

const maxUnusedMs = 30 * 24 * 3_600_000;

/**
 * Opens a limit in the first place that is ours and can be written: the state folder, the folder that the system made for the user, a
 * temporary folder that depends on nothing but the user, so that a login shell and a cron job meet there. Else it is in memory.
 * @param onNotice called with a notice if it is not in the state folder, or if a value is damaged
 */
export function openOwnLimit(
  context: Context,
  stateFolder: string | undefined,
  name: string,
  onNotice: (notice: string) => void,
): Limit {
  let chosen: Cell<Snapshot> | undefined;
  const cell = () => {
    chosen ??= orInMemory(chooseCell(context, stateFolder, name, onNotice), (error) =>
      onNotice(describeMove(error, stateFolder, undefined)),
    );
    return chosen;
  };
  const read = async () => {
    try {
      return await cell().read();
    } catch (error) {
      if (error instanceof FileFault) throw unsentFailure('output', error.message, error.fix);
      const code = systemCode(error);
      if (code === undefined) throw error;
      const message = `cannot read the rate limit (${code})`;
      throw unsentFailure('output', message, 'Run the command again.');
    }
  };
  const replace: Cell<Snapshot>['replace'] = (seen, next) => cell().replace(seen, next);
  return openLimit({ read, replace }, () => readClocks(context), context.turn);
}

function chooseCell(
  context: Context,
  stateFolder: string | undefined,
  name: string,
  onNotice: (notice: string) => void,
): Cell<Snapshot> {
  const faults: unknown[] = [];
  for (const folder of [stateFolder, ...listOtherFolders(context)]) {
    try {
      const cell = openCell(folder, name, context, onNotice);
      cell.read();
      if (faults.length > 0) onNotice(describeMove(faults[0], stateFolder, folder));
      return cell;
    } catch (error) {
      if (!(error instanceof FileFault) && systemCode(error) === undefined) throw error;
      faults.push(error);
    }
  }
  // A folder that is there, and that others can change.
  const stranger = faults.find((fault) => fault instanceof FileFault);
  if (stranger && stateFolder !== undefined) {
    const message = `${stranger.message}; the rate limit can be kept nowhere`;
    throw unsentFailure('output', message, stranger.fix);
  }
  onNotice(describeMove(faults[0], stateFolder, undefined));
  return memoryCell();
}

function readClocks({ now, uptime, boot }: Context): Clocks {
  return { wall: now(), uptime: uptime(), boot };
}

/** Any user may have made the last one. */
function listOtherFolders({ env, uid, temporary }: Context): string[] {
  const { XDG_RUNTIME_DIR: runtime = '' } = env;
  const own = join(temporary, uid === undefined ? 'petstore' : `petstore-${uid}`);
  return isAbsolute(runtime) ? [join(runtime, 'petstore'), own] : [own];
}

function openCell(
  folder: string | undefined,
  name: string,
  context: Context,
  onNotice: (notice: string) => void,
) {
  const limits = join(folder ?? '', 'limits');
  const path = join(limits, name);
  const options = { isValid: isPlausible, onDamage: () => onNotice(describeDamage(limits)) };
  // As long as there is no value, other users may make the folder. To look each time makes a turn among 20 busy processes take
  // up to twice as long.
  const check = () => {
    const fault = findLimitsFault(folder, context);
    if (fault) throw fault;
    removeStale(path, context.now());
    if (!existsSync(path)) removeUnused(limits, context);
  };
  return fileCell<Snapshot>(path, { ...options, check });
}

/** Removes the limits of other services and keys that have long been out of use. A clock that was set forward must end no wait. */
function removeUnused(limits: string, context: Context): void {
  for (const name of stateFiles.list(limits)) {
    try {
      const { value } = fileCell<Snapshot>(join(limits, name)).read();
      if (!value) continue;
      const { state, stamp } = value;
      const { at } = later(stamp, readClocks(context));
      const ends = [stamp.at + maxUnusedMs, state.block?.until ?? 0, state.day?.endsAt ?? 0];
      if (Math.max(...ends) < at) rmSync(join(limits, name), { recursive: true });
    } catch {
      // Another process has it, or it is not ours.
    }
  }
}

/** Returns the reason why a state folder, to which others may write, cannot hold the limits. */
export function findLimitsFault(
  folder: string | undefined,
  { uid }: Pick<Context, 'uid'>,
): FileFault | undefined {
  if (folder === undefined) return new FileFault('no home folder', ownFolder);
  return findOwnerFault(folder, uid) ?? findFolderFault(join(folder, 'limits'), uid);
}

function describeDamage(folder: string): string {
  return `the newest record of the rate limit in ${folder} is damaged; the one before it counts, or else one request goes first`;
}

function describeMove(error: unknown, from = 'the state folder', to: string | undefined): string {
  const fault = error instanceof FileFault ? error : undefined;
  const unusable = fault?.message ?? `cannot use ${from} (${systemCode(error) ?? 'unknown error'})`;
  const outcome = to
    ? `the rate limit is shared in ${to} instead`
    : 'the rate limit is not shared with other petstore processes';
  return `${unusable}; ${outcome}. ${fault?.fix ?? ownFolder}`;
}
