import { type ChildProcess, spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { plans } from '../../../src/sandbox/quota.ts';
import { environment } from '../import/home.ts';
import { median } from '../median.ts';
import { startService } from '../service.ts';
import type { Bar, Setup } from './bar.ts';
import { growthOf } from './growth.ts';

const crowds = [1, 5, 20, 50, 100, 200];
/** What the second after the reset that every first request waits would hide. */
const fromFirst = 'first to last request';
/** Of fewer processes many have their request in flight at once, and what one takes does not show. */
const queueing = 50;
/** On two cores, in ms a process: one that has not started before the reset does not wait for it, and fails the bench. */
const startTime = 150;

/**
 * How long after the reset that they wait for the requests of so many processes arrive: the first one, which finds out what the
 * new window allows, the one in the middle, and the last one.
 */
export async function measureWaits({ folder }: Setup): Promise<Bar[]> {
  const bars: Bar[] = [];
  for (const size of crowds) {
    const late = await waitTogether(join(folder, String(size)), size);
    const [first, last] = [Math.min(...late), Math.max(...late)];
    for (const [which, figure] of Object.entries({ first, median: median(late), last })) {
      const what = `${which} request of ${size} waiting processes, after the reset`;
      bars.push({ what, figure, unit: 's', program: `${which} request`, size });
    }
    if (size === 1) continue;
    const what = `${fromFirst} of ${size} waiting processes`;
    bars.push({ what, figure: last - first, unit: 's', program: fromFirst, size });
  }
  return [
    ...bars,
    growthOf(
      fromFirst,
      's',
      bars.filter(({ size = 0 }) => size >= queueing),
    ),
  ];
}

/** Seconds from the reset to each request. @throws Error when not all waited for it, or when one came before */
async function waitTogether(home: string, size: number): Promise<number[]> {
  const length = 1_000 * Math.ceil((5_000 + startTime * size) / 1_000);
  const { limit } = plans.business.minute;
  const service = await startService({
    plan: { ...plans.business, minute: { limit, length } },
    used: limit - 1,
  });
  try {
    await list().done;
    const reset = service.state.quota.minute.opened + length;
    const all = Array.from({ length: size }, list);
    const waits = await Promise.all(all.map(({ done }) => done));
    const after = service.requests.slice(1);
    const late = after.map(({ at }) => (at - reset) / 1_000);
    if (after.some(({ status }) => status !== 200)) throw new Error('a request was refused');
    if (late.some((seconds) => seconds < 0)) throw new Error('a request came before the reset');
    if (!waits.every(Boolean)) throw new Error(`not all of ${size} processes waited`);
    return late;
  } finally {
    service.close();
  }

  /** Says at its end whether it waited. */
  function list(): { readonly done: Promise<boolean> } {
    const args = ['categories', 'list', '--output', 'ndjson', '--max-wait', 'inf'];
    const child = spawn(process.execPath, [resolve('bin/petstore.js'), ...args], {
      env: environment(home, service),
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    return { done: hasWaited(child) };
  }
}

async function hasWaited(child: ChildProcess): Promise<boolean> {
  const [code, events] = await Promise.all([
    new Promise((done) => child.once('close', done)),
    child.stderr ? text(child.stderr) : '',
  ]);
  if (code !== 0) throw new Error(`exit ${code}: ${events}`);
  return events.includes('"event":"wait"');
}
