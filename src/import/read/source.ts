import type { Stats } from 'node:fs';
import { constants, type FileHandle, open, realpath } from 'node:fs/promises';
import type { Context } from '../../context.ts';
import { Failure, systemCode, unsentFailure, usageFailure } from '../../errors.ts';

/** Where the bytes of an input come from. */
export type Source = {
  /** For messages: the path as given, or "standard input". */
  readonly name: string;
  /** Absolute and without links; undefined for standard input. */
  readonly path: string | undefined;
  /** @throws Failure (usage), the signal's reason */
  readonly chunks: AsyncIterable<Uint8Array>;
};

/** Standard input for `-`, else a file, which is open from here on. @throws Failure (usage) */
export async function openSource(
  { stdin, signal }: Pick<Context, 'stdin' | 'signal'>,
  file: string,
): Promise<Source> {
  if (file === '-') {
    const name = 'standard input';
    return { name, path: undefined, chunks: limited(name, stdin, signal) };
  }
  const handle = await openFile(file);
  const path = await realpath(file).catch((error) => {
    handle.close();
    throw unreadable(file, error);
  });
  return { name: file, path, chunks: limited(file, handle.createReadStream(), signal) };
}

async function openFile(file: string): Promise<FileHandle> {
  // Not blocking: a pipe without a writer would never open.
  const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
  const handle = await open(file, flags).catch((error) => {
    throw unreadable(file, error);
  });
  const stats = await handle.stat().catch(async (error) => {
    await handle.close();
    throw unreadable(file, error);
  });
  if (stats.isFile()) return handle;
  await handle.close();
  throw noRegularFile(file, stats);
}

function noRegularFile(file: string, stats: Stats): Failure {
  if (stats.isDirectory()) return usageFailure(`${file} is a directory`);
  return usageFailure(
    `${file} is not a regular file`,
    'Copy it to a regular file first, or read it from standard input (-).',
  );
}

function unreadable(name: string, error: unknown): Failure {
  const code = systemCode(error);
  const missing = code === 'ENOENT' || code === 'ENOTDIR';
  if (missing) return usageFailure(`file not found: ${name}`);
  return unsentFailure('usage', `cannot read ${name} (${code})`);
}

/** Largest input, in MiB. */
const maxSize = 256;

async function* limited(
  name: string,
  stream: Context['stdin'],
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const stop = () => stream.destroy(signal.reason);
  signal.addEventListener('abort', stop);
  try {
    signal.throwIfAborted();
    let size = 0;
    for await (const chunk of stream) {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      size += bytes.length;
      if (size > maxSize * 1024 * 1024) throw usageFailure(`${name} is larger than ${maxSize} MiB`);
      yield bytes;
    }
  } catch (error) {
    if (error instanceof Failure || signal.aborted) throw error;
    throw unreadable(name, error);
  } finally {
    signal.removeEventListener('abort', stop);
    stream.destroy();
  }
}
