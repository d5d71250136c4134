import { join } from 'node:path';
import type { Context } from '../context.ts';
import { faultOfAccess } from '../disk/denied.ts';
import { securePrivateFolder } from '../disk/private-folder.ts';
import { type Answerer, openSharedSandbox } from './log.ts';
import { plans } from './quota.ts';
import { type RunningSandbox, serveSandbox, throwawayKey } from './serve.ts';
import { answer } from './service.ts';
import { sampleState } from './state.ts';

/**
 * The sandbox behind `--profile sandbox`: it lives as long as the command, and what it was told lives on in `folder`.
 * Without a folder that can be written it forgets, and says so. @throws Failure (config, output) when it cannot run
 */
export async function startPersistentSandbox(
  { now, uid }: Pick<Context, 'now' | 'uid'>,
  folder: string | undefined,
  say: (message: string) => void,
): Promise<RunningSandbox> {
  const options = { answer: openAnswerer(folder, uid, say), key: throwawayKey(), now };
  const sandbox = await serveSandbox(options, 0);
  // Neither the server nor a connection to it keeps the process alive once the command is done.
  sandbox.server.unref();
  sandbox.server.on('connection', (socket) => socket.unref());
  return sandbox;
}

function openAnswerer(
  folder: string | undefined,
  uid: number | undefined,
  say: (message: string) => void,
): Answerer {
  const state = sampleState();
  let current = open();
  return (request) => {
    try {
      return current(request);
    } catch (error) {
      current = inMemory(error);
      return current(request);
    }
  };

  function open(): Answerer {
    if (folder === undefined) return inMemory(undefined);
    try {
      const own = join(folder, 'sandbox');
      securePrivateFolder(own, uid);
      return openSharedSandbox(join(own, 'requests.log'), state, plans.free);
    } catch (error) {
      return inMemory(error);
    }
  }

  function inMemory(error: unknown): Answerer {
    const fault = faultOfAccess(error, uid);
    const why = fault ? ` (${fault.message}). Fix: ${fault.fix}` : '';
    say(`cannot save the sandbox; what you create in it is lost when this command ends${why}`);
    return (request) => answer(state, plans.free, request);
  }
}
