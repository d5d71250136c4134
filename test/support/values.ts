import { Interruption } from '../../src/errors.ts';
import { toInteger } from '../../src/json/json.ts';
import type { Category } from '../../src/service/resources.ts';
import { fileCell } from '../../src/store/file-cell.ts';

export type {
  Captured,
  CaptureOptions,
  Context,
  Output,
  Send,
  WireAnswer,
  WireRequest,
} from '../../src/context.ts';
export { contentFields, optionalFields } from '../../src/fields.ts';
export { formats } from '../../src/formats.ts';
export { plans } from '../../src/sandbox/quota.ts';
// The program's types and constants that tests from outside need. Everything else they see through `run()`, a process or a socket.
export type { Category } from '../../src/service/resources.ts';
export { profileSettings, settings } from '../../src/settings/settings.ts';

/** Returns a number of the sandbox's state, with these digits. */
export function exact(digits: string): number | bigint {
  return toInteger(BigInt(digits));
}

/** Returns a category of the sandbox's state. */
export function category(id: string, name: string, description?: string): Category {
  return { id: exact(id), name, ...(description !== undefined && { description }) };
}

/** Returns what the signal is aborted with when the user presses Ctrl-C (130) or the process is terminated (143). */
export function interrupted(exitCode: 129 | 130 | 143): Interruption {
  return new Interruption(exitCode);
}

/** Puts a value in place of a turn or a limit on disk, as another process would. */
export function putValue(folder: string, value: unknown): void {
  const cell = fileCell(folder);
  cell.replace(cell.read(), value);
}
