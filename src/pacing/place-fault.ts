import { existsSync, lstatSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { systemCode } from '../errors.ts';
import { othersCanChange } from '../files.ts';
import { isOutOfFiles } from '../open-files.ts';
import { commandOn } from '../shell.ts';

/** Why a folder cannot hold a log that processes share, and the command that mends it. */
export class PlaceFault extends Error {
  readonly fix: string;

  constructor(reason: string, fix = 'export PETSTORE_STATE_DIR=/a/folder/of/your/own') {
    super(reason);
    this.fix = fix;
  }
}

/**
 * What keeps a state folder from holding the log. Others may write to it, since `limits` in it is the user's alone; but root
 * makes none in a folder of another user, who could not use it any more. @throws the system's error
 */
export function faultOfState(folder: string, uid: number | undefined): PlaceFault | undefined {
  const { uid: owner } = statSync(folder);
  if (uid === 0 && owner !== uid) return ofAnother(folder, owner);
  const limits = join(folder, 'limits');
  return existsSync(limits) ? faultOf(limits, uid) : faultOfDisk(folder);
}

/** What keeps a folder from being the user's alone, and on a disk of this machine. @throws the system's error */
export function faultOf(folder: string, uid: number | undefined): PlaceFault | undefined {
  const stats = lstatSync(folder);
  if (stats.isSymbolicLink()) return new PlaceFault(`${folder} is a link`, commandOn('rm', folder));
  if (uid !== undefined && stats.uid !== uid) return ofAnother(folder, stats.uid);
  if (othersCanChange(folder, uid)) {
    return new PlaceFault(`others can change ${folder}`, commandOn('chmod 700', folder));
  }
  return faultOfDisk(folder);
}

function ofAnother(folder: string, owner: number): PlaceFault {
  return new PlaceFault(`${folder} belongs to another user (${owner})`);
}

/** NFS, SMB and CIFS: an append is not one step there, so lines could be torn. */
const networkFileSystems = new Set([0x6969, 0x517b, 0xff534d42, 0xfe534d42]);

function faultOfDisk(folder: string): PlaceFault | undefined {
  const remote = networkFileSystems.has(statfsSync(folder).type);
  return remote ? new PlaceFault(`${folder} is on a network file system`) : undefined;
}

/** The notice when a folder cannot hold the log any more, or never could: another one does, or none. */
export function noticeOfMove(error: unknown, from: string, to: string | undefined): string {
  const fault =
    error instanceof PlaceFault
      ? error
      : new PlaceFault(
          `cannot use ${from} (${systemCode(error) ?? 'unknown error'})`,
          isOutOfFiles(error) ? 'ulimit -n 256' : undefined,
        );
  const outcome = to
    ? `the limit is shared in ${to} instead`
    : 'the limit cannot be shared on this disk; other petstore processes are not seen';
  return `${fault.message}; ${outcome}. Fix: ${fault.fix}`;
}
