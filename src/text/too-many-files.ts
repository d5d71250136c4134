import { systemCode } from '../errors.ts';

/** Whether an error says that this process, or the whole machine, has as many files and connections open as it may. */
export function isOutOfFiles(error: unknown): boolean {
  const code = systemCode(error);
  return code === 'EMFILE' || code === 'ENFILE';
}

/** The next thing to do where that is what failed; Windows has no limit that a user could raise. */
export function allowMoreFiles(platform: string): string {
  return platform === 'win32'
    ? 'Close other programs and try again.'
    : `Allow more open files and try again: ${moreFiles(platform)}`;
}

/** What allows more of them. */
export function moreFiles(platform: string): string {
  return platform === 'win32' ? 'close other programs' : 'ulimit -n 256';
}
