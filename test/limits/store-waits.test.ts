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

describe('a wait that a store keeps', () => {
  test.for([
    ['a quarter of an hour', 900 * second, 600 * second],
    ['a day', 24 * hour, 23 * hour],
    ['longer than a day', 40 * hour, 39 * hour],
  ] as const)(
    'binds a machine that starts long after: of %s',
    async ([, told, after], { fleet: { run }, clock, sandbox }) => {
      sandbox.reactions.push(refusal(told));
      await run('one', listNow);
      await clock.sleep(after, never);

      const { exitCode, events } = await run('two', listNow);

      expect(exitCode).toBe(75);
      expectTold(Date.parse(String(events().at(-1)?.resetAt)) - startTime, told / second);
      expect(sandbox.requests).toHaveLength(1);
    },
  );

  test('ends on a machine that is in it when another one gets --reset', async ({
    fleet: { run },
    clock,
    sandbox,
  }) => {
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

test('the wait that a 503 names binds all machines', async ({ fleet: { run }, sandbox }) => {
  sandbox.reactions.push(reply(503, {}, { 'retry-after': '300' }));
  await run('one', listNow);

  const { exitCode, events } = await run('two', listNow);

  expect(exitCode).toBe(75);
  expect(events()).toMatchObject([{ message: 'the service is unavailable (503)' }]);
  expect(sandbox.requests).toHaveLength(1);
});

test('a day that is used up binds a machine that starts many hours later', async ({
  fleet: { run },
  clock,
  sandbox,
}) => {
  const headers = {
    date: new Date(startTime).toUTCString(),
    'x-ratelimit-limit': '1000',
    'x-ratelimit-remaining': '0',
    'x-ratelimit-reset': String((startTime + 20 * hour) / second),
  };
  sandbox.reactions.push(reply(200, [], headers));
  await run('one', list);
  await clock.sleep(19 * hour, never);

  const { exitCode } = await run('two', list);

  expect(exitCode).toBe(75);
  expect(sandbox.requests).toHaveLength(1);
});

test('machines with another key share nothing', async ({ fleet: { run }, sandbox }) => {
  sandbox.react = ({ headers }) =>
    headers.authorization?.includes('fedcba') ? reply(200, []) : refusal(hour);
  await run('one', listNow);

  const env = { PETSTORE_API_KEY: 'test-key-fedcba9876543210' };
  const { exitCode } = await run('two', listNow, { env });

  expect(exitCode).toBe(0);
  expect(sandbox.requests).toHaveLength(2);
});

test('machines share what a window has left', async ({ fleet: { run }, sandbox, clock }) => {
  const machines = ['one', 'two', 'three'];
  for (let n = 0; n < 60; n += 1) await run(machines[n % 3] ?? '', list);

  const ends = [];
  for (const machine of machines) ends.push(await run(machine, listNow));

  expect(ends.map(({ exitCode }) => exitCode)).toEqual([75, 75, 75]);
  expect(sandbox.requests).toHaveLength(60);
  expect(clock.now()).toBe(startTime);
});
