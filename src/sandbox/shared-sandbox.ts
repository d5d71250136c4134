import { join } from 'node:path';
import type { Context } from '../context.ts';
import { FileFault } from '../disk/open-file.ts';
import { securePrivateFolder } from '../disk/private-folder.ts';
import { removeStale } from '../disk/temporary.ts';
import { systemCode } from '../errors.ts';
import { change, orInMemory } from '../store/cell.ts';
import { fileCell } from '../store/file-cell.ts';
import { createState, restore, takeSnapshot } from './sandbox-state.ts';
import { serveSandbox } from './server.ts';
import { type Answer, answer } from './service.ts';

const maxBytes = 32 * 1024 * 1024;

/** Serves the sandbox of `--profile sandbox`, which ends with the command. */
export async function serveSharedSandbox(
  context: Pick<Context, 'now' | 'uid'>,
  stateFolder: string | undefined,
  notify: (message: string) => void,
): Promise<{ readonly baseUrl: URL; readonly key: string }> {
  const shared = openSharedSandbox(context, stateFolder, notify);
  const { baseUrl, key, server } = await serveSandbox(shared, context);
  // Neither the server nor a connection to it keeps the process alive once the command is done.
  server.unref();
  server.on('connection', (socket) => socket.unref());
  return { baseUrl, key };
}

/** Opens the sandbox that all processes with this state folder share, or one in memory if nothing can be saved there. */
export function openSharedSandbox(
  context: Pick<Context, 'now' | 'uid'>,
  stateFolder: string | undefined,
  notify: (message: string) => void,
): Answer {
  const state = createState();
  const initial = takeSnapshot(state);
  const cell = orInMemory(openCell(context, stateFolder), (error) => {
    const reason = systemCode(error) ?? (error as Error).message;
    const fix = error instanceof FileFault ? `. ${error.details.hint}` : '';
    notify(
      `cannot save the sandbox (${reason}): anything you create is gone when this command ends${fix}`,
    );
  });
  return async (request) => {
    // It changes nothing, and must not write to the disk.
    if (request.key !== 'valid') return answer(state, request);
    return change(cell, ({ value = initial }) => {
      restore(state, value);
      const reply = answer(state, request);
      return [takeSnapshot(state), reply];
    });
  };
}

function openCell({ now, uid }: Pick<Context, 'now' | 'uid'>, stateFolder = '') {
  const folder = join(stateFolder, 'sandbox');
  const check = () => {
    if (stateFolder === '') throw new Error('no home folder');
    securePrivateFolder(folder, uid);
    removeStale(folder, now());
  };
  return fileCell<ReturnType<typeof takeSnapshot>>(folder, { maxBytes, check });
}
