import { Failure, systemCode } from '../errors.ts';
import { isOutOfFiles } from './too-many-files.ts';

/** What a part of the program that is not there fails with; a file that is cut short or of another version does not parse. */
const gone = new Set(['MODULE_NOT_FOUND', 'ERR_MODULE_NOT_FOUND', 'ENOENT', 'ENOTDIR']);

/**
 * Takes the error of an `import()`. The program is loaded in parts, and an upgrade may replace them while it runs.
 * @throws Failure (output) when the system did not give the part; any other error is thrown as it is
 */
export function unloadable(error: unknown): never {
  const code = systemCode(error);
  if (isOutOfFiles(error)) {
    throw failure(`too many open files to load a part of petstore (${code})`, error);
  }
  if (gone.has(code ?? '') || error instanceof SyntaxError) {
    throw failure(
      'petstore was replaced or removed while it was running',
      error,
      'Run the command again.',
    );
  }
  if (error instanceof Error && 'syscall' in error) {
    throw failure(`cannot load a part of petstore (${code})`, error, 'Reinstall petstore.');
  }
  throw error;
}

function failure(message: string, cause: unknown, hint?: string): Failure {
  return new Failure('output', message, { cause, hint });
}
