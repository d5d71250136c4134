import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { type Clock, startTime } from '../support/clock.ts';
import { expect, networkError, type Reaction, reply, test } from '../support/petstore.ts';
import { expectTold } from '../support/told.ts';
import { type Context, plans } from '../support/values.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** Breaks off once the request has left. */
const cut: Reaction = async ({ onSent }) => {
  onSent();
  throw networkError('ECONNRESET');
};

/** Told waits end so late at most, in seconds. */
const maxLateSeconds = 3;

type Wait = readonly [
  wait: string,
  command: string,
  reactions: readonly (() => Reaction)[],
  perMinute: number,
  exitCode: number,
  /** When the second request is due, in seconds after the first. */
  due: number,
];
const refused = () => reply(429, '', { 'retry-after': '60' });
const unavailable = () => reply(502, '', { 'retry-after': '50' });

const waits: Wait[] = [
  ['a told wait', 'list --max-wait 2m', [refused], 60, 0, 60],
  ['the end of a window', 'create emu --if-missing', [], 1, 0, 60],
  ['a pause before another attempt', 'list', [unavailable], 60, 0, 50],
  ['the settle time of a create', 'create emu', [() => cut], 60, 6, 60],
  ['a response that does not come', 'create emu --timeout 40s', [() => 'stall'], 60, 6, 100],
];

const steps: [set: string, by: number][] = [
  ['forward by an hour', hour],
  ['forward by a day', day],
  ['back by a minute', -minute],
  ['back by an hour', -hour],
  ['back by a day', -day],
];

/** In the middle of each wait. */
const setAfter = 20_000;

/** The moments of requests, in s, and a sleep during which somebody sets the clock. */
function watch(clock: Clock, by: number) {
  const moments: number[] = [];
  let isSet = false;
  return {
    moments,
    note: () => void moments.push((clock.service() - startTime) / 1_000),
    async sleep(ms: number, signal: AbortSignal): Promise<void> {
      const first = startTime + setAfter - clock.service();
      if (isSet || first >= ms) return clock.sleep(ms, signal);
      await clock.sleep(first, signal);
      if (!isSet) clock.set(by);
      isSet = true;
      await clock.sleep(ms - first, signal);
    },
  };
}

/** Each wait as it is said, with what the clock shows at that moment. */
function listen(clock: Clock) {
  const said: { waitMs: number; endsIn: number }[] = [];
  const stderr: Context['stderr'] = {
    isTTY: false,
    columns: undefined,
    stream: undefined,
    async write(line) {
      const { event, waitMs, resetAt } = JSON.parse(line);
      if (event === 'wait') said.push({ waitMs, endsIn: Date.parse(resetAt) - clock.now() });
    },
  };
  return { said, stderr };
}

describe.for(steps)('a clock that is set %s', ([, by]) => {
  test.for(waits)(
    'during %s makes it neither shorter nor longer, and its end is told by the new time',
    async ([, command, reactions, limit, exitCode, due], { clock, petstore, sandbox }) => {
      const { moments, note, sleep } = watch(clock, by);
      const { said, stderr } = listen(clock);
      sandbox.plan = { ...plans.free, minute: { limit, length: minute } };
      const left = reactions.map((reaction) => reaction());
      sandbox.react = () => {
        note();
        return left.shift();
      };

      const argv = ['categories', ...command.split(' '), '--json'];
      const result = await petstore(argv, { context: { sleep, stderr } });

      expect(result.exitCode).toBe(exitCode);
      expect(moments).toEqual([0, expect.any(Number)]);
      expect(moments[1]).toBeGreaterThanOrEqual(due);
      expect(moments[1]).toBeLessThanOrEqual(due + maxLateSeconds);
      expect(said.map(({ waitMs }) => Math.ceil(waitMs / 1_000))).toEqual(
        said.map(({ endsIn }) => Math.ceil(endsIn / 1_000)),
      );
      expect(said.length).toBeGreaterThan(1);
    },
  );

  test('in the midst of an import changes nothing of its pace, nor of what is said of it', async ({
    clock,
    petstore,
    sandbox,
    folder,
  }) => {
    const { moments, note, sleep } = watch(clock, by);
    sandbox.plan = { ...plans.free, minute: { limit: 5, length: minute } };
    sandbox.react = () => void note();
    const path = join(folder, 'pets.csv');
    writeFileSync(path, `name\n${Array.from({ length: 12 }, (_, n) => `pet-${n}\n`).join('')}`);

    const { exitCode, stderr } = await petstore(
      ['categories', 'import', path, '--yes', '--max-wait', '10m'],
      { context: { sleep } },
    );

    expect(exitCode).toBe(0);

    expect(sandbox.categories).toHaveLength(12);
    // A list, twelve rows and another list: five in each minute, none of which was refused.
    const minutes = [0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 2];
    expect(moments.map((moment) => Math.floor(moment / 61))).toEqual(minutes);
    const told = [...stderr.matchAll(/next request in (.+?) \(/g)].map(([, time]) => time);
    for (const time of told) expect(time).toMatch(/^([1-5]?\ds|1m( 1s)?)$/);
    const paces = stderr.match(/^petstore: \d+ of 12 rows, .*$/gm) ?? [];
    expect(paces.length).toBeGreaterThan(7);
    for (const pace of paces) expect(pace).toMatch(/, about (2m|1m|(1m )?[1-5]?\ds) left$/);
  });

  test('while a request is on its way tells no other time than it took', async ({
    clock,
    petstore,
    sandbox,
  }) => {
    sandbox.reactions.push((_request, forward) => {
      clock.set(by);
      return forward();
    });

    const { stderr } = await petstore(['categories', 'list', '--verbose']);

    expect(stderr).toContain('200, 2 bytes (0 ms)\n');
  });

  test('between two commands makes a told wait neither shorter nor longer', async ({
    clock,
    petstore,
    sandbox,
  }) => {
    sandbox.reactions.push(reply(429, '', { 'retry-after': '60' }));
    await petstore(['categories', 'list', '--max-wait', '0']);
    clock.set(by);

    await petstore(['categories', 'list']);

    const passed = (clock.service() - startTime) / 1_000;
    expect(passed).toBeGreaterThanOrEqual(60);
    expect(passed).toBeLessThanOrEqual(60 + maxLateSeconds);
    expect(sandbox.requests).toHaveLength(2);
  });
});

test('a clock that is set after a restart of the machine does not shorten a told wait', async ({
  clock,
  petstore,
  sandbox,
}) => {
  sandbox.reactions.push(reply(429, '', { 'retry-after': '60' }));
  await petstore(['categories', 'list', '--max-wait', '0']);
  const restart = clock.uptime();
  const { sleep } = watch(clock, hour);

  const context = { boot: 'next', uptime: () => clock.uptime() - restart, sleep };
  await petstore(['categories', 'list'], { context });

  expectTold(clock.service() - startTime, 60);
});

describe('a process that is stopped while it waits, until long after', () => {
  test.for(waits.slice(0, 4))(
    'goes on within five seconds after %s',
    async ([, command, reactions, limit, exitCode], { clock, petstore, sandbox }) => {
      const moments: number[] = [];
      let stopped = false;
      const sleep = (ms: number, signal: AbortSignal) => {
        const stops = !stopped && clock.service() >= startTime + setAfter;
        if (stops) stopped = true;
        return clock.sleep(stops ? ms + 100_000 : ms, signal);
      };
      sandbox.plan = { ...plans.free, minute: { limit, length: minute } };
      const left = reactions.map((reaction) => reaction());
      sandbox.react = () => {
        moments.push((clock.service() - startTime) / 1_000);
        return left.shift();
      };

      const argv = ['categories', ...command.split(' '), '--max-wait', '2m'];
      const result = await petstore(argv, { context: { sleep } });

      expect(result.exitCode).toBe(exitCode);
      // The stop makes a sleep that begins after 20 s longer by 100.
      expect(moments).toEqual([0, expect.any(Number)]);
      expect(moments[1]).toBeGreaterThanOrEqual(120);
      expect(moments[1]).toBeLessThanOrEqual(126);
    },
  );
});
