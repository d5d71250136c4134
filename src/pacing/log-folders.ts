import { createHmac, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Context } from '../context.ts';
import { FileFault } from '../disk/file-fault.ts';
import { makePrivateFolder } from '../disk/folders.ts';
import { readOwn } from '../disk/open-file.ts';
import { ownFolder, securePrivateFolder } from '../disk/private-folder.ts';
import type { Ledger } from './ledger.ts';
import { type Log, openFileLog } from './log.ts';
import { faultOfState } from './log-folder-fault.ts';
import { makeOnce } from './make-once.ts';

/** A folder where the shared log of a service and key may be. */
export type LogFolder = {
  readonly path: string;
  /** A log that is made now begins with what is known. @throws FileFault or the system's error when it cannot be used */
  readonly open: (known: Ledger) => Log;
};

type Machine = Pick<Context, 'uid' | 'platform' | 'temporary'>;

/**
 * Where the shared log of a service and key may be: in the state folder, else in one that lasts as long as the machine is up.
 * That one depends on nothing but the user, so that a login shell and a cron job meet there. The file's name tells neither
 * address nor key.
 */
export function logFoldersFor(
  machine: Machine,
  stateFolder: string | undefined,
  identity: string,
): readonly [LogFolder, LogFolder] {
  const { uid } = machine;
  const temporary = temporaryFolder(machine);
  return [
    {
      path: stateFolder ?? 'the state folder',
      open(known) {
        if (stateFolder === undefined) throw new FileFault('no home folder', ownFolder);
        return openIn(stateFolder, known);
      },
    },
    {
      path: temporary,
      open(known) {
        // Any user may have made this one.
        securePrivateFolder(temporary, uid);
        return openIn(temporary, known);
      },
    },
  ];

  function openIn(folder: string, known: Ledger): Log {
    makePrivateFolder(folder);
    const fault = faultOfState(folder, machine);
    if (fault) throw fault;
    const limits = join(folder, 'limits');
    securePrivateFolder(limits, uid);
    return openFileLog(limits, scopeName(readSalt(limits), identity), known);
  }
}

/** The folder that lasts as long as the machine is up; any user may have made it. */
function temporaryFolder({ uid, temporary }: Machine): string {
  return join(temporary, uid === undefined ? 'petstore' : `petstore-${uid}`);
}

/** A keyed hash, so that nobody can try keys against the names of the files. */
function scopeName(salt: Uint8Array, identity: string): string {
  return createHmac('sha256', salt).update(identity).digest('hex').slice(0, 16);
}

const saltLength = 32;

/** Random bytes, the same for all. What is no whole salt was damaged: the next name is for one that is, so that all agree on it. */
function readSalt(folder: string): Uint8Array {
  for (let number = 1; ; ) {
    const path = join(folder, number === 1 ? 'salt' : `salt.${number}`);
    const salt = readOwn(path, saltLength + 1);
    if (salt?.length === saltLength) return salt;
    if (salt) number += 1;
    else makeOnce(path, randomBytes(saltLength));
  }
}
