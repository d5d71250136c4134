import { randomUUID } from 'node:crypto';
import { constants, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Context } from '../context.ts';
import { FileFault, openOwn } from '../disk/open-file.ts';
import { securePrivateFolder } from '../disk/private-folder.ts';
import { systemCode } from '../errors.ts';
import { createState, type SandboxState } from './sandbox-state.ts';
import { serveSandbox } from './server.ts';
import { type Answer, answer, forReplay, isReplayable, type Reply } from './service.ts';

/** Serves the sandbox of `--profile sandbox`, which ends with the command. */
export async function serveSharedSandbox(
  context: Pick<Context, 'now' | 'uid'>,
  stateFolder: string | undefined,
  notify: (message: string) => void,
): Promise<{ readonly baseUrl: URL; readonly key: string }> {
  const shared = openSharedSandbox(stateFolder, context.uid, notify);
  const { baseUrl, key, server } = await serveSandbox(shared, context);
  // Neither the server nor a connection to it keeps the process alive once the command is done.
  server.unref();
  server.on('connection', (socket) => socket.unref());
  return { baseUrl, key };
}

/** Opens the sandbox that all processes with this state folder share, or one in memory if nothing can be saved there. */
export function openSharedSandbox(
  stateFolder: string | undefined,
  uid: number | undefined,
  notify: (message: string) => void,
): Answer {
  const state = createState();
  const inMemory: Answer = (request) => answer(state, request);
  let current = attempt(() => openLog(stateFolder, uid, state)) ?? inMemory;
  return (request) => {
    // A request without the key changes nothing, and must not write to the disk.
    if (request.key !== 'valid') return inMemory(request);
    const reply = attempt(() => current(request));
    if (!reply) current = inMemory;
    return reply ?? current(request);
  };

  function attempt<T>(task: () => T): T | undefined {
    try {
      return task();
    } catch (error) {
      const reason = systemCode(error) ?? (error as Error).message;
      const fix = error instanceof FileFault ? `. ${error.fix}` : '';
      notify(
        `cannot save the sandbox (${reason}): anything you create is gone when this command ends${fix}`,
      );
      return undefined;
    }
  }
}

/**
 * Keeps a sandbox as a log of its requests. Each request is one appended line. All processes replay the same lines in the same
 * order, so they agree without a lock. A killed process leaves at most a torn line, which is ignored.
 */
function openLog(
  stateFolder: string | undefined,
  uid: number | undefined,
  state: SandboxState,
): Answer {
  if (stateFolder === undefined) throw new Error('no home folder');
  const folder = join(stateFolder, 'sandbox');
  securePrivateFolder(folder, uid);
  const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT;
  const file = openOwn(join(folder, 'requests.log'), flags);
  const readLines = followLines(file);
  return (request) => {
    const id = randomUUID();
    // The line break in front separates this line from a torn one.
    const line = Buffer.from(`\n${JSON.stringify({ ...forReplay(request), id })}\n`);
    if (writeSync(file, line) < line.length) throw new Error('the disk is full');
    let reply: Reply | undefined;
    for (const entry of readLines().map(parseEntry)) {
      if (entry?.id === id) reply = answer(state, request);
      else if (entry) answer(state, entry);
    }
    if (!reply) throw new Error('the log was truncated');
    return reply;
  };
}

/** Follows a file that others append to. Returns a function that reads the whole lines added since its last call. */
function followLines(file: number): () => string[] {
  const chunk = Buffer.alloc(64 * 1024);
  let position = 0;
  let partial = Buffer.alloc(0);
  return () => {
    const parts = [partial];
    for (;;) {
      const length = readSync(file, chunk, 0, chunk.length, position);
      if (length === 0) break;
      position += length;
      parts.push(Buffer.from(chunk.subarray(0, length)));
    }
    const text = Buffer.concat(parts);
    const end = text.lastIndexOf('\n') + 1;
    partial = Buffer.from(text.subarray(end));
    return text.subarray(0, end).toString().split('\n');
  };
}

function parseEntry(line: string) {
  try {
    const entry: unknown = JSON.parse(line);
    return isReplayable(entry) && 'id' in entry ? entry : undefined;
  } catch {
    return undefined;
  }
}
