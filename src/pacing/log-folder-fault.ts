import { existsSync, realpathSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import type { Context } from '../context.ts';
import { faultOfAccess } from '../disk/denied.ts';
import { FileFault } from '../disk/file-fault.ts';
import { faultOfFolder, faultOfLink, ownFolder } from '../disk/private-folder.ts';
import { systemCode } from '../errors.ts';

/**
 * What keeps a state folder from holding the log. Others may write to it, since `limits` in it is the user's alone.
 * @throws the system's error
 */
export function faultOfState(
  folder: string,
  { uid, platform }: Machine,
  realpath: (path: string) => string = realpathSync.native,
): FileFault | undefined {
  const limits = join(folder, 'limits');
  return (
    faultOfLink(folder, uid) ??
    faultOfFolder(limits, uid) ??
    faultOfDisk(existsSync(limits) ? limits : folder, platform, realpath)
  );
}

type Machine = Pick<Context, 'uid' | 'platform'>;

/** NFS, SMB and CIFS: an append is not one step there, so lines could be torn. */
const networkFileSystems = new Set([0x6969, 0x517b, 0xff534d42, 0xfe534d42]);

/** What keeps a folder that is there from holding the log, on whatever disk it lies. @throws the system's error */
function faultOfDisk(
  folder: string,
  platform: string,
  realpath: (path: string) => string,
): FileFault | undefined {
  const remote =
    platform === 'win32'
      ? isShare(folder, realpath)
      : networkFileSystems.has(statfsSync(folder).type);
  if (!remote) return undefined;
  return new FileFault(`${folder} is on a network file system`, ownFolder);
}

/** A server and a share, also as `\\?\UNC\server\share`; neither a drive nor a device. */
const share = /^[\\/]{2}(?:[?.][\\/]UNC[\\/]|(?![?.][\\/]))/i;

/** Windows names no kinds of file systems; the system's own name of a folder on a mapped drive begins with the server. */
function isShare(folder: string, realpath: (path: string) => string): boolean {
  if (share.test(folder)) return true;
  try {
    return share.test(realpath(folder));
  } catch {
    // Drivers of some virtual disks name none.
    return false;
  }
}

/** The notice when a folder cannot hold the log any more, or never could: another one does, or none. */
export function noticeOfMove(
  { uid }: Pick<Context, 'uid'>,
  error: unknown,
  from: string,
  to: string | undefined,
): string {
  const fault = faultOfAccess(error, uid);
  const why = fault?.message ?? systemCode(error) ?? 'unknown error';
  const unusable = error instanceof FileFault ? error.message : `cannot use ${from} (${why})`;
  const outcome = to
    ? `the rate limit is shared in ${to} instead`
    : 'the rate limit is not shared with other petstore processes';
  return `${unusable}; ${outcome}. Fix: ${fault?.fix ?? ownFolder}`;
}
