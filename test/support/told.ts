import { setMaxListeners } from 'node:events';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect } from 'vitest';
import { type Clock, startTime } from './clock.ts';
import type { Fixtures } from './petstore.ts';
import type { Send, WireAnswer, WireRequest } from './values.ts';

export const second = 1_000;
/** For sleeps that nobody ends. */
export const never = new AbortController().signal;
setMaxListeners(0, never);

export const list = ['categories', 'list', '--json'];
/** A list that does not wait. */
export const listNow = [...list, '--max-wait', '0'];

/** Returns the headers of a window that ends that many seconds after the start of the test. */
export function windowHeaders(
  limit: number,
  remaining: number,
  endsIn = 60,
): Record<string, string> {
  return {
    date: new Date(startTime).toUTCString(),
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(startTime / second + endsIn),
  };
}

/** Lets the sandbox respond after that time. */
export function respondAfter(clock: Clock, ms: number) {
  return (_: WireRequest, forward: () => Promise<WireAnswer>) =>
    clock.sleep(ms, never).then(forward);
}

/** Expects a wait to be as long as the service said, and at most 3 s longer. */
export function expectTold(waitedMs: number, toldSeconds: number): void {
  expect(waitedMs).toBeGreaterThanOrEqual(toldSeconds * second);
  expect(waitedMs).toBeLessThanOrEqual(toldSeconds * second + 3_000);
}

let areLoaded = false;

/** Parts of the program load when they are first needed. That takes real time, in which the clock of a test would go on. */
export async function loadCommands({ petstore, folder, clock }: Loaded): Promise<void> {
  if (areLoaded) return;
  areLoaded = true;
  const release = clock.hold();
  const send: Send = async () => ({
    status: 200,
    headers: {},
    body: Readable.from([Buffer.from('[]')]),
  });
  const options = { env: { PETSTORE_STATE_DIR: join(folder, 'before') }, context: { send } };
  await petstore('categories create ant --dry-run', options);
  await petstore('categories list --json', options);
  release();
}

type Loaded = Pick<Fixtures, 'petstore' | 'folder' | 'clock'>;
