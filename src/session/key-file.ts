import type { Readable } from 'node:stream';
import type { Context } from '../context.ts';
import { readText } from '../disk/files.ts';
import { isPipe, openPipe } from '../disk/pipe.ts';
import { configFailure } from '../errors.ts';
import { maxKeyInputBytes } from '../settings/keys.ts';
import { quotedUnlessKey } from '../text/secret.ts';

/** Other names of standard input, which cannot always be opened again. */
const standardInput = ['-', '/dev/stdin', '/dev/fd/0', '/proc/self/fd/0'];

/** Reads the text of a regular file, a pipe or standard input. */
export async function readKeyFile(
  path: string,
  context: Context,
): Promise<{ readonly text: string; readonly source: string }> {
  if (standardInput.includes(path)) {
    return { text: await readStdin(context), source: 'standard input' };
  }
  const text = isPipe(path)
    ? await readAll(openPipe(path), path, context.signal)
    : readText(path, maxKeyInputBytes);
  if (text !== undefined) return { text, source: path };
  throw configFailure(`file not found${quotedUnlessKey(path)} (--api-key-file)`);
}

/** Reads all of standard input. */
export function readStdin({ stdin, signal }: Context): Promise<string> {
  return readAll(stdin, 'standard input', signal);
}

async function readAll(stream: Readable, name: string, signal: AbortSignal): Promise<string> {
  const stop = () => stream.destroy(signal.reason);
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  let text = '';
  for await (const chunk of stream) {
    text += chunk;
    if (text.length > maxKeyInputBytes) throw configFailure(`${name} is too long for an API key`);
  }
  signal.removeEventListener('abort', stop);
  return text;
}
