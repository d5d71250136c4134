import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { linkSync, readFileSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { Environment } from '../context.ts';
import { systemCode } from '../errors.ts';
import { makePrivateFolder } from '../files.ts';
import { type Log, openSharedLog } from './log.ts';

/**
 * The shared log of a service and key, in the first folder that can hold it: the state folder, else one that lasts as long
 * as the machine is up. The file's name tells neither address nor key.
 * @throws the last folder's error when none can
 */
export function openLog(stateFolder: string | undefined, env: Environment, identity: string): Log {
  const runtime = env.XDG_RUNTIME_DIR;
  const folders = [
    stateFolder,
    runtime && isAbsolute(runtime) ? join(runtime, 'petstore') : undefined,
    join(env.TMPDIR || tmpdir(), `petstore-${userInfo().uid}`),
  ].filter((folder) => folder !== undefined);
  let failure: unknown;
  for (const folder of folders) {
    try {
      return openIn(join(folder, 'limits'), identity);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

function openIn(folder: string, identity: string): Log {
  makePrivateFolder(folder);
  const { uid, mode } = statSync(folder);
  const mine = uid === userInfo().uid || userInfo().uid < 0;
  if (!mine || (mode & 0o022) !== 0) throw new Error(`others can write to ${folder}`);
  if (networkFileSystems.has(statfsSync(folder).type)) {
    throw new Error(`${folder} is on a network file system`);
  }
  return openSharedLog(folder, scopeName(readSalt(folder), identity));
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
  const temporary = `${path}.${randomUUID()}.tmp`;
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
