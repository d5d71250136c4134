import { join } from 'node:path';
import { type Answerer, openSharedSandbox } from './log.ts';
import { plans } from './quota.ts';
import { type RunningSandbox, serveSandbox, throwawayKey } from './serve.ts';
import { answer } from './service.ts';
import { sampleState } from './state.ts';

/**
 * The sandbox behind `--profile sandbox`: it lives as long as the command, and what it was told lives on in `folder`.
 * Without a folder that can be written it forgets, and says so.
 */
export async function startKeptSandbox(
  folder: string | undefined,
  now: () => number,
  say: (message: string) => void,
): Promise<RunningSandbox> {
  const options = { answer: openAnswerer(folder, say), key: throwawayKey(), now };
  const sandbox = await serveSandbox(options, 0);
  // Neither the server nor a connection to it keeps the process alive once the command is done.
  sandbox.server.unref();
  sandbox.server.on('connection', (socket) => socket.unref());
  return sandbox;
}

function openAnswerer(folder: string | undefined, say: (message: string) => void): Answerer {
  const state = sampleState();
  const forgetful: Answerer = (request) => answer(state, plans.free, request);
  let current: Answerer | undefined;
  return (request) => {
    try {
      current ??= open();
      return current(request);
    } catch {
      say('the sandbox cannot keep anything on this disk; it forgets what is created');
      current = forgetful;
      return current(request);
    }
  };

  function open(): Answerer {
    if (folder === undefined) throw new Error('there is no folder to keep anything in');
    return openSharedSandbox(join(folder, 'sandbox', 'requests.log'), state, plans.free);
  }
}
