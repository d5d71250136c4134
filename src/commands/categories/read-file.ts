import { usageFailure } from '../../errors.ts';
import { type Input, type InputFormat, readInput } from '../../import/read/input.ts';
import type { Session } from '../../session/session.ts';

/** Reads the categories of a file, or of standard input for `-`. */
export async function readFile(
  { context, options, report }: Session,
  file: string,
  format: InputFormat | undefined,
): Promise<Input> {
  if (file === '-' && options.apiKeyFile === '-') {
    throw usageFailure(
      'standard input cannot provide both the input and the API key',
      'Read one of them from a file, or set the key in PETSTORE_API_KEY.',
    );
  }
  return readInput(context, file, format, report);
}
