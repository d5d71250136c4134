import { describe } from 'vitest';
import { startTime } from '../support/clock.ts';
import { test } from '../support/machines.ts';
import { expect, reply } from '../support/petstore.ts';
import {
  expectTold,
  list,
  listNow,
  never,
  refusal,
  second,
  windowHeaders,
} from '../support/told.ts';

const hour = 3_600;

describe('a wait that a store keeps binds a machine that starts long after', () => {
  const limited = 'rate limit exceeded';
  const endOfDay = () => reply(200, [], windowHeaders(1_000, 0, 20 * hour));
  test.for<[what: string, told: () => Response, after: number, until: number, message: string]>([
    ['of more than a day', () => refusal(40 * hour), 39 * hour, 40 * hour, limited],
    ['of a 503', () => refusal(300, 503), 200, 300, 'the service is unavailable (503)'],
    ['for the next day', endOfDay, 19 * hour, 20 * hour, '1000 requests per day'],
  ])('%s', async ([, told, after, until, message], { machines: { run }, clock, sandbox }) => {
    sandbox.reactions.push(told());
    await run('one', listNow);
    await clock.sleep(after * second, never);

    const { exitCode, events } = await run('two', listNow);

    expect(exitCode).toBe(75);
    expect(events().at(-1)?.message).toContain(message);
    expectTold(Date.parse(String(events().at(-1)?.resetAt)) - startTime, until);
    expect(sandbox.requests).toHaveLength(1);
  });
});

test('a request that still connects is not sent if another machine is told to wait', async ({
  machines: { run },
  clock,
  sandbox,
}) => {
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

test('machines that ask at the same moment get what is left, and no more', async ({
  machines: { run, engine },
  sandbox,
  clock,
}) => {
  const machines = ['one', 'two', 'three', 'four'];
  for (let n = 0; n < 58; n += 1) await run(machines[n % 4] ?? '', list);
  engine.delay = () => clock.sleep(20, never);

  const ends = await Promise.all(machines.map((machine) => run(machine, listNow)));

  expect(ends.map(({ exitCode }) => exitCode).sort()).toEqual([0, 0, 75, 75]);
  expect(sandbox.requests).toHaveLength(60);
});
