import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { type Clock, startTime } from '../support/clock.ts';
import { expect, networkError, type Reaction, reply, test } from '../support/petstore.ts';
import { type Context, plans } from '../support/values.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** Breaks off once the request has left. */
const cut: Reaction = async ({ onSent }) => {
  onSent();
  throw networkError('ECONNRESET');
};

type Wait = {
  readonly wait: string;
  readonly argv: readonly string[];
  readonly reactions?: readonly (() => Reaction)[];
  /** Requests a minute, where it is fewer than on the plan Free. */
  readonly perMinute?: number;
  readonly exitCode: number;
  /** When requests leave, in seconds after the first; a wait begins with the second-last. */
  readonly leave: readonly number[];
};

const waits: Wait[] = [
  {
    wait: 'a told wait',
    argv: ['categories', 'list', '--max-wait', '2m'],
    reactions: [() => reply(429, '', { 'retry-after': '60' })],
    exitCode: 0,
    leave: [0, 61.125],
  },
  {
    wait: 'the end of a window',
    argv: ['categories', 'create', 'emu', '--if-missing'],
    perMinute: 1,
    exitCode: 0,
    leave: [0, 61],
  },
  {
    wait: 'a pause before another attempt',
    argv: ['categories', 'list'],
    reactions: [() => reply(502, '', { 'retry-after': '50' })],
    exitCode: 0,
    leave: [0, 50],
  },
  {
    wait: 'the settle time of a create',
    argv: ['categories', 'create', 'emu'],
    reactions: [() => cut],
    exitCode: 6,
    leave: [0, 60],
  },
  {
    wait: 'an answer that does not come',
    argv: ['categories', 'create', 'emu', '--timeout', '40s'],
    reactions: [() => 'stall'],
    exitCode: 6,
    leave: [0, 100],
  },
];

const steps = [
  { set: 'forward by an hour', by: hour },
  { set: 'forward by a day', by: day },
  { set: 'back by a minute', by: -minute },
  { set: 'back by an hour', by: -hour },
  { set: 'back by a day', by: -day },
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

describe.for(steps)('a clock that is set $set', ({ by }) => {
  test.for(waits)(
    'during $wait makes it neither shorter nor longer, and its end is told by the new time',
    async ({ argv, reactions = [], perMinute, exitCode, leave }, { clock, petstore, sandbox }) => {
      const { moments, note, sleep } = watch(clock, by);
      const { said, stderr } = listen(clock);
      if (perMinute) sandbox.plan = { ...plans.free, minute: { limit: perMinute, length: minute } };
      const left = reactions.map((reaction) => reaction());
      sandbox.react = () => {
        note();
        return left.shift();
      };

      const result = await petstore([...argv, '--json'], { context: { sleep, stderr } });

      expect(result.exitCode).toBe(exitCode);
      expect(moments.map(Math.floor)).toEqual(leave.map(Math.floor));
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
    for (const pace of paces)
      expect(pace).toMatch(/ [1-5]\/min, about (2m|1m|(1m )?[1-5]?\ds) left$/);
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

    expect(Math.floor((clock.service() - startTime) / 1_000)).toBe(61);
    expect(sandbox.requests).toHaveLength(2);
  });
});

describe('a process that is stopped while it waits, until long after', () => {
  test.for(waits.slice(0, 4))(
    'goes on within five seconds after $wait',
    async ({ argv, reactions = [], perMinute, exitCode }, { clock, petstore, sandbox }) => {
      const moments: number[] = [];
      let stopped = false;
      const sleep = (ms: number, signal: AbortSignal) => {
        const stops = !stopped && clock.service() >= startTime + setAfter;
        if (stops) stopped = true;
        return clock.sleep(stops ? ms + 100_000 : ms, signal);
      };
      if (perMinute) sandbox.plan = { ...plans.free, minute: { limit: perMinute, length: minute } };
      const left = reactions.map((reaction) => reaction());
      sandbox.react = () => {
        moments.push((clock.service() - startTime) / 1_000);
        return left.shift();
      };

      const result = await petstore([...argv, '--max-wait', '2m'], { context: { sleep } });

      expect(result.exitCode).toBe(exitCode);
      const [first, ...rest] = moments.map(Math.floor);
      expect(first).toBe(0);
      expect(rest).toHaveLength(1);
      expect(rest[0]).toBeGreaterThanOrEqual(121);
      expect(rest[0]).toBeLessThanOrEqual(121 + 5);
    },
  );
});
