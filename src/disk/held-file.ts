import { closeSync, constants, openSync } from 'node:fs';
import { systemCode } from '../errors.ts';
import { retryOnWindows } from './retry-on-windows.ts';

/** libuv's UV_FS_O_EXLOCK, which Node does not name: on Windows nothing else can open, move or remove the file meanwhile. */
const exclusive = 0x10000000;

/**
 * Holds a file, made where there is none, for as long as this process lives: Windows ends that with the process, however it
 * ends, and whichever process gets its id. For Windows alone.
 * @returns what lets go of it; undefined while another process has it open
 * @throws the system's error
 */
export function holdFile(path: string): (() => void) | undefined {
  const file = openUnlessHeld(path, constants.O_RDWR | constants.O_CREAT | exclusive);
  return file === undefined ? undefined : () => closeSync(file);
}

/** Whether a process holds a file; a virus scanner that reads it counts as one. @throws the system's error */
export function isHeld(path: string): boolean {
  try {
    const file = openUnlessHeld(path, constants.O_RDONLY);
    if (file !== undefined) closeSync(file);
    return file === undefined;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false;
    throw error;
  }
}

function openUnlessHeld(path: string, flags: number): number | undefined {
  return retryOnWindows(() => {
    try {
      return openSync(path, flags, 0o600);
    } catch (error) {
      if (systemCode(error) === 'EBUSY') return undefined;
      throw error;
    }
  });
}
