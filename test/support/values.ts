import { Interruption } from '../../src/errors.ts';
import { toInteger } from '../../src/json/json.ts';
import { withLock } from '../../src/store/lock.ts';

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
export { type Format, formats } from '../../src/formats.ts';
export { plans } from '../../src/sandbox/quota.ts';
// The program's types and constants that tests from outside need. Everything else they see through `run()`, a process or a socket.
export type { Category } from '../../src/service/resources.ts';

/** Returns a number of the sandbox's state, with these digits. */
export function exact(digits: string): number | bigint {
  return toInteger(BigInt(digits));
}

/** Lets that process take a lock, whoever has it. Returns what releases it. */
export function lockAs(pid: number, path: string, now = () => 0): Promise<() => void> {
  const world = {
    owner: { pid, host: 'elsewhere' },
    isRunning: () => false,
    now,
    random: () => 0,
    sleep: () => Promise.resolve(),
    signal: new AbortController().signal,
  };
  return new Promise((resolve, reject) => {
    withLock(world, path, () => new Promise<void>(resolve)).catch(reject);
  });
}

/** Returns what the signal is aborted with when the user presses Ctrl-C (130) or the process is terminated (143). */
export function interrupted(exitCode: 129 | 130 | 143): Interruption {
  return new Interruption(exitCode);
}
