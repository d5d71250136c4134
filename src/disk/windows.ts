import { constants } from 'node:fs';
import { systemCode } from '../errors.ts';

/** Windows has no modes, no owners by number, no O_NOFOLLOW, and no folders that can be opened and synced. */
export const isWindows = constants.O_NOFOLLOW === undefined;

/** Codes of Windows for a file that another process, such as a virus scanner, has open or has just deleted. */
const transientCodes = ['EPERM', 'EACCES', 'EBUSY'];
const maxRetries = 100;
const pauseMs = 10;
const neverNotified = new Int32Array(new SharedArrayBuffer(4));

/** Retries on Windows for about a second what it may refuse for a moment, and blocks the thread meanwhile. */
export function retryOnWindows<Result>(action: () => Result): Result {
  for (let left = isWindows ? maxRetries : 0; ; left -= 1) {
    try {
      return action();
    } catch (error) {
      if (left === 0 || !transientCodes.includes(systemCode(error) ?? '')) throw error;
      Atomics.wait(neverNotified, 0, 0, pauseMs);
    }
  }
}
