import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { startTime } from '../support/clock.ts';
import { test } from '../support/fleet.ts';
import { expect, reply } from '../support/petstore.ts';
import { expectTold } from '../support/told.ts';

const never = new AbortController().signal;
const second = 1_000;
const hour = 3_600 * second;
const list = ['categories', 'list', '--json'];
const listNow = [...list, '--max-wait', '0'];
const refusal = (ms: number) => reply(429, {}, { 'retry-after': String(ms / second) });
const usedUpDay = {
  date: new Date(startTime).toUTCString(),
  'x-ratelimit-limit': '1000',
  'x-ratelimit-remaining': '0',
  'x-ratelimit-reset': String((startTime + 20 * hour) / second),
};

describe('a wait that a store keeps binds a machine that starts long after', () => {
  const limited = 'rate limit exceeded (429)';
  test.for<[what: string, told: () => Response, after: number, until: number, message: string]>([
    ['of an hour', () => refusal(hour), 3_000 * second, hour, limited],
    ['of a day', () => refusal(24 * hour), 23 * hour, 24 * hour, limited],
    ['of more than a day', () => refusal(40 * hour), 39 * hour, 40 * hour, limited],
    [
      'of a 503',
      () => reply(503, {}, { 'retry-after': '300' }),
      200 * second,
      300 * second,
      'the service is unavailable (503)',
    ],
    [
      'for the next day',
      () => reply(200, [], usedUpDay),
      19 * hour,
      20 * hour,
      '1000 requests per day',
    ],
  ])('%s', async ([, told, after, until, message], { fleet: { run }, clock, sandbox }) => {
    sandbox.reactions.push(told());
    await run('one', listNow);
    await clock.sleep(after, never);

    const { exitCode, events } = await run('two', listNow);

    expect(exitCode).toBe(75);
    expect(events().at(-1)?.message).toContain(message);
    expectTold(Date.parse(String(events().at(-1)?.resetAt)) - startTime, until / second);
    expect(sandbox.requests).toHaveLength(1);
  });

  test.for([
    ['after three 429 in a row', 429],
    ['after a 401, when the key seems to be banned', 401],
  ])('%s', async ([, last], { fleet: { run }, clock, sandbox }) => {
    await run('one', list);
    for (const status of [429, 429, last]) {
      sandbox.reactions.push(reply(Number(status), {}, { 'retry-after': '1' }));
      await run('one', listNow);
      await clock.sleep(10 * second, never);
    }

    expect((await run('two', listNow)).events()).toMatchObject([{ retryAfter: 290 }]);
  });

  test('but none with another key or service', async ({ fleet: { run }, sandbox }) => {
    sandbox.react = () => (sandbox.requests.length === 1 ? refusal(hour) : reply(200, []));
    await run('one', listNow);

    const key = { PETSTORE_API_KEY: 'test-key-fedcba9876543210' };
    const service = { PETSTORE_BASE_URL: 'http://127.0.0.1:4011/v1' };
    const others = [
      await run('two', listNow, { env: key }),
      await run('two', listNow, { env: service }),
    ];

    expect(others.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    expect((await run('two', listNow)).exitCode).toBe(75);
  });
});

describe('a machine in a wait', () => {
  test('looks at the store every five seconds, not more often', async ({
    fleet: { run, engine },
    clock,
    sandbox,
  }) => {
    sandbox.reactions.push(refusal(60 * second));
    await run('one', listNow);
    const before = engine.commands;

    const { exitCode } = await run('two', list);

    expect(exitCode).toBe(0);
    expect(clock.now() - startTime).toBeGreaterThanOrEqual(60 * second);
    // One every five seconds, and what its turn takes.
    expect(engine.commands - before).toBeLessThanOrEqual(12 + 7);
  });

  test('ends it when another one gets --reset', async ({ fleet: { run }, clock, sandbox }) => {
    sandbox.reactions.push(refusal(hour));
    await run('one', listNow);

    const waiting = run('two', [...list, '--max-wait', 'inf']);
    await clock.sleep(20 * second, never);
    await run('three', ['limits', '--reset']);
    const resetAt = clock.now();

    expect((await waiting).exitCode).toBe(0);
    expect(clock.now() - resetAt).toBeLessThanOrEqual(10 * second);
  });
});

describe('a request that still connects is not sent', () => {
  test('if another machine is told to wait', async ({ fleet: { run }, clock, sandbox }) => {
    await run('one', list);
    sandbox.connect = () => clock.sleep(5 * second, never);
    const first = run('one', listNow);
    await clock.sleep(2 * second, never);
    sandbox.connect = async () => {};
    sandbox.reactions.push(refusal(hour));
    await run('two', listNow);

    expect((await first).exitCode).toBe(75);
    expect(sandbox.requests).toHaveLength(2);
  });

  test('if another one of its own process is told to wait', async ({
    fleet: { run },
    clock,
    sandbox,
    folder,
  }) => {
    await run('one', list);
    const file = join(folder, 'pets.csv');
    writeFileSync(file, 'name\nfirst\nsecond\n');
    sandbox.connect = ({ body = '' }) => clock.sleep(body.includes('second') ? 50 : 0, never);
    sandbox.react = ({ method }) => (method === 'POST' ? refusal(hour) : undefined);

    const argv = ['categories', 'import', file, '--yes', '--max-wait', '0'];
    const { exitCode } = await run('one', argv);

    expect(exitCode).toBe(75);
    expect(sandbox.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });
});

describe('machines', () => {
  const machines = ['one', 'two', 'three', 'four'];

  test('share what a window has left', async ({ fleet: { run }, sandbox, clock }) => {
    for (let n = 0; n < 60; n += 1) await run(machines[n % 4] ?? '', list);

    const ends = [];
    for (const machine of machines) ends.push(await run(machine, listNow));

    expect(ends.map(({ exitCode }) => exitCode)).toEqual([75, 75, 75, 75]);
    expect(sandbox.requests).toHaveLength(60);
    expect(clock.now()).toBe(startTime);
  });

  test('that ask at the same moment get what is left, and no more', async ({
    fleet: { run, engine },
    sandbox,
    clock,
  }) => {
    for (let n = 0; n < 58; n += 1) await run(machines[n % 4] ?? '', list);
    engine.delay = () => clock.sleep(20, never);

    const ends = await Promise.all(machines.map((machine) => run(machine, listNow)));

    expect(ends.map(({ exitCode }) => exitCode).sort()).toEqual([0, 0, 75, 75]);
    expect(sandbox.requests).toHaveLength(60);
  });

  test('that change the store at the same moment lose nothing, and ask it no more often than they must', async ({
    fleet: { run, engine },
    clock,
  }) => {
    await run('one', list);
    engine.delay = () => clock.sleep(20, never);
    const before = engine.commands;

    const ends = await Promise.all(machines.map((machine) => run(machine, listNow)));
    const commands = engine.commands - before;
    const { stdout } = await run('five', ['limits', '--json']);

    expect(ends.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0]);
    expect(JSON.parse(stdout)).toMatchObject({ minute: { remaining: 55 }, inFlight: 0 });
    // Some 34; if each read the store again before it tries again, it would be 49.
    expect(commands).toBeLessThanOrEqual(40);
  });
});
