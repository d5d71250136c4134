import { createHmac, randomBytes } from 'node:crypto';
import { existsSync, linkSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { Context } from '../context.ts';
import { systemCode } from '../errors.ts';
import { makePrivateFolder, othersCanChange } from '../files.ts';
import { nameTemporary } from '../temporary.ts';
import { type Log, openSharedLog } from './log.ts';

/**
 * Ways to the shared log of a service and key, best first: in the state folder, else in one that lasts as long as the machine
 * is up. The file's name tells neither address nor key. Each throws when its folder cannot be used.
 */
export function placesFor(
  context: Pick<Context, 'env' | 'uid'>,
  stateFolder: string | undefined,
  identity: string,
): (() => Log)[] {
  return foldersFor(context, stateFolder).map(
    (folder) => () => openIn(folder, context.uid, identity),
  );
}

/** Whether a log of any service and key was ever kept there; none is made to find out. */
export function hasLogs(context: Pick<Context, 'env' | 'uid'>, stateFolder: string | undefined) {
  return foldersFor(context, stateFolder).some((folder) => existsSync(join(folder, 'limits')));
}

function foldersFor(
  { env, uid }: Pick<Context, 'env' | 'uid'>,
  stateFolder: string | undefined,
): string[] {
  const runtime = env.XDG_RUNTIME_DIR;
  return [
    stateFolder,
    runtime && isAbsolute(runtime) ? join(runtime, 'petstore') : undefined,
    join(env.TMPDIR || tmpdir(), uid === undefined ? 'petstore' : `petstore-${uid}`),
  ].filter((folder) => folder !== undefined);
}

function openIn(folder: string, uid: number | undefined, identity: string): Log {
  const limits = join(folder, 'limits');
  makePrivateFolder(limits);
  for (const path of [folder, limits]) {
    const fault = faultOf(path, uid);
    if (fault) throw new Error(fault);
  }
  return openSharedLog(limits, scopeName(readSalt(limits), identity));
}

/** Why a folder is no place for a log that processes share, or undefined when it is one. @throws the system's error */
export function faultOf(path: string, uid: number | undefined): string | undefined {
  // A folder that another one owns or can write to could be swapped by them.
  if (othersCanChange(path, uid)) return `others can change ${path}`;
  const remote = networkFileSystems.has(statfsSync(path).type);
  return remote ? `${path} is on a network file system` : undefined;
}

/** NFS, SMB and CIFS: an append is not one step there, so lines could be torn. */
const networkFileSystems = new Set([0x6969, 0x517b, 0xff534d42, 0xfe534d42]);

/** A keyed hash, so that nobody can try keys against the names of the files. */
function scopeName(salt: Uint8Array, identity: string): string {
  return createHmac('sha256', salt).update(identity).digest('hex').slice(0, 16);
}

/** 32 random bytes, made once: whole as soon as they are there, whoever comes first. */
function readSalt(folder: string): Uint8Array {
  const path = join(folder, 'salt');
  try {
    return readFileSync(path);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
  const temporary = nameTemporary(path);
  try {
    writeFileSync(temporary, randomBytes(32), { mode: 0o600, flag: 'wx' });
    linkSync(temporary, path);
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
  return readFileSync(path);
}
