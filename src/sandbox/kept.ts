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
  try {
    if (folder !== undefined) {
      return openSharedSandbox(join(folder, 'sandbox', 'requests.log'), state, plans.free);
    }
  } catch {
    // Said below: a sandbox that forgets still serves.
  }
  say('the sandbox cannot keep anything on this disk; it forgets what is created');
  return (request) => answer(state, plans.free, request);
}
