import { systemCode } from '../errors.ts';

/** Whether an error says that this process, or the whole machine, has as many files and connections open as it may. */
export function isOutOfFiles(error: unknown): boolean {
  const code = systemCode(error);
  return code === 'EMFILE' || code === 'ENFILE';
}

/** The next command where that is what failed. */
export const allowMoreFiles = 'Allow more open files and try again: ulimit -n 256';
