import { join } from 'node:path';
import type { Context } from '../context.ts';
import { FileFault } from '../disk/open-file.ts';
import { securePrivateFolder } from '../disk/private-folder.ts';
import { removeStale } from '../disk/temporary.ts';
import { systemCode } from '../errors.ts';
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
  let cell: ReturnType<typeof openCell> | undefined;
  cell = attempt(() => openCell(context, stateFolder));
  return (request) => {
    for (;;) {
      // A request without the key changes nothing, and must not write to the disk.
      const seen = request.key === 'valid' ? attempt(() => cell?.read()) : undefined;
      if (seen) restore(state, seen.value ?? initial);
      const reply = answer(state, request);
      if (!seen || attempt(() => cell?.replace(seen, takeSnapshot(state))) !== false) return reply;
    }
  };

  function attempt<T>(task: () => T): T | undefined {
    try {
      return task();
    } catch (error) {
      cell = undefined;
      const reason = systemCode(error) ?? (error as Error).message;
      const fix = error instanceof FileFault ? `. ${error.fix}` : '';
      notify(
        `cannot save the sandbox (${reason}): anything you create is gone when this command ends${fix}`,
      );
      return undefined;
    }
  }
}

function openCell({ now, uid }: Pick<Context, 'now' | 'uid'>, stateFolder: string | undefined) {
  if (stateFolder === undefined) throw new Error('no home folder');
  const folder = join(stateFolder, 'sandbox');
  securePrivateFolder(folder, uid);
  removeStale(folder, now());
  return fileCell<ReturnType<typeof takeSnapshot>>(folder, { maxBytes });
}
