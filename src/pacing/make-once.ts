import { linkSync } from 'node:fs';
import { writeNew } from '../disk/new-file.ts';
import { nameTemporary, sweep } from '../disk/temporary.ts';
import { systemCode } from '../errors.ts';

/**
 * Makes a file of mode 0600 whose bytes last before it has its name, so that a power cut never leaves it empty. When another
 * process was faster, its file stays. @throws the system's error
 */
export function makeOnce(path: string, bytes: Uint8Array): void {
  const temporary = nameTemporary(path);
  try {
    writeNew(temporary, bytes);
    linkSync(temporary, path);
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
  } finally {
    sweep([temporary]);
  }
}
