import { Interruption } from '../../src/errors.ts';
import { ExactNumber } from '../../src/json/json.ts';

// The program's types and constants that tests from outside need. Everything else they see through `run()`, a process or a socket.
export type { Category } from '../../src/api/resources.ts';
export type {
  Captured,
  CaptureOptions,
  Context,
  HttpProxy,
  Output,
  Send,
  WireAnswer,
  WireRequest,
} from '../../src/context.ts';
export { tryLock } from '../../src/disk/lock.ts';
export { type Format, formats } from '../../src/formats.ts';
export { plans } from '../../src/sandbox/quota.ts';

/** Returns a number of the sandbox's state, with these digits. */
export function exact(digits: string): ExactNumber {
  return new ExactNumber(digits);
}

/** Returns what the signal is aborted with when the user presses Ctrl-C (130) or the process is terminated (143). */
export function interrupted(exitCode: 129 | 130 | 143): Interruption {
  return new Interruption(exitCode);
}
