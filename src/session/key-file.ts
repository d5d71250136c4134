import { fstatSync } from 'node:fs';
import type { Readable } from 'node:stream';
import type { Context } from '../context.ts';
import { readText } from '../disk/files.ts';
import { isPipe, openPipe } from '../disk/pipe.ts';
import { configFailure } from '../errors.ts';
import { notice } from '../events.ts';
import { maxKeyInput } from '../settings/keys.ts';
import { mayBeKey } from '../text/secret.ts';
import { commandOn } from '../text/shell.ts';
import type { Setup } from './setting.ts';

/** Other names of standard input, which can be read as it is and need not be opened again. */
const standardInput = ['-', '/dev/stdin', '/dev/fd/0', '/proc/self/fd/0'];

/**
 * The text of the file that holds a key: a regular file, a pipe or standard input. It may be readable for others, as secrets in
 * containers are, but not writable: they could have petstore act on an account of theirs.
 * @throws Failure (config), the signal's reason
 */
export async function readKeyFile(
  path: string,
  { host: { context }, report }: Pick<Setup, 'host' | 'report'>,
): Promise<{ readonly text: string; readonly source: string }> {
  if (standardInput.includes(path)) {
    return { text: await readStdin(context), source: 'standard input' };
  }
  if (isPipe(path))
    return { text: await readAll(openPipe(path), path, context.signal), source: path };
  const text = readText(path, maxKeyInput, (fd) => {
    const { uid, mode } = fstatSync(fd);
    if (context.uid === undefined) return;
    if ((mode & 0o022) !== 0) {
      const message = `the API key in ${path} was not used, because other users can change it`;
      throw configFailure(message, commandOn('chmod go-w', path));
    }
    // To a key of somebody else, and to what root alone has on a machine or in a container, there is nothing to be mended.
    if ((mode & 0o044) !== 0 && uid === context.uid && uid !== root) {
      notice(
        report,
        `other users can read the API key in ${path}: ${commandOn('chmod 600', path)}`,
      );
    }
  });
  // The name may be the key itself, where the flag was taken for another one.
  if (text === undefined) {
    const name = mayBeKey(path) ? '' : `: ${path}`;
    throw configFailure(`file not found${name} (--api-key-file)`);
  }
  return { text, source: path };
}

const root = 0;

/** All of standard input as text. @throws Failure (config) when it is too long, the signal's reason */
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
    if (text.length > maxKeyInput) throw configFailure(`${name} is too long for an API key`);
  }
  signal.removeEventListener('abort', stop);
  return text;
}
