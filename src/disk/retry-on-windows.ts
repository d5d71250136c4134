import { systemCode } from '../errors.ts';
import { isWindows } from './windows.ts';

/** What Windows reports for a file that another process, such as a virus scanner, has open or has just deleted. */
const transient = ['EPERM', 'EACCES', 'EBUSY'];
/** About a second in all; in ms. */
const tries = 100;
const pause = 10;
const never = new Int32Array(new SharedArrayBuffer(4));

/**
 * Does something that Windows may refuse for a moment, and on Windows tries again for about a second; elsewhere a refusal
 * lasts. The thread waits, as for the disk itself.
 * @throws what the last try throws
 */
export function retryOnWindows<Result>(action: () => Result): Result {
  for (let left = isWindows ? tries : 0; ; left -= 1) {
    try {
      return action();
    } catch (error) {
      if (left === 0 || !transient.includes(systemCode(error) ?? '')) throw error;
      Atomics.wait(never, 0, 0, pause);
    }
  }
}
