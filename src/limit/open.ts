import { createHmac } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Context } from '../context.ts';
import { type Cell, memoryCell, withFallbacks } from '../disk/cell.ts';
import { fileCell } from '../disk/file-cell.ts';
import { FileFault } from '../disk/open-file.ts';
import { faultOfFolder, ownFolder } from '../disk/private-folder.ts';
import { removeFiles } from '../disk/temporary.ts';
import { systemCode } from '../errors.ts';
import { type Limit, openLimit, withClocks } from './limit.ts';
import type { Snapshot } from './state.ts';

/** Returns the name of the limit of a service and key. It is the same on every machine, and contains neither. */
export function nameOfLimit(address: string, key: string): string {
  // The version of the type `State`.
  const hash = createHmac('sha256', key).update(`petstore limit 3\0${address}`);
  return hash.digest('hex').slice(0, 32);
}

/**
 * Opens a limit in the state folder, else in a temporary folder that depends on nothing but the user, so that a login shell and a
 * cron job meet there, else in this process alone.
 * @param onMove called with a notice if it is not in the state folder
 */
export function openOwnLimit(
  context: Context,
  stateFolder: string | undefined,
  name: string,
  onMove: (notice: string) => void,
): Limit {
  const { now, uptime, boot, turn } = context;
  const folders = [stateFolder, temporaryFolder(context)];
  const cells = folders.map((folder) => cellIn(folder, name, context));
  const cell = withFallbacks<Snapshot>([...cells, memoryCell()], (error, next) =>
    onMove(noticeOfMove(error, folders[next - 1], folders[next])),
  );
  return openLimit(
    withClocks(cell, () => ({ wall: now(), uptime: uptime(), boot })),
    turn,
  );
}

/** Any user may have made it. */
function temporaryFolder({ uid, temporary }: Context): string {
  return join(temporary, uid === undefined ? 'petstore' : `petstore-${uid}`);
}

function cellIn(folder: string | undefined, name: string, context: Context): Cell<Snapshot> {
  const limits = join(folder ?? '', 'limits');
  const cell = fileCell<Snapshot>(join(limits, name));
  let hasValue = false;
  return {
    async read() {
      // As long as it is not there, other users may make it. To look each time makes a turn among 20 busy processes
      // take up to twice as long.
      const fault = hasValue ? undefined : faultOfLimits(folder, context);
      if (fault) throw fault;
      const seen = await cell.read();
      hasValue ||= seen.value !== undefined;
      return seen;
    },
    replace(seen, next) {
      const isReplaced = cell.replace(seen, next);
      if (seen.value === undefined) removeOldLogs(limits);
      return isReplaced;
    },
  };
}

/** Files of 0.1.0, which are not read. */
const oldLog = /^(?:salt(?:\.\d+)?|[\da-f]{16}\.\d+\.log)$/;

function removeOldLogs(folder: string): void {
  const names = readdirSync(folder).filter((name) => oldLog.test(name));
  removeFiles(names.map((name) => join(folder, name)));
}

/** Returns the reason why a state folder, to which others may write, cannot hold the limits. */
export function faultOfLimits(
  folder: string | undefined,
  { uid }: Pick<Context, 'uid'>,
): FileFault | undefined {
  if (folder === undefined) return new FileFault('no home folder', ownFolder);
  return faultOfFolder(join(folder, 'limits'), uid);
}

function noticeOfMove(error: unknown, from = 'the state folder', to: string | undefined): string {
  const fault = error instanceof FileFault ? error : undefined;
  const unusable = fault?.message ?? `cannot use ${from} (${systemCode(error) ?? 'unknown error'})`;
  const outcome = to
    ? `the rate limit is shared in ${to} instead`
    : 'the rate limit is not shared with other petstore processes';
  return `${unusable}; ${outcome}. Fix: ${fault?.fix ?? ownFolder}`;
}
