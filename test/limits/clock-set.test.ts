import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { type Clock, startTime } from '../support/clock.ts';
import { cutBefore } from '../support/import-cases.ts';
import { expect, type Fixtures, outputTo, type Reaction, test } from '../support/petstore.ts';
import { expectTold, list, listNow, minute, refusal, second } from '../support/told.ts';
import { plans } from '../support/values.ts';

const hour = 60 * minute;
const day = 24 * hour;
/** In the middle of each wait. */
const middle = 20 * second;

type Wait = readonly [
  wait: string,
  command: string,
  reaction: Reaction | undefined,
  perMinute: number,
  exitCode: number,
  /** When the second request is due, in seconds after the first. */
  due: number,
];
const waits: Wait[] = [
  ['a told wait', 'list', refusal(60), 60, 0, 60],
  ['the end of a window', 'create emu --if-missing', undefined, 1, 0, 60],
  ['a pause before another attempt', 'list', refusal(50, 502), 60, 0, 50],
  ['the settle time of a create', 'create emu', cutBefore, 60, 6, 60],
  ['a response that does not come', 'create emu --timeout 40s', 'stall', 60, 6, 100],
];

const steps: [set: string, by: number][] = [
  ['forward by a day', day],
  ['back by a day', -day],
];

/** Returns a sleep in the midst of which something happens once. */
function interruptOnce(clock: Clock, event: () => unknown): Clock['sleep'] {
  let isOver = false;
  return async (ms, signal) => {
    const first = startTime + middle - clock.service();
    if (isOver || first >= ms) return clock.sleep(ms, signal);
    await clock.sleep(first, signal);
    if (!isOver) await event();
    isOver = true;
    await clock.sleep(ms - first, signal);
  };
}

/** Runs a command whose second request waits. Returns when they were sent, in ms, and each wait as it is said. */
async function runWait(fixtures: Fixtures, wait: Wait, sleep: Clock['sleep']) {
  const { clock, petstore, sandbox } = fixtures;
  const [, command, reaction, limit] = wait;
  const sentAt: number[] = [];
  const said: { waitMs: number; endsIn: number }[] = [];
  const stderr = outputTo(async (line) => {
    const { event, waitMs, resetAt } = JSON.parse(line);
    if (event === 'wait') said.push({ waitMs, endsIn: Date.parse(resetAt) - clock.now() });
  });
  sandbox.plan = { ...plans.free, minute: { limit, length: minute } };
  sandbox.react = () => {
    sentAt.push(clock.service() - startTime);
    if (sentAt.length > 1) return undefined;
    return reaction instanceof Response ? reaction.clone() : reaction;
  };
  const argv = ['categories', ...command.split(' '), '--max-wait', '2m', '--json'];
  const { exitCode } = await petstore(argv, { context: { sleep, stderr } });
  return { exitCode, sentAt, said };
}

describe.for(steps)('a clock that is set %s', ([, by]) => {
  test.for(waits)(
    'during %s makes it neither shorter nor longer, and its end is told by the new time',
    async (wait, { clock, petstore, sandbox, folder, forward }) => {
      const [, , , , exitCode, due] = wait;
      const sleep = interruptOnce(clock, () => clock.set(by));

      const ended = await runWait({ clock, petstore, sandbox, folder, forward }, wait, sleep);

      expect(ended.exitCode).toBe(exitCode);
      expectTold(Number(ended.sentAt.at(-1)), due);
      expect(ended.said.length).toBeGreaterThan(1);
      for (const { waitMs, endsIn } of ended.said) {
        expect(Math.ceil(waitMs / second)).toBe(Math.ceil(endsIn / second));
      }
    },
  );

  test('in the midst of an import changes nothing of its pace, nor of what is said of it', async ({
    clock,
    petstore,
    sandbox,
    folder,
  }) => {
    const sentAt: number[] = [];
    sandbox.plan = { ...plans.free, minute: { limit: 5, length: minute } };
    sandbox.react = () => void sentAt.push(clock.service() - startTime);
    const path = join(folder, 'pets.csv');
    writeFileSync(path, `name\n${Array.from({ length: 12 }, (_, n) => `pet-${n}\n`).join('')}`);
    const sleep = interruptOnce(clock, () => clock.set(by));

    const argv = ['categories', 'import', path, '--yes', '--max-wait', '10m'];
    const { exitCode, stderr } = await petstore(argv, { context: { sleep } });

    expect(exitCode).toBe(0);
    expect(sandbox.categories).toHaveLength(12);
    // A list, twelve rows and another list: five in each minute, none of which was refused.
    const minutes = [0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 2];
    expect(sentAt.map((at) => Math.floor(at / (61 * second)))).toEqual(minutes);
    const told = [...stderr.matchAll(/next request in (.+?) \(/g)].map(([, time]) => time);
    for (const time of told) expect(time).toMatch(/^([1-5]?\ds|1m( 1s)?)$/);
    const paces = stderr.match(/^petstore: \d+ of 12 rows.*$/gm) ?? [];
    expect(paces.length).toBeGreaterThan(0);
    for (const pace of paces) expect(pace).toMatch(/rows(, about (2m|1m|(1m )?[1-5]?\ds) left)?$/);
  });
});

test('a clock that is set after a restart of the machine does not shorten a told wait', async ({
  clock,
  petstore,
  sandbox,
}) => {
  sandbox.reactions.push(refusal(60));
  await petstore(listNow);
  const restart = clock.uptime();
  const sleep = interruptOnce(clock, () => clock.set(hour));

  const context = { boot: 'next', uptime: () => clock.uptime() - restart, sleep };
  await petstore(list, { context });

  expectTold(clock.service() - startTime, 60);
});
